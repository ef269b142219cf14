package fakebus

import (
	"slices"
	"time"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A World has the servers of a fleet and its centre.
type World struct {
	// Refuses is why the store takes no batch, such as a full disk; "" takes them.
	Refuses string
	// Part is how many values of a mod a server hears of at once, when it reads all of them; 0: of
	// all.
	Part int
	// Early lets a server hear of its own change before the outcome of its batch. Both orders
	// happen.
	Early bool

	delay   time.Duration
	now     time.Duration
	events  []event // by time, then in order
	members []*Member
	down    bool // the centre is away
	lives   map[string]*life
	stale   bool // not all servers have been told yet who lives
	buckets map[bus.Bucket]*bucket
}

// An event happens at a time.
type event struct {
	at time.Duration
	do func()
}

// New returns a world without servers. delay is the time between a server and the centre.
func New(delay time.Duration) *World {
	w := &World{delay: delay, lives: map[string]*life{}, buckets: map[bus.Bucket]*bucket{}}
	for i, name := range []bus.Bucket{bus.Shared, bus.Lists} {
		w.buckets[name] = newBucket(bus.Epoch{Count: 1, ID: uint64(i + 1)})
	}
	return w
}

// Advance lets everything happen until now.
func (w *World) Advance(now time.Duration) {
	for len(w.events) > 0 && w.events[0].at <= now {
		e := w.events[0]
		w.events = w.events[1:]
		w.now = max(w.now, e.at)
		e.do()
	}
	w.now = max(w.now, now)
}

// after lets something happen later.
func (w *World) after(d time.Duration, do func()) {
	e := event{w.now + d, do}
	i, _ := slices.BinarySearchFunc(w.events, e, func(a, b event) int {
		if a.at <= b.at {
			return -1 // behind those of the same time
		}
		return 1
	})
	w.events = slices.Insert(w.events, i, e)
}

// Join adds a server, and returns its bus. A name that lives belongs to the key that has it.
// Without a centre, the server joins with a line that is down.
func (w *World) Join(self bus.Server) (*Member, error) {
	m := &Member{world: w, self: self, follows: map[bus.Group]bus.Follow{}, asked: map[uint64]bool{}, answers: map[uint64]bus.Outcome{}, writes: map[place]result{}}
	if !w.down {
		if err := w.claim(m); err != nil {
			return nil, err
		}
	}
	w.members = append(w.members, m)
	m.line("")
	m.catchUp()
	return m, nil
}

// Open is Join for the config of a server.
func (w *World) Open(self bus.Server) (bus.Bus, error) {
	m, err := w.Join(self)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Cut takes the line of a server away. Heal brings it back.
func (w *World) Cut(name string) {
	for _, m := range w.named(name) {
		m.cut = true
		m.line("the line to the fleet is cut")
	}
}

// Heal brings the line of a server back.
func (w *World) Heal(name string) {
	for _, m := range w.named(name) {
		m.cut = false
		m.line("")
		m.catchUp()
	}
}

// Kill ends a server without a word. The others notice when its presence is old.
func (w *World) Kill(name string) {
	for _, m := range w.named(name) {
		m.gone = true
	}
}

// Die takes the centre away, with its presence, which is in memory. It keeps the values.
func (w *World) Die() {
	w.down = true
	clear(w.lives)
	for _, m := range w.members {
		m.line("the fleet does not answer")
	}
}

// Revive brings the centre back.
func (w *World) Revive() {
	w.down = false
	for _, m := range w.members {
		m.line("")
		m.catchUp()
	}
}

// Tell gives a server news, as a hostile centre does.
func (w *World) Tell(name string, n bus.News) {
	for _, m := range w.named(name) {
		m.tell(n)
	}
}

// named returns the living members with a name.
func (w *World) named(name string) (list []*Member) {
	for _, m := range w.members {
		if !m.gone && m.self.Name == name {
			list = append(list, m)
		}
	}
	return list
}
