package natsfleet

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/fleet/fakebus"
)

// A fleetOf makes members of one fleet.
type fleetOf func(name string) *member

// scenarios are what every bus must do. They run on NATS, and on the fake with which other tests
// play.
var scenarios = map[string]func(t *testing.T, join fleetOf){
	"a value reaches the others":      valueReaches,
	"a store that is shared":          storeReaches,
	"the revision that was seen":      seenRevision,
	"a deleted key":                   deletedKey,
	"a chain of writes":               chainOfWrites,
	"another epoch":                   anotherEpoch,
	"messages, questions and answers": conversation,
	"who lives":                       whoLives,
	"batches that are all or none":    allOrNone,
}

// TestBusesConform plays the scenarios on both.
func TestBusesConform(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		for name, play := range scenarios {
			t.Run(name, func(t *testing.T) {
				w := fakebus.New(time.Millisecond)
				now := time.Duration(0)
				pause := func() { now += time.Millisecond; w.Advance(now) }
				play(t, func(name string) *member { return enter(t, w.Open, pause, name) })
			})
		}
	})
	t.Run("NATS", func(t *testing.T) {
		c := natstest.New(t, natstest.Options{})
		at := 0
		for name, play := range scenarios {
			at++
			config := Config{URLs: c.URLs, Prefix: "fleet-" + string(rune('a'+at))}
			t.Run(name, func(t *testing.T) {
				play(t, func(name string) *member { return enter(t, config.Open, testenv.Pause, name) })
			})
		}
	})
}

// storeReaches plays with the group of a mod whose store is shared (fleet.shareStore).
func storeReaches(t *testing.T, join fleetOf) {
	store := bus.Group{Bucket: bus.Shared, Name: strings.Repeat("m", 32) + "-store"}
	a, b := join("a").follow(store), join("b").follow(store)
	a.must(store, set("n", "1", 0))
	b.until("sees the value", func() bool { return b.text(store, "n") == "1" })
}

func valueReaches(t *testing.T, join fleetOf) {
	a, b := join("a").follow(coins), join("b").follow(coins)
	assert.Equal(t, a.loaded[coins].Epoch, b.loaded[coins].Epoch)
	assert.Empty(t, a.loaded[coins].Values)
	rev := a.must(coins, set("n", "1", 0))[0]
	for _, m := range []*member{a, b} {
		m.until("sees it", func() bool { return m.text(coins, "n") == "1" })
		assert.Equal(t, bus.Value{Key: "n", Data: []byte("1"), Rev: rev, Owner: "a"}, m.values[coins]["n"])
	}
	late := join("c").follow(coins)
	assert.Equal(t, []bus.Value{{Key: "n", Data: []byte("1"), Rev: rev, Owner: "a"}}, late.loaded[coins].Values)
	assert.GreaterOrEqual(t, late.loaded[coins].Last, rev)
}

func seenRevision(t *testing.T, join fleetOf) {
	a, b := join("a").follow(coins), join("b").follow(coins)
	first := a.must(coins, set("n", "1", 0))[0]
	second := b.must(coins, set("n", "2", first))[0]
	assert.Greater(t, second, first)
	for _, base := range []bus.Revision{0, first, second + 10} {
		out := a.outcome(a.commit(coins, set("n", "3", base)))
		assert.True(t, out.Conflict, "%d", base)
		assert.NotEmpty(t, out.Err)
		assert.Empty(t, out.Revs)
	}
	a.must(coins, set("n", "3", second))
}

func deletedKey(t *testing.T, join fleetOf) {
	a, b := join("a").follow(coins), join("b").follow(coins)
	rev := a.must(coins, set("n", "1", 0))[0]
	gone := a.must(coins, bus.Write{Key: "n", Base: rev})[0]
	b.until("sees it go", func() bool { b.take(); return b.values[coins]["n"].Rev == gone })
	assert.Nil(t, b.values[coins]["n"].Data)
	late := join("c").follow(coins)
	assert.Empty(t, late.loaded[coins].Values)
	again := late.must(coins, set("n", "2", 0))[0]
	assert.True(t, b.outcome(b.commit(coins, set("n", "3", gone))).Conflict)
	b.until("sees the new one", func() bool { return b.text(coins, "n") == "2" })
	assert.Equal(t, again, b.values[coins]["n"].Rev)
	a.must(coins, bus.Write{Key: "never", Base: 0})
}

func chainOfWrites(t *testing.T, join fleetOf) {
	a, b := join("a").follow(coins), join("b").follow(coins)
	chain := func(base bus.Revision) (list []bus.Outcome) {
		begin := a.commit(coins, set("n", "1", base))
		for range 3 {
			w := set("n", "2", base)
			w.Chained = true
			a.commit(coins, w)
		}
		for n := begin; n <= a.number; n++ {
			list = append(list, a.outcome(n))
		}
		return list
	}
	var last bus.Revision
	for _, out := range chain(0) {
		require.Empty(t, out.Err)
		assert.Greater(t, out.Revs[0], last)
		last = out.Revs[0]
	}
	b.must(coins, set("n", "9", last))
	for _, out := range chain(last) {
		assert.True(t, out.Conflict)
	}
	a.until("sees the winner", func() bool { return a.text(coins, "n") == "9" })
}

func anotherEpoch(t *testing.T, join fleetOf) {
	a := join("a").follow(coins)
	a.loaded[coins].Epoch.ID++
	assert.True(t, a.outcome(a.commit(coins, set("n", "1", 0))).Conflict)
}

func allOrNone(t *testing.T, join fleetOf) {
	a, b := join("a").follow(coins), join("b").follow(coins)
	revs := a.must(coins, set("m", "1", 0), set("n", "1", 0))
	assert.Greater(t, revs[1], revs[0])
	b.must(coins, set("n", "2", revs[1]))
	assert.True(t, a.outcome(a.commit(coins, set("m", "3", revs[0]), set("n", "3", revs[1]))).Conflict)
	fresh := join("c").follow(coins)
	assert.Equal(t, "1", fresh.text(coins, "m"))
	assert.Equal(t, "2", fresh.text(coins, "n"))
}

func conversation(t *testing.T, join fleetOf) {
	a, b, c := join("a"), join("b"), join("c")
	meet(a, b, c)
	a.bus.Do(bus.Send{Note: note("hello", "all")})
	a.bus.Do(bus.Send{To: "b", Note: note("hello", "you")})
	b.until("hears both", func() bool { return len(b.messages) == 2 })
	c.until("hears one", func() bool { return len(c.messages) == 1 })
	assert.Equal(t, bus.Message{From: "a", Note: note("hello", "you")}, b.messages[1])
	a.bus.Do(bus.Ask{To: "b", Number: 5, Note: note("seat", "ann")})
	b.until("is asked", func() bool { return len(b.messages) == 3 })
	assert.Equal(t, bus.Message{From: "a", Question: true, Number: 5, Note: note("seat", "ann")}, b.messages[2])
	b.bus.Do(bus.Answer{To: "a", Number: 5, Value: []byte("yes")})
	a.until("is answered", func() bool { return len(a.replies) == 1 })
	assert.Equal(t, bus.Reply{Number: 5, Value: []byte("yes")}, a.replies[5])
	a.bus.Do(bus.Ask{To: "c", Number: 6, Note: note("seat", "ann")})
	a.until("gives up", func() bool { return len(a.replies) == 2 })
	assert.Equal(t, bus.Reply{Number: 6, Err: "c does not answer"}, a.replies[6])
	c.until("was asked", func() bool { return len(c.messages) == 2 })
}

func whoLives(t *testing.T, join fleetOf) {
	a, b := join("a"), join("b")
	a.bus.Do(bus.Present{Server: bus.Server{Name: "a", Key: keyOf("a"), Title: "Arena", Mods: []string{"ctf"}}})
	b.until("sees a", func() bool { b.take(); return len(b.servers) == 1 && b.servers[0].Title == "Arena" })
	assert.Equal(t, []bus.Server{{Name: "a", Key: keyOf("a"), Title: "Arena", Mods: []string{"ctf"}}}, b.servers)
	require.NoError(t, a.bus.Close(closeTime))
	b.until("sees a leave", func() bool { b.take(); return len(b.servers) == 0 })
}
