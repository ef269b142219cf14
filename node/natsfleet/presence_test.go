package natsfleet

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// present tells the fleet about a member.
func (m *member) present(s bus.Server) {
	s.Name, s.Key, s.Address = m.name, keyOf(m.name), "192.0.2.1:28000"
	m.bus.Do(bus.Present{Server: s})
}

func (m *member) names() (list []string) {
	m.take()
	for _, s := range m.servers {
		list = append(list, s.Name)
	}
	return list
}

// TestServersSeeEachOther plays who comes, changes, leaves and dies.
func TestServersSeeEachOther(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b := join(t, config(c), "arena-1"), join(t, config(c), "arena-2")
	look := join(t, config(c), "")
	tells := bus.Server{
		Title: "Arena", Mission: "valley", Mods: []string{"base", "ctf"}, Web: "https://a.example/", Metrics: "192.0.2.1:9100",
		Players: 3, Bots: 1, Max: 32, Draining: true, Own: map[string][]byte{"ctf": []byte("red 2")},
	}
	b.until("sees arena-1", func() bool { a.keeps(tells); return len(b.names()) == 1 })
	tells.Name, tells.Key, tells.Address = "arena-1", keyOf("arena-1"), "192.0.2.1:28000"
	assert.Equal(t, []bus.Server{tells}, b.servers)
	assert.Empty(t, a.names(), "a server does not see itself, and nobody who only has a name")

	look.until("sees both", func() bool { a.keeps(tells); b.keeps(bus.Server{}); return len(look.names()) == 2 })
	assert.Equal(t, []string{"arena-1", "arena-2"}, look.names())

	seen := len(look.news)
	b.present(bus.Server{})
	b.present(bus.Server{Players: 1})
	look.until("sees the player", func() bool {
		a.keeps(tells)
		b.keeps(bus.Server{Players: 1})
		return len(look.names()) == 2 && look.servers[1].Players == 1
	})
	assert.LessOrEqual(t, len(look.news)-seen, 2, "what is not new is no news")

	require.NoError(t, b.bus.Close(closeTime))
	look.until("sees arena-2 leave", func() bool { return len(look.names()) == 1 })

	// A server that says nothing is gone after 6 s.
	began := time.Now()
	a.present(tells)
	look.until("sees the end of arena-1", func() bool { return len(look.names()) == 0 })
	assert.GreaterOrEqual(t, time.Since(began), bus.GoneAfter-time.Second)
}

// TestANameHasOneOwner: the name of a server that lives refuses a start; the same server takes it
// over.
func TestANameHasOneOwner(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1")
	_, err := config(c).Open(bus.Server{Name: "arena-1", Key: keyOf("other")})
	require.ErrorContains(t, err, "the name arena-1 is taken in the fleet, by a server with the key "+keyOf("arena-1").Fingerprint())
	_, err = config(c).Open(bus.Server{Name: "Arena", Key: keyOf("other")})
	require.ErrorContains(t, err, `"Arena" is not the name of a server`)

	again := join(t, config(c), "arena-1") // after kill -9, a process of the same server
	again.present(bus.Server{Title: "second"})
	look := join(t, config(c), "")
	look.until("sees the second", func() bool { return len(look.names()) == 1 && look.servers[0].Title == "second" })
	a.present(bus.Server{Title: "first"})
	a.until("is told", func() bool {
		a.take()
		return len(a.warned) > 0 && strings.Contains(a.warned[len(a.warned)-1], "is taken")
	})
	assert.Equal(t, "second", look.servers[0].Title)

	require.NoError(t, again.bus.Close(closeTime))
	join(t, config(c), "arena-1") // the name is free at once
}

// TestNobodyIsGoneWhileTheFleetIsDeaf: while NATS takes nothing of this server, it takes nothing of
// others, and they can live.
func TestNobodyIsGoneWhileTheFleetIsDeaf(t *testing.T) {
	b := &fleetBus{in: newInbox()}
	b.line, b.tally = newLine(b), newTally(b)
	b.line.up = true
	p := newPresence(b)
	now := time.Now()
	other := sign{Server: bus.Server{Name: "arena-2", Key: keyOf("arena-2")}}
	p.note(other, now)
	p.told = now
	for range 20 { // the bucket has no leader
		now = now.Add(time.Second)
		p.age(now)
	}
	assert.True(t, p.lives("arena-2"))
	for range 6 {
		now = now.Add(time.Second)
		p.told = now
		p.age(now)
	}
	assert.True(t, p.lives("arena-2"), "all have 6 s from now on")
	now = now.Add(time.Second)
	p.told = now
	p.age(now)
	assert.False(t, p.lives("arena-2"))
}
