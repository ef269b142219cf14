package messages

import (
	"log/slog"
	"slices"
)

// An Incoming is a message or a question of the same mod on another server.
type Incoming struct {
	From     string // name of the server
	Question bool   // it waits for an answer with this number
	Number   uint64
	Note
}

// Limits of the messages that wait for one mod.
const (
	maxWaiting      = 1024
	maxWaitingBytes = 2 << 20
	waitingOverhead = 256 // bytes that a message counts in addition to its value
)

// Receive takes a message for a mod. It reports whether it waits now: one for a mod that is not
// loaded does not, and neither does one that no server can have sent. When too many wait, the
// newest of the server with the most is lost.
func (s *Set) Receive(i Incoming) bool {
	if s.cfg.Runtime.Mod(i.Mod) == nil || i.Check() != nil {
		return false
	}
	box := s.inboxes[i.Mod]
	if box == nil {
		box = &inbox{}
		s.inboxes[i.Mod] = box
	}
	from := box.add(i)
	if from == "" {
		return true
	}
	if s.lost++; !s.told[i.Mod] {
		s.told[i.Mod] = true
		s.cfg.Runtime.Log(slog.LevelWarn, "mod "+i.Mod+" does not keep up with the messages of other servers: the newest of the server with the most are lost",
			"mod", i.Mod, "server", from)
	}
	return from != i.From
}

// Lost returns how many messages were lost because too many waited for a mod.
func (s *Set) Lost() uint64 { return s.lost }

// An inbox is what waits for a mod, by server. The servers take turns.
type inbox struct {
	turns []*sender // those with messages; the first one is next
	count int
	bytes int
}

// A sender is what waits of one server, oldest first.
type sender struct {
	name  string
	queue []Incoming
	bytes int
}

func sizeOf(i *Incoming) int { return waitingOverhead + len(i.Topic) + len(i.Value) }

// add adds a message. If too many wait then, it removes the newest of the server with the most, and
// returns its name.
func (b *inbox) add(i Incoming) (lost string) {
	at := slices.IndexFunc(b.turns, func(s *sender) bool { return s.name == i.From })
	if at < 0 {
		at = len(b.turns)
		b.turns = append(b.turns, &sender{name: i.From})
	}
	from := b.turns[at]
	from.queue = append(from.queue, i)
	b.grow(from, &i, 1)
	for b.count > maxWaiting || b.bytes > maxWaitingBytes {
		lost = b.removeNewest()
	}
	return lost
}

// grow counts a message that has come, or gone with n = -1.
func (b *inbox) grow(s *sender, i *Incoming, n int) {
	size := n * sizeOf(i)
	s.bytes += size
	b.bytes += size
	b.count += n
}

// removeNewest removes the newest message of the server with the most bytes, and returns its name.
func (b *inbox) removeNewest() string {
	most := slices.MaxFunc(b.turns, func(x, y *sender) int { return x.bytes - y.bytes })
	last := len(most.queue) - 1
	b.grow(most, &most.queue[last], -1)
	most.queue[last] = Incoming{}
	most.queue = most.queue[:last]
	if last == 0 {
		b.turns = slices.DeleteFunc(b.turns, func(s *sender) bool { return s == most })
	}
	return most.name
}

// next takes the oldest message of the server whose turn it is.
func (b *inbox) next() (i Incoming, waits bool) {
	if len(b.turns) == 0 {
		return i, false
	}
	s := b.turns[0]
	b.turns = slices.Delete(b.turns, 0, 1)
	i = s.queue[0]
	s.queue[0] = Incoming{}
	s.queue = s.queue[1:]
	b.grow(s, &i, -1)
	if len(s.queue) > 0 {
		b.turns = append(b.turns, s)
	}
	return i, true
}
