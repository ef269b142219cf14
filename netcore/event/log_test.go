package event_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/event/eventtest"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
)

// net.log 3 logs every event, in the same way at both ends.
func TestEveryEventIsLogged(t *testing.T) {
	var lines []string
	log := &netcore.Log{Level: netcore.LogItems, Print: func(line string) { lines = append(lines, line) }}
	ka, kb := netcoretest.Pairs(1)
	a := eventtest.NewPeer(1, there, ka, true, netcore.ConnConfig{Log: log})
	b := eventtest.NewPeer(1, here, kb, false, netcore.ConnConfig{Log: log})
	a.Quiet, b.Quiet = true, true
	n := netsim.New(1)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, a.Events.Post(&eventtest.Message{Tag: event.TagRef{Text: eventtest.TagOf(0, 0)}}, event.Post{}))
	n.Run(time.Second, 32*ms)
	assert.Contains(t, lines, "sim:2 <- event message: 22 bits")
	assert.Contains(t, lines, "sim:1 -> event message: 22 bits")

	log.Level, lines = netcore.LogConnections, nil
	require.NoError(t, a.Events.Post(&eventtest.Message{Number: 1, Tag: event.TagRef{Text: eventtest.TagOf(0, 1)}}, event.Post{}))
	n.Run(2*time.Second, 32*ms)
	assert.Empty(t, lines)
}

// net.check does not reduce the maximum size of an event.
func TestLargeEventWithCheck(t *testing.T) {
	ka, kb := netcoretest.Pairs(1)
	a := eventtest.NewPeer(1, there, ka, true, netcore.ConnConfig{Check: true})
	b := eventtest.NewPeer(1, here, kb, false, netcore.ConnConfig{Check: true})
	a.Quiet, b.Quiet = true, true
	n := netsim.New(1)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netcore.LinkParams{}, netcore.LinkParams{})
	large := &eventtest.Message{Class: 1, Tag: event.TagRef{Text: eventtest.TagOf(1, 0)}, Body: []byte(strings.Repeat("a message of many pages ", 200))}
	large.Body = append(large.Body, make([]byte, 30<<10)...)
	require.NoError(t, a.Events.Post(large, event.Post{Channel: 1}))
	n.Run(5*time.Second, 32*ms)
	_, ended := b.Conn.Closed()
	assert.False(t, ended)
	assert.EqualValues(t, 1, b.Next[1], "it has come")
}
