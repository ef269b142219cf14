package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// letter is an event of the tests. Its text says whether Serialize refuses it.
type letter struct {
	text string
	got  func(*engine.Connection, string)
}

func (l *letter) Serialize(s *bitstream.Codec) {
	s.Text(&l.text, engine.MaxCustomEvent)
	if s.Reading() == (l.text == "unreadable") && strings.HasPrefix(l.text, "un") {
		s.Fail(errors.New("refused"))
	}
}

func (l *letter) Receive(c *engine.Connection) { l.got(c, l.text) }

// order is an event that only servers send.
type order struct{ letter }

// letters returns the kinds of the tests, and what arrives.
func letters(arrived *[]string) func(*engine.Config) {
	return func(c *engine.Config) {
		got := func(c *engine.Connection, text string) {
			*arrived = append(*arrived, fmt.Sprint(c.Host().IsServer(), " ", text))
		}
		c.Events = []engine.CustomKind{
			{Name: "order", From: engine.FromServer, New: func() engine.CustomEvent { return &order{letter{got: got}} }},
			{Name: "letter", New: func() engine.CustomEvent { return &letter{got: got} }},
		}
	}
}

// TestCustomEvents sends events of a program both ways: in order, once, in a tick, and only in
// their direction. A change that is rolled back sends none.
func TestCustomEvents(t *testing.T) {
	var arrived []string
	line := enginetest.Options{Seed: 3, Both: letters(&arrived)}
	line.Up.Loss, line.Down.Loss = 0.2, 0.2
	r := enginetest.New(t, line)
	r.Join()
	server, client := r.Peer(0), r.Clients[0].Host.Server()
	send := func(c *engine.Connection, e engine.CustomEvent) {
		sent, err := c.SendEvent(e)
		require.NoError(t, err)
		require.True(t, sent)
	}
	var want []string
	for i := range 20 {
		text := fmt.Sprint(i, strings.Repeat("x", i*100)) // some take more than a packet
		send(server, &order{letter{text: text}})
		want = append(want, "false "+text)
	}
	assert.Empty(t, arrived)
	r.Until(20*time.Second, func() bool { return len(arrived) == len(want) })
	assert.Equal(t, want, arrived)

	arrived = nil
	send(client, &letter{text: "up"})
	change := r.Server.World().Begin()
	send(server, &letter{text: "rolled back"})
	change.Rollback()
	change = r.Server.World().Begin()
	send(server, &letter{text: "kept"})
	change.Commit()
	r.Run(2 * time.Second)
	assert.ElementsMatch(t, []string{"true up", "false kept"}, arrived)

	for _, c := range []struct {
		from  *engine.Connection
		event engine.CustomEvent
		want  string
	}{
		{client, &order{}, "the event order comes from the other side"},
		{server, &letter{text: "unwritable"}, "the event letter is invalid, or longer than 4096 bytes: refused"},
		{server, &letter{text: strings.Repeat("\xf0", 4096)}, "the event letter is invalid, or longer than 4096 bytes: "},
		{server, new(wave), "the event has no kind in Config.Events"},
	} {
		sent, err := c.from.SendEvent(c.event)
		assert.ErrorContains(t, err, c.want)
		assert.False(t, sent)
	}
	send(client, &letter{text: "unreadable"})
	r.Run(time.Second)
	assert.Empty(t, r.Server.Connections(), "a malformed event ends the connection")
	sent, err := client.SendEvent(&letter{text: "late"})
	assert.NoError(t, err)
	assert.False(t, sent)
}

// busyScripts have no time for postponable work.
type busyScripts struct {
	*enginetest.Story
	busy bool
}

func (b *busyScripts) Busy() bool { return b.busy }

// TestCustomEventsWaitForScripts: events run in a tick, and wait like commands while scripts have
// no time.
func TestCustomEventsWaitForScripts(t *testing.T) {
	var arrived []string
	r := enginetest.New(t, enginetest.Options{Both: letters(&arrived)})
	r.Join()
	scripts := &busyScripts{r.Server.Story, true}
	r.Server.Host.SetScripts(scripts)
	_, err := r.Clients[0].Host.Server().SendEvent(&letter{text: "up"})
	require.NoError(t, err)
	r.Run(time.Second)
	assert.Empty(t, arrived)
	scripts.busy = false
	r.Run(engine.TickTime)
	assert.Equal(t, []string{"true up"}, arrived)
}

// TestCustomEventsAreCommands: events beyond the rate of commands are dropped, and those of a
// spectator, too.
func TestCustomEventsAreCommands(t *testing.T) {
	var arrived []string
	r := enginetest.New(t, enginetest.Options{Both: letters(&arrived)})
	r.Join()
	client := r.Clients[0].Host.Server()
	for range 300 {
		_, err := client.SendEvent(&letter{text: "again"})
		require.NoError(t, err)
	}
	r.Run(time.Second)
	stats := r.Peer(0).Commands.Stats
	assert.Greater(t, stats.RefusedCommands, 100)
	assert.Equal(t, 300, stats.RefusedCommands+len(arrived))
}

// TestCheckEvents names what is wrong with the kinds of a program.
func TestCheckEvents(t *testing.T) {
	one := func() engine.CustomEvent { return new(letter) }
	two := func() engine.CustomEvent { return new(order) }
	many := make([]engine.CustomKind, engine.MaxCustomKinds+1)
	for want, kinds := range map[string][]engine.CustomKind{
		`event kind "no name": it needs a name of 1 to 64 letters, digits and _, and New`: {{Name: "no name", New: one}},
		`event kind "a": it needs a name of 1 to 64 letters, digits and _, and New`:       {{Name: "a"}},
		`event kind a: its name or its Go type is that of another kind`:                   {{Name: "a", New: one}, {Name: "a", New: two}},
		`event kind b: its name or its Go type is that of another kind`:                   {{Name: "a", New: one}, {Name: "b", New: one}},
		`129 kinds of events: must be at most 128`:                                        many,
	} {
		assert.EqualError(t, engine.CheckEvents(kinds), want)
	}
	assert.NoError(t, engine.CheckEvents([]engine.CustomKind{{Name: "camera", New: one}, {Name: "b", New: two}}), "the engine's names are free")
}
