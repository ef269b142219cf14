package natsfleet

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

var banned = bus.Group{Bucket: bus.Lists, Name: "bans"}

// fills writes entries into a list, each in the name that owner returns for it.
func (m *member) fills(n int, owner func(i int) string) {
	b := m.bus.(*fleetBus)
	keys := b.buckets[bus.Lists].keys
	for from := 0; from < n; from += bus.MaxWrites {
		var list []*nats.Msg
		for i := from; i < min(n, from+bus.MaxWrites); i++ {
			list = append(list, message(keys.value("bans", fmt.Sprint("flood ", i)), content{owner: owner(i), data: []byte("x")}.encode()))
		}
		_, err := publishBatch(context.Background(), b.nc, list)
		require.NoError(m.t, err)
	}
}

// TestFullListIsShared: a member that fills a list, in its own name or in those of many servers,
// leaves room for the entries of another one, also for those that came last.
func TestFullListIsShared(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	for at, floods := range testenv.Crowds {
		cfg := Config{URLs: c.URLs, Prefix: fmt.Sprint("fleet-", at)}
		evil, honest := join(t, cfg, "evil").follow(banned), join(t, cfg, "honest").follow(banned)
		evil.fills(maxListKeys+3000, func(i int) string { return fmt.Sprint("flood-", i%floods) })
		var list []bus.Write
		for i := range 30 {
			list = append(list, set(fmt.Sprint("key ", i), "cheats", 0))
		}
		honest.must(banned, list...)
		late := join(t, cfg, "late").follow(banned)
		assert.LessOrEqual(t, len(late.values[banned]), maxListKeys, "%d floods", floods)
		assert.Greater(t, len(late.values[banned]), maxListKeys-floods)
		for i := range 30 {
			assert.Equal(t, "cheats", late.text(banned, fmt.Sprint("key ", i)))
		}
		late.until("warns", func() bool { late.take(); return len(late.warned) > 0 })
		assert.Contains(t, late.warned[0], "in the list bans, which has too many")
	}
}

// TestForeignDataInLists: keys and values that no server has written, and entries that are too
// large, are left out and named. The others count.
func TestForeignDataInLists(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(banned)
	b := a.bus.(*fleetBus)
	keys := b.buckets[bus.Lists].keys
	large := bytes.Repeat([]byte("x"), maxListValue+1)
	for subject, data := range map[string][]byte{
		keys.subject("bans.!!"):             []byte("x"),
		keys.value("bans", "text"):          []byte("for ever"),
		keys.value("bans", "large"):         content{owner: "evil", data: large}.encode(),
		keys.value("bans", "named wrongly"): content{owner: "No Name", data: []byte("x")}.encode(),
	} {
		_, err := publish(context.Background(), b.nc, message(subject, data))
		require.NoError(t, err)
	}
	a.must(banned, set("ann", "cheats", 0))
	a.until("sees the ban", func() bool { return a.text(banned, "ann") == "cheats" })
	late := join(t, config(c), "arena-2").follow(banned)
	assert.Len(t, late.values[banned], 1)
	late.until("warns", func() bool { late.take(); return len(late.warned) >= 3 })
	a.must(banned, set("text", "good", 0)) // what is none can be written anew
	late.until("sees it", func() bool { return late.text(banned, "text") == "good" })
}
