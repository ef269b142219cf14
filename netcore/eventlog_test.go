package netcore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
)

// net.log 3 shows every event, at both ends alike.
func TestEveryEventIsLogged(t *testing.T) {
	var lines []string
	log := &netcore.Log{Level: netcore.LogItems, Print: func(line string) { lines = append(lines, line) }}
	ka, kb := netcoretest.Pairs(1)
	a := newCorrespondent(1, there, ka, true, netcore.ConnConfig{Log: log})
	b := newCorrespondent(1, here, kb, false, netcore.ConnConfig{Log: log})
	a.quiet, b.quiet = true, true
	n := netsim.New(1)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, a.events.Post(&letter{tag: netcore.TagRef{Text: tagOf(0, 0)}}, netcore.Post{}))
	n.Run(time.Second, 32*ms)
	assert.Contains(t, lines, "sim:2 <- event letter: 22 bits")
	assert.Contains(t, lines, "sim:1 -> event letter: 22 bits")

	log.Level, lines = netcore.LogLife, nil
	require.NoError(t, a.events.Post(&letter{number: 1, tag: netcore.TagRef{Text: tagOf(0, 1)}}, netcore.Post{}))
	n.Run(2*time.Second, 32*ms)
	assert.Empty(t, lines)
}

// With net.check an event may still be as large as it may be without.
func TestALargeEventUnderCheck(t *testing.T) {
	ka, kb := netcoretest.Pairs(1)
	a := newCorrespondent(1, there, ka, true, netcore.ConnConfig{Check: true})
	b := newCorrespondent(1, here, kb, false, netcore.ConnConfig{Check: true})
	a.quiet, b.quiet = true, true
	n := netsim.New(1)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netcore.LinkParams{}, netcore.LinkParams{})
	large := &letter{class: 1, tag: netcore.TagRef{Text: tagOf(1, 0)}, body: []byte(strings.Repeat("a letter of many pages ", 200))}
	large.body = append(large.body, make([]byte, 30<<10)...)
	require.NoError(t, a.events.Post(large, netcore.Post{Channel: 1}))
	n.Run(5*time.Second, 32*ms)
	_, ended := b.conn.Closed()
	assert.False(t, ended)
	assert.EqualValues(t, 1, b.next[1], "it has come")
}
