package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// networkDir is the example of a network.
const networkDir = "../../examples/network"

// TestNetworkMods checks and tests the mods of examples/network.
func TestNetworkMods(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hub", "rounds", "coins"} {
		dir := filepath.Join(networkDir, "mods", name)
		code, out, bad := runTorc("mod", "check", dir)
		require.Equal(t, ended, code, "%s%s", out, bad)
		assert.Empty(t, out)
		code, out, bad = runTorc("mod", "test", dir)
		require.Equal(t, ended, code, "%s%s", out, bad)
		assert.NotContains(t, out, name+": 0 passed")
	}
}

// service is a part of compose.yml.
type service struct {
	image, entrypoint, network, restart string
	volumes, command                    []string
}

// composeServices reads compose.yml, in the form in which this repository has it: one list or value
// a line.
func composeServices(t *testing.T) map[string]*service {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(networkDir, "compose.yml"))
	require.NoError(t, err)
	all := map[string]*service{}
	var s *service
	var list *[]string
	_, body, found := strings.Cut(string(text), "\nservices:\n")
	require.True(t, found)
	for _, line := range strings.Split(strings.TrimRight(body, "\n"), "\n") {
		word := strings.TrimLeft(line, " ")
		key, value, _ := strings.Cut(word, ":")
		value = strings.TrimSpace(value)
		switch indent := len(line) - len(word); {
		case indent == 6:
			require.True(t, strings.HasPrefix(word, "- "), line)
			*list = append(*list, strings.Trim(word[2:], `"`))
		case indent == 4 && key == "volumes":
			list = &s.volumes
		case indent == 4 && key == "command":
			list = &s.command
		case indent == 4 && key == "image":
			s.image = value
		case indent == 4 && key == "entrypoint":
			s.entrypoint = value
		case indent == 4 && key == "network_mode":
			s.network = value
		case indent == 4 && key == "restart":
			s.restart = value
		case indent == 4 && (key == "user" || key == "stop_grace_period"):
		case indent == 2:
			s = new(service)
			all[key] = s
		default:
			require.Fail(t, "compose.yml: an unknown line", line)
		}
	}
	return all
}
