package natsfleet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

func note(topic, value string) bus.Note {
	return bus.Note{Mod: "chat", Topic: topic, Value: []byte(value)}
}

// meet lets members know each other, so that each has its own limit.
func meet(list ...*member) {
	for _, m := range list {
		m.present(bus.Server{})
	}
	for _, m := range list {
		m.until("sees all others", func() bool {
			for _, o := range list {
				o.keeps(bus.Server{})
			}
			return len(m.names()) == len(list)-1
		})
	}
}

// TestMessagesAndQuestions plays what servers say to each other.
func TestMessagesAndQuestions(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b, d := join(t, config(c), "arena-1"), join(t, config(c), "arena-2"), join(t, config(c), "arena-3")
	meet(a, b, d)
	a.bus.Do(bus.Send{Note: note("hello", "all")})
	a.bus.Do(bus.Send{To: "arena-2", Note: note("hello", "you")})
	b.until("hears both", func() bool { return len(b.messages) == 2 })
	assert.Equal(t, []bus.Message{{From: "arena-1", Note: note("hello", "all")}, {From: "arena-1", Note: note("hello", "you")}}, b.messages)
	d.until("hears one", func() bool { return len(d.messages) == 1 })

	a.bus.Do(bus.Ask{To: "arena-2", Number: 7, Note: note("seat", "ann")})
	b.until("is asked", func() bool { return len(b.messages) == 3 })
	assert.Equal(t, bus.Message{From: "arena-1", Question: true, Number: 7, Note: note("seat", "ann")}, b.messages[2])
	d.bus.Do(bus.Answer{To: "arena-1", Number: 7, Value: []byte("a lie")}) // nobody has asked arena-3
	d.bus.Do(bus.Send{To: "arena-1", Note: note("mark", "")})
	a.until("hears arena-3", func() bool { return len(a.messages) == 1 })
	b.bus.Do(bus.Answer{To: "arena-1", Number: 7, Value: []byte("yes")})
	a.until("has the answer", func() bool { _, ok := a.replies[7]; return ok })
	assert.Equal(t, bus.Reply{Number: 7, Value: []byte("yes")}, a.replies[7])
	b.bus.Do(bus.Answer{To: "arena-1", Number: 7, Value: []byte("again")})

	a.bus.Do(bus.Ask{To: "arena-2", Number: 8, Note: note("seat", "bob")})
	b.until("is asked again", func() bool { return len(b.messages) == 4 })
	b.bus.Do(bus.Answer{To: "arena-1", Number: 8, Err: "no place"})
	a.until("has the refusal", func() bool { _, ok := a.replies[8]; return ok })
	assert.Equal(t, bus.Reply{Number: 8, Value: []byte{}, Err: "no place"}, a.replies[8])
	assert.Equal(t, []byte("yes"), a.replies[7].Value, "the second answer counts for nothing")

	for to, want := range map[string]string{"arena-9": "arena-9 does not answer", "Arena": "no such server"} {
		a.bus.Do(bus.Ask{To: to, Number: 9, Note: note("seat", "")})
		a.until("has an error", func() bool { _, ok := a.replies[9]; return ok })
		assert.Equal(t, want, a.replies[9].Err)
		delete(a.replies, 9)
	}
	assert.Empty(t, append(a.warned[:0:0], b.warned...))
}

// TestReceiversHoldEachSender: who floods loses its own messages.
func TestReceiversHoldEachSender(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, flood, good := join(t, config(c), "arena-1"), join(t, config(c), "flood"), join(t, config(c), "good")
	meet(a, flood, good)
	raw := flood.bus.(*fleetBus).nc
	for i := range 1000 {
		require.NoError(t, raw.Publish("torc.from.flood.to.arena-1", letter{kind: isMessage, Note: note("x", fmt.Sprint(i))}.encode()))
	}
	require.NoError(t, raw.Publish("torc.from.stranger-1.all", letter{kind: isMessage, Note: note("x", "hi")}.encode()))
	require.NoError(t, raw.Flush())
	good.bus.Do(bus.Send{Note: note("x", "honest")})
	from := func(name string) (n int) {
		for _, m := range a.messages {
			if m.From == name {
				n++
			}
		}
		return n
	}
	a.until("hears the honest one", func() bool { a.take(); return from("good") == 1 })
	assert.GreaterOrEqual(t, from("flood"), burst)
	assert.Less(t, from("flood"), 3*burst)
	assert.Equal(t, 1, from("stranger-1"))
	assert.Contains(t, a.warned, "dropped: messages of flood: more than 20 per second")

	long := letter{kind: isMessage, Note: note("x", strings.Repeat("x", bus.MaxNote+1))}.encode()
	require.NoError(t, good.bus.(*fleetBus).nc.Publish("torc.from.good.all", long))
	a.until("drops what is too long", func() bool {
		a.take()
		return a.warned[len(a.warned)-1] == "dropped: messages of good that torc has not written, or longer than 16 KiB"
	})
}

// TestMembersWithPermissionsCannotPose: with permissions of NATS, a member speaks under its own
// name only.
func TestMembersWithPermissionsCannotPose(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{Users: `authorization { users: [
		{ user: one, password: pw },
		{ user: two, password: pw, permissions: { publish: { deny: ["torc.from.one.>", "$KV.torc_servers.one", "$KV.torc_lists.>"] } } },
	] }`})
	as := func(user string) Config {
		return Config{URLs: []string{strings.Replace(c.URLs[0], "//", "//"+user+":pw@", 1)}}
	}
	a, b := join(t, as("one"), "one"), join(t, as("two"), "two").follow(coins)
	meet(a, b)
	raw := b.bus.(*fleetBus).nc
	require.NoError(t, raw.Publish("torc.from.one.all", letter{kind: isMessage, Note: note("x", "I am one")}.encode()))
	require.NoError(t, raw.Publish("torc.from.two.all", letter{kind: isMessage, Note: note("x", "I am two")}.encode()))
	a.until("hears two", func() bool { return len(a.messages) == 1 })
	assert.Equal(t, "two", a.messages[0].From)

	lists := bus.Group{Bucket: bus.Lists, Name: "roles"}
	a.follow(lists) // the first server makes the bucket, so it must be one that can write to it
	b.follow(lists)
	out := b.outcome(b.commit(lists, set("key", "admin", 0)))
	assert.Equal(t, "NATS does not let this server write to torc_lists", out.Err)
	b.must(coins, set("n", "1", 0))
	a.must(lists, set("key", "admin", 0))
	b.until("sees the list", func() bool { return b.text(lists, "key") == "admin" })
	_, err := raw.RequestMsg(&nats.Msg{Subject: "$KV.torc_servers.one"}, requestTime/4)
	require.Error(t, err, "it cannot change the presence of another server")
}
