package fleet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// TestParsePeer reads the text of a peer, and refuses others with a sentence.
func TestParsePeer(t *testing.T) {
	key := seal.Key{1, 2, 3}
	p, err := ParsePeer("arena-2=[2001:db8::1]:28000#" + key.String())
	require.NoError(t, err)
	assert.Equal(t, Peer{Name: "arena-2", Address: "[2001:db8::1]:28000", Key: key}, p)
	long := strings.Repeat("a", 33)
	for text, why := range map[string]string{
		"":                              `"" must be NAME=HOST:PORT#KEY`,
		"a":                             `"a" must be NAME=HOST:PORT#KEY`,
		"=h:1#" + key.String():          `"" is not the name of a server: 1 to 32 of a-z, 0-9 and -`,
		"Arena=h:1#" + key.String():     `"Arena" is not the name of a server: 1 to 32 of a-z, 0-9 and -`,
		"a_b=h:1#" + key.String():       `"a_b" is not the name of a server: 1 to 32 of a-z, 0-9 and -`,
		"../x=h:1#" + key.String():      `"../x" is not the name of a server: 1 to 32 of a-z, 0-9 and -`,
		long + "=h:1#" + key.String():   `"` + long + `" is not the name of a server: 1 to 32 of a-z, 0-9 and -`,
		"a=h:1":                         `a: "h:1" must be HOST:PORT#KEY: the server prints its key at the start`,
		"a=h#" + key.String():           `a: "h" must be HOST:PORT, for example game.example.org:28000`,
		"a=:1#" + key.String():          `a: ":1" must be HOST:PORT, for example game.example.org:28000`,
		"a=h:0#" + key.String():         `a: "h:0" must be HOST:PORT, for example game.example.org:28000`,
		"a=h:65536#" + key.String():     `a: "h:65536" must be HOST:PORT, for example game.example.org:28000`,
		"a=via:r:1,h:1#" + key.String(): `a: "via:r:1,h:1" must be HOST:PORT, for example game.example.org:28000`,
	} {
		_, err := ParsePeer(text)
		assert.EqualError(t, err, why, text)
	}
	for _, bad := range []string{"", "x", key.String()[1:], key.String() + "a"} {
		_, err := ParsePeer("a=h:1#" + bad)
		require.Error(t, err, bad)
		assert.True(t, strings.HasPrefix(err.Error(), "a: ") && !strings.Contains(err.Error(), "\n"), err)
	}
}

// TestNameOfATarget: an address that is too long for a name is cut between two characters.
func TestNameOfATarget(t *testing.T) {
	host := "a" + strings.Repeat("é", maxTitle)
	o, err := ParseTarget(host + ":1#" + seal.Key{1}.String())
	require.NoError(t, err)
	assert.Equal(t, "a"+strings.Repeat("é", (maxTitle-1)/2), o.Name)
	assert.Equal(t, host+":1", o.Address)
}

// TestPeersAreTellable: names and keys differ, and none is this server.
func TestPeersAreTellable(t *testing.T) {
	a, b, own := Peer{Name: "a", Key: seal.Key{1}}, Peer{Name: "b", Key: seal.Key{2}}, seal.Key{9}
	require.NoError(t, check([]Peer{a, b}, own))
	assert.EqualError(t, check([]Peer{a, {Name: "a", Key: b.Key}}, own), "two peers have the name a")
	assert.EqualError(t, check([]Peer{a, {Name: "b", Key: a.Key}}, own), "the peers a and b have the same key")
	assert.EqualError(t, check([]Peer{a, b}, b.Key), "the peer b has the key of this server")
	assert.EqualError(t, check([]Peer{{Name: "A"}}, own), `"A" is not the name of a server: 1 to 32 of a-z, 0-9 and -`)
	assert.EqualError(t, check(make([]Peer, MaxPeers+1), own), "a server has at most 256 peers, got 257")
}
