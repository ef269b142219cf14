package serverlist

import (
	"cmp"
	"container/heap"
	"io"
	"net/netip"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	registeredTime = 30 * time.Second // as long as a registration lasts at the rendezvous
	askAgain       = time.Minute
	askFirst       = 5 * time.Second // after a first query without an answer; then twice as long each time
	askTime        = 2 * time.Second // for an answer, with repetitions
	maxServers     = 16384
	maxAsked       = 512 // at once
)

// Config is what a List needs.
type Config struct {
	Entropy io.Reader
	Began   int64  // the Unix time at the time 0, in seconds
	Via     string // HOST:PORT of the rendezvous, for clients; without HOST the host of the list
	// Hidden says which servers are not shown; nil shows all.
	Hidden func(key seal.Key, at netip.Addr) bool
	// Resolve finds the addresses of a name for the server at an address, and calls done later, on
	// the goroutine of the list. It returns false if too many are sought. nil: links have no names.
	Resolve func(at netip.Addr, host string, done func([]netip.Addr)) bool
}

// A List is the servers of a rendezvous that want to be listed.
type List struct {
	cfg    Config
	byKey  map[seal.Key]*record
	queue  queue                    // of those that are not asked now, by due
	asked  []*record                // those that are asked now
	byAddr map[netcore.Addr]*record // the same, by the address asked

	expired netcore.Time // when all were last looked at
}

// New returns an empty list.
func New(cfg Config) *List {
	return &List{cfg: cfg, byKey: map[seal.Key]*record{}, byAddr: map[netcore.Addr]*record{}}
}

// Heard notes that a server is registered, and whether it wants to be listed. The rendezvous has
// proven its key and its address.
func (l *List) Heard(now netcore.Time, key seal.Key, at netcore.Addr, public bool) {
	r := l.byKey[key]
	if r != nil {
		if _, registered := r.address(now); !registered || !public {
			l.drop(r)
			r = nil
		}
	}
	switch {
	case !public:
		return
	case r == nil:
		if len(l.byKey) >= maxServers && now >= l.expired+time.Second { // strangers cannot make it look each time
			l.expire(now)
		}
		if len(l.byKey) >= maxServers {
			return
		}
		r = &record{key: key, since: now, due: now, wait: askFirst, index: -1, entry: Entry{Key: key, Via: l.cfg.Via}}
		l.byKey[key] = r
		heap.Push(&l.queue, r)
	}
	r.heard(now, at)
}

// drop forgets a server.
func (l *List) drop(r *record) {
	delete(l.byKey, r.key)
	if r.index >= 0 {
		heap.Remove(&l.queue, r.index)
	}
	if r.search != nil {
		l.end(r)
	}
}

// end ends the query of a server.
func (l *List) end(r *record) {
	r.search = nil
	delete(l.byAddr, r.asked)
	l.asked = slices.DeleteFunc(l.asked, func(o *record) bool { return o == r })
}

// expire forgets the servers that are no longer registered.
func (l *List) expire(now netcore.Time) {
	l.expired = now
	for _, r := range l.byKey { // any order: each is looked at alone
		if _, registered := r.address(now); !registered {
			l.drop(r)
		}
	}
}

// Send passes on the queries that are due.
func (l *List) Send(now netcore.Time, out func(to netcore.Addr, b []byte)) {
	for len(l.queue) > 0 && l.queue[0].due <= now && len(l.asked) < maxAsked {
		l.ask(now, heap.Pop(&l.queue).(*record))
	}
	for _, r := range slices.Clone(l.asked) {
		if now >= r.deadline {
			l.silent(now, r)
			continue
		}
		if now >= r.search.Due() {
			r.search.Send(now, func(_ netcore.Addr, b []byte) { out(r.asked, b) })
		}
	}
}

// Due returns when Send next has something to do.
func (l *List) Due() netcore.Time {
	due := netcore.Never
	if len(l.queue) > 0 && len(l.asked) < maxAsked {
		due = l.queue[0].due
	}
	for _, r := range l.asked {
		due = min(due, r.deadline, r.search.Due())
	}
	return due
}

// ask begins to ask a server. Only one query to an address is under way.
func (l *List) ask(now netcore.Time, r *record) {
	at, registered := r.address(now)
	if !registered {
		l.drop(r)
		return
	}
	search, err := query.NewSearch(now, l.cfg.Entropy, at)
	if err != nil || l.byAddr[at] != nil {
		l.later(r, now+askFirst)
		return
	}
	r.search, r.asked, r.deadline = search, at, now+askTime
	l.asked = append(l.asked, r)
	l.byAddr[at] = r
}

// later puts a server into the queue.
func (l *List) later(r *record, due netcore.Time) {
	r.due = due
	heap.Push(&l.queue, r)
}

// silent ends a query without an answer. The numbers that are known stay, marked as old.
func (l *List) silent(now netcore.Time, r *record) {
	l.end(r)
	r.entry.Old = true
	if r.known {
		l.later(r, now+askAgain)
		return
	}
	l.later(r, now+r.wait)
	r.wait = min(2*r.wait, askAgain)
}

// Receive handles the answer to a query.
func (l *List) Receive(now netcore.Time, from netcore.Addr, b []byte) {
	r := l.byAddr[from.Remote()]
	if r == nil {
		return
	}
	r.search.Receive(now, from, b)
	found := r.search.Found()
	if len(found) == 0 {
		return
	}
	if found[0].Info.Key != r.key {
		l.silent(now, r) // another server has this address now
		return
	}
	l.end(r)
	l.answered(now, r, &found[0].Info)
	l.later(r, now+askAgain)
}

// answered takes an answer.
func (l *List) answered(now netcore.Time, r *record, info *query.Info) {
	r.known = true
	r.entry.answered(info)
	r.entry.Seen, r.entry.Old = l.cfg.Began+int64(now/time.Second), false
	host := r.linkOf(now, info.Web)
	if host == "" || l.cfg.Resolve == nil {
		return
	}
	at, _ := r.address(now)
	r.waits = l.cfg.Resolve(at.AddrPort().Addr(), host, func(addrs []netip.Addr) { r.named(now, host, addrs) })
}

// Entries returns the servers of the list in its order: by players, at most 64 of which count, then
// by the time in the list.
func (l *List) Entries(now netcore.Time) []Entry {
	l.expire(now)
	var shown []*record
	for _, r := range l.byKey { // any order: they are sorted
		at, _ := r.address(now)
		r.entry.Address = at.AddrPort()
		if r.known && (l.cfg.Hidden == nil || !l.cfg.Hidden(r.key, at.AddrPort().Addr())) {
			shown = append(shown, r)
		}
	}
	slices.SortFunc(shown, func(a, b *record) int {
		return cmp.Or(cmp.Compare(b.entry.counted(), a.entry.counted()), cmp.Compare(a.since, b.since), slices.Compare(a.key[:], b.key[:]))
	})
	all := make([]Entry, len(shown))
	for i, r := range shown {
		all[i] = r.entry
	}
	return all
}

// Servers returns the number of servers that want to be listed.
func (l *List) Servers() int { return len(l.byKey) }

// queue is a heap of records, the one that is due first at the top.
type queue []*record

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due < q[j].due }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index = i
	q[j].index = j
}

func (q *queue) Push(x any) {
	r := x.(*record)
	r.index = len(*q)
	*q = append(*q, r)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	r := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	r.index = -1
	return r
}
