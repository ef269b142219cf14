package netcore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// net.log 3 shows every event, at both ends alike.
func TestEveryEventIsLogged(t *testing.T) {
	var lines []string
	log := &netcore.Log{Level: netcore.LogItems, Print: func(line string) { lines = append(lines, line) }}
	ka, kb := seal.TestPairs(1)
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
