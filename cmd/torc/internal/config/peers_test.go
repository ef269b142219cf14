package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// TestPeers reads peers from flags and from the table of the file. Mistakes get one sentence.
func TestPeers(t *testing.T) {
	a, b := seal.Key{1}, seal.Key{2}
	want := []node.Peer{{Name: "a", Address: "h:1", Key: a}, {Name: "b-2", Address: "i:2", Key: b}}
	one, two := "a=h:1#"+a.String(), "b-2=i:2#"+b.String()
	table := write(t, "torc.toml", "name = 'x'\n[peers]\nb-2 = 'i:2#"+b.String()+"'\na = 'h:1#"+a.String()+"'\n")
	for _, args := range [][]string{{"--peer", one, "--peer", two}, {"--peer", one + ", " + two}, {"--config", table}} {
		o, err := parse[*Serve](append([]string{"serve"}, args...), noEnv)
		require.NoError(t, err)
		assert.Equal(t, want, o.Peers)
	}
	for text, why := range map[string]string{
		"[peers]\nA = 'h:1#" + a.String() + "'": `"A" is not the name of a server`,
		"[peers]\na = 'h:1'":                    `a: "h:1" must be HOST:PORT#KEY: the server prints its key at the start`,
		"[peers]\na = 7":                        "torc.toml:2: [peers] a must be text: HOST:PORT#KEY",
		"[peers]\na = 'h:1#x'":                  "key",
		"[peers]\na = 'h:1'\na = 'h:2'":         "torc.toml:3: ",
		"peers = 'a=h:1'":                       `torc.toml:1: "peers" is not a setting`,
	} {
		_, err := parse[*Serve]([]string{"serve", "--config", write(t, "torc.toml", text)}, noEnv)
		require.ErrorContains(t, err, why, text)
		assert.NotContains(t, err.Error(), "\n", text)
	}
	_, err := parse[*Serve]([]string{"serve", "--peer", "a"}, noEnv)
	assert.EqualError(t, err, `--peer "a": "a" must be NAME=HOST:PORT#KEY`)
}
