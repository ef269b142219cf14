package natsfleet

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A member is a server of a fleet as its loop sees it: it counts batches, and keeps the newest
// values.
type member struct {
	t     testing.TB
	bus   bus.Bus
	name  string
	pause func() // between two looks

	told     time.Time // when keeps has last told the fleet of the member
	number   uint64
	outcomes map[uint64]bus.Outcome
	loaded   map[bus.Group]*bus.Loaded // the last part
	more     map[bus.Group]bool        // other parts follow
	values   map[bus.Group]map[string]bus.Value
	servers  []bus.Server
	messages []bus.Message
	replies  map[uint64]bus.Reply
	line     bus.Line
	warned   []string
	news     []bus.News
}

func keyOf(name string) (k seal.Key) {
	copy(k[:], name+"################################")
	return k
}

func config(c *natstest.Cluster) Config { return Config{URLs: c.URLs} }

func join(t testing.TB, c Config, name string) *member {
	t.Helper()
	return enter(t, c.Open, testenv.Pause, name)
}

// enter joins a fleet of any kind.
func enter(t testing.TB, open func(bus.Server) (bus.Bus, error), pause func(), name string) *member {
	t.Helper()
	b, err := open(bus.Server{Name: name, Key: keyOf(name)})
	require.NoError(t, err)
	m := &member{
		t: t, bus: b, name: name, pause: pause, outcomes: map[uint64]bus.Outcome{}, loaded: map[bus.Group]*bus.Loaded{}, more: map[bus.Group]bool{},
		values: map[bus.Group]map[string]bus.Value{}, replies: map[uint64]bus.Reply{},
	}
	t.Cleanup(func() { _ = b.Close(closeTime) })
	return m
}

const closeTime = 3 * time.Second

// take takes the news.
func (m *member) take() {
	for _, n := range m.bus.Take() {
		m.news = append(m.news, n)
		switch {
		case n.Line != nil:
			m.line = *n.Line
			if n.Line.Warn != "" {
				m.warned = append(m.warned, n.Line.Warn)
			}
		case n.Servers != nil:
			m.servers = n.Servers.List
		case n.Message != nil:
			m.messages = append(m.messages, *n.Message)
		case n.Reply != nil:
			m.replies[n.Reply.Number] = *n.Reply
		case n.Loaded != nil:
			m.load(n.Loaded)
		case n.Changed != nil:
			m.values[n.Changed.Group][n.Changed.Key] = n.Changed.Value
		case n.Outcome != nil:
			m.outcomes[n.Outcome.Number] = *n.Outcome
		}
	}
}

// load takes all values of a group, or a part of them.
func (m *member) load(l *bus.Loaded) {
	if !m.more[l.Group] {
		m.values[l.Group] = map[string]bus.Value{}
	}
	for _, v := range l.Values {
		m.values[l.Group][v.Key] = v
	}
	if m.more[l.Group] = l.More; !l.More {
		m.loaded[l.Group] = l
	}
}

// keeps tells the fleet of the member in time, as a loop does.
func (m *member) keeps(s bus.Server) {
	if now := time.Now(); now.Sub(m.told) >= bus.PresentEvery {
		m.told = now
		m.present(s)
	}
}

// live is a pause of a member that keeps its place in the fleet.
func (m *member) live() {
	m.keeps(bus.Server{})
	testenv.Pause()
}

// until takes news until something holds.
func (m *member) until(what string, holds func() bool) {
	m.t.Helper()
	limit := testenv.Limit(m.t)
	for m.take(); !holds(); m.take() {
		if testenv.Expired(limit) {
			require.FailNow(m.t, "waited in vain", "%s: %s; warned %q", m.name, what, m.warned)
		}
		m.pause()
	}
}

var coins = bus.Group{Bucket: bus.Shared, Name: "coins"}

// follow follows a group until it is loaded.
func (m *member) follow(g bus.Group) *member {
	m.t.Helper()
	m.bus.Do(bus.Follow{Group: g})
	m.until("is loaded", func() bool { return m.loaded[g] != nil })
	return m
}

// commit orders a batch.
func (m *member) commit(g bus.Group, list ...bus.Write) uint64 {
	m.number++
	for i := range list {
		list[i].Group = g
	}
	m.bus.Do(bus.Commit{Batch: bus.Batch{Number: m.number, Epoch: m.loaded[g].Epoch, Writes: list}})
	return m.number
}

// outcome waits for the outcome of a batch.
func (m *member) outcome(number uint64) bus.Outcome {
	m.t.Helper()
	m.until(fmt.Sprint("the outcome of batch ", number), func() bool { _, ok := m.outcomes[number]; return ok })
	return m.outcomes[number]
}

func set(key, data string, base bus.Revision) bus.Write {
	return bus.Write{Key: key, Data: []byte(data), Base: base}
}

// must writes a batch that must succeed.
func (m *member) must(g bus.Group, list ...bus.Write) []bus.Revision {
	m.t.Helper()
	out := m.outcome(m.commit(g, list...))
	require.Empty(m.t, out.Err)
	return out.Revs
}

// text returns a value that the member sees.
func (m *member) text(g bus.Group, key string) string {
	m.take()
	return string(m.values[g][key].Data)
}

// together runs functions at the same time.
func together(list ...func()) {
	var all sync.WaitGroup
	for _, f := range list {
		all.Go(f)
	}
	all.Wait()
}
