package natsfleet

import (
	"context"
	"sync"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// The owner of news is a group of values, or a server that has sent a message. Each can have this
// much in the inbox.
const (
	maxGroupNews   = 4096 // values; the watcher then waits
	maxGroupBytes  = 4 << 20
	maxSenderNews  = 2 * burst // messages; the newest is dropped
	maxMessages    = 4096      // of all senders; the newest of the one with the most is dropped
	maxLineReports = 64        // the newest is dropped: the loop stands still
)

// inbox keeps news until the loop takes them.
type inbox struct {
	mu       sync.Mutex
	list     []piece                 // that the next take has
	groups   map[bus.Group]*queue    // with news that wait
	turns    map[bus.Bucket][]*queue // the same; the first one is next
	senders  map[string]*share       // of servers, "" for those that are not known
	messages int
	lines    int
	servers  *bus.Servers // the newest
}

// piece is news and its owner.
type piece struct {
	news   bus.News
	sender string
}

type share struct{ news, bytes int }

func newInbox() *inbox {
	return &inbox{groups: map[bus.Group]*queue{}, turns: map[bus.Bucket][]*queue{}, senders: map[string]*share{}}
}

// take returns all news, but of groups only as many as the loop takes at once. With all it returns
// those, too.
func (i *inbox) take(all bool) (list []bus.News) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.list) == 0 && i.servers == nil && len(i.groups) == 0 {
		return nil
	}
	if i.servers != nil {
		list = append(list, bus.News{Servers: i.servers})
	}
	for _, p := range i.list {
		list = append(list, p.news)
	}
	i.list, i.servers = nil, nil
	i.messages, i.lines = 0, 0
	clear(i.senders)
	for _, b := range []bus.Bucket{bus.Lists, bus.Shared} {
		list = append(list, i.values(b, all)...)
	}
	return list
}

// values takes news of the groups of a bucket.
func (i *inbox) values(b bus.Bucket, all bool) (list []bus.News) {
	before := i.turns[b]
	list, i.turns[b] = takeTurns(before, all)
	for _, q := range before {
		if len(q.units) == 0 {
			delete(i.groups, q.group)
		}
	}
	return list
}

// queue returns the queue of a group, to which a unit is added.
func (i *inbox) queue(g bus.Group) *queue {
	q := i.groups[g]
	if q == nil {
		q = &queue{group: g}
		i.groups[g] = q
		i.turns[g.Bucket] = append(i.turns[g.Bucket], q)
	}
	return q
}

// value adds news of a group, which the loop takes together. It waits as units does.
func (i *inbox) value(ctx context.Context, g bus.Group, bytes int, list ...bus.News) bool {
	return i.units(ctx, g, unit{list, share{valuesOf(list), bytes}})
}

// units adds units of a group, with nothing between them. It waits while the loop has not taken
// enough of the earlier ones, and reports whether it did not end before.
func (i *inbox) units(ctx context.Context, g bus.Group, units ...unit) bool {
	var size share
	for _, u := range units {
		size.news += u.size.news
		size.bytes += u.size.bytes
	}
	for {
		i.mu.Lock()
		q := i.queue(g)
		if q.total.news == 0 || q.total.news+size.news <= maxGroupNews && q.total.bytes+size.bytes <= maxGroupBytes {
			for _, u := range units {
				q.push(u)
			}
			i.mu.Unlock()
			return true
		}
		taken := q.wait()
		i.mu.Unlock()
		select {
		case <-taken:
		case <-ctx.Done():
			return false
		}
	}
}

// outcome adds the outcome of a batch, behind the values of its group that have come before: a mod
// that is told of a conflict sees them.
func (i *inbox) outcome(g bus.Group, o bus.Outcome) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.queue(g).push(unit{news: []bus.News{{Outcome: &o}}})
}

// add adds news whose number the orders bound: replies, and outcomes of what can never be written.
func (i *inbox) add(list ...bus.News) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, n := range list {
		i.list = append(i.list, piece{news: n})
	}
}

// line adds news about the line.
func (i *inbox) line(l bus.Line) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.lines == maxLineReports {
		return
	}
	i.lines++
	i.list = append(i.list, piece{news: bus.News{Line: &l}})
}

// known replaces the list of servers.
func (i *inbox) known(s bus.Servers) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.servers = &s
}

// message adds a message of a server. It reports which server has lost one for it; a server that
// loses this one is the sender.
func (i *inbox) message(sender string, m bus.Message) (lost string, dropped bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.senders[sender]
	if s == nil {
		s = &share{}
		i.senders[sender] = s
	}
	if s.news >= maxSenderNews {
		return sender, true
	}
	if i.messages >= maxMessages {
		most := i.most()
		if i.senders[most].news <= s.news {
			return sender, true
		}
		i.drop(most)
		lost, dropped = most, true
	}
	s.news++
	i.messages++
	i.list = append(i.list, piece{news: bus.News{Message: &m}, sender: sender})
	return lost, dropped
}

// most returns the sender with the most messages.
func (i *inbox) most() (most string) {
	n := -1
	for name, s := range i.senders {
		if s.news > n || s.news == n && name < most {
			most, n = name, s.news
		}
	}
	return most
}

// drop drops the newest message of a sender.
func (i *inbox) drop(sender string) {
	for at := len(i.list) - 1; at >= 0; at-- {
		if p := i.list[at]; p.news.Message != nil && p.sender == sender {
			i.list = append(i.list[:at], i.list[at+1:]...)
			i.senders[sender].news--
			i.messages--
			return
		}
	}
}
