package node_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

var (
	rangeText = regexp.MustCompile(`a (whole number|number|duration) from (\S+) to (\S+)$`)
	pageRange = regexp.MustCompile(`[^0-9.]([0-9][0-9.,]*)–([0-9](?:[0-9.,]*[0-9])?)`)
)

// outside returns the nearest values below and above a range.
func outside(t *testing.T, kind, lo, hi string) (below, above string) {
	if kind == "duration" {
		low, err := time.ParseDuration(lo)
		require.NoError(t, err)
		high, err := time.ParseDuration(hi)
		require.NoError(t, err)
		return (low - 1).String(), (high + 1).String()
	}
	low, err := strconv.ParseFloat(lo, 64)
	require.NoError(t, err)
	high, err := strconv.ParseFloat(hi, 64)
	require.NoError(t, err)
	if kind == "number" {
		return strconv.FormatFloat(math.Nextafter(low, math.Inf(-1)), 'g', -1, 64), strconv.FormatFloat(math.Nextafter(high, math.Inf(1)), 'g', -1, 64)
	}
	return strconv.FormatFloat(low-1, 'f', 0, 64), strconv.FormatFloat(high+1, 'f', 0, 64)
}

// TestVariablesHoldTheirBounds: each variable of a server takes both ends of its range and nothing
// beyond, which changes nothing. docs/console.md names the same ends.
func TestVariablesHoldTheirBounds(t *testing.T) {
	page, err := os.ReadFile("../docs/console.md")
	require.NoError(t, err)
	s := nodetest.StartServer(t, node.Config{})
	c, walked, named := s.Console(), 0, 0
	for _, name := range c.Names() {
		_, v := c.Lookup(name)
		if v == nil {
			continue
		}
		ranged, ok := v.Value.(console.RangedValue)
		if !ok {
			continue
		}
		parts := rangeText.FindStringSubmatch(ranged.Range())
		if parts == nil {
			continue
		}
		walked++
		before := v.Value.String()
		below, above := outside(t, parts[1], parts[2], parts[3])
		for _, wrong := range []string{below, above} {
			assert.Error(t, c.Set(name, wrong), "%s = %s", name, wrong)
			assert.Equal(t, before, v.Value.String(), name)
		}
		for _, end := range parts[2:] {
			if name != "sv.bots" { // a thousand of them take their time
				assert.NoError(t, c.Set(name, end), "%s = %s", name, end)
			}
		}
		require.NoError(t, c.Set(name, before))
		for row := range strings.Lines(string(page)) {
			ends := pageRange.FindStringSubmatch(row)
			if ends != nil && strings.HasPrefix(row, "| `"+name+"` |") {
				named++
				assert.Equal(t, parts[2:], []string{strings.ReplaceAll(ends[1], ",", ""), strings.ReplaceAll(ends[2], ",", "")}, name)
			}
		}
	}
	assert.Greater(t, walked, 20)
	assert.Greater(t, named, 5)
}
