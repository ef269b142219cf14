package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/enginetest"
)

// TestBoundsOfVariables sets each variable of a host with a range to both ends, and beyond them.
func TestBoundsOfVariables(t *testing.T) {
	c := console.New(func(string) {})
	r := enginetest.New(t, enginetest.Options{})
	require.NoError(t, r.Server.Bind(c))
	for name, x := range map[string]struct{ below, lowest, highest, above string }{
		"net.rate":       {"0.999", "1", "5000", "5000.001"},
		"net.size":       {"99", "100", "1400", "1401"},
		"sv.maxRate":     {"0.999", "1", "5000", "5000.001"},
		"sv.maxSize":     {"99", "100", "1400", "1401"},
		"sv.bandwidth":   {"-0.001", "0", "10000000", "10000001"},
		"sv.timeScale":   {"0.099", "0.1", "4", "4.001"},
		"sv.maxWatchers": {"-1", "0", "1000", "1001"},
		"sv.watchDelay":  {"-0.001", "0", "600", "600.001"},
		"net.timeout":    {"0.999", "1", "3600", "3600.001"},
		"net.log":        {"-1", "0", "3", "4"},
		"net.moves":      {"-1", "0", "30", "31"},
	} {
		require.NoError(t, c.Set(name, x.lowest), name)
		assert.Error(t, c.Set(name, x.below), name)
		require.NoError(t, c.Set(name, x.highest), name)
		assert.Error(t, c.Set(name, x.above), name)
	}
}
