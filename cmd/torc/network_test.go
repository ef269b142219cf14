package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// networkDir is the example of a network.
const networkDir = "../../examples/network"

// TestNetworkMods checks and tests the mods of examples/network.
func TestNetworkMods(t *testing.T) {
	for _, name := range []string{"hub", "rounds"} {
		dir := filepath.Join(networkDir, "mods", name)
		code, out, bad := runTorc("mod", "check", dir)
		require.Equal(t, ended, code, "%s%s", out, bad)
		assert.Empty(t, out)
		code, out, bad = runTorc("mod", "test", dir)
		require.Equal(t, ended, code, "%s%s", out, bad)
		assert.NotContains(t, out, name+": 0 passed")
	}
}
