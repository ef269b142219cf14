package netcore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed makes a host with a hash of its own and with fingerprints.
func listed(t testing.TB, addr Addr, hash uint64, adapts bool, parts ...uint32) *host {
	return newHost(t, addr, func(c *Config) {
		c.Classes, c.Adapts = hash, adapts
		if parts != nil {
			c.Parts = func() []uint32 { return parts }
		}
	})
}

// TestUnequalLists checks that a client with another hash says what it has, and that nobody else
// does.
func TestUnequalLists(t *testing.T) {
	many := make([]uint32, maxParts+1)
	for name, c := range map[string]struct {
		server, client *host
		args           []string
		want           []uint32
		refuse         string
	}{
		"equal":          {listed(t, SimAddr(1), 7, false, 1, 2), listed(t, SimAddr(2), 7, true, 1, 2), nil, nil, ""},
		"unequal":        {listed(t, SimAddr(1), 7, false, 1, 2), listed(t, SimAddr(2), 8, true, 2, 3, 4), nil, []uint32{2, 3, 4}, ""},
		"server alone":   {listed(t, SimAddr(1), 7, false, 1), listed(t, SimAddr(2), 8, true), nil, nil, unequalLists},
		"client alone":   {listed(t, SimAddr(1), 7, false), listed(t, SimAddr(2), 8, true, 1), nil, nil, unequalLists},
		"adapts to none": {listed(t, SimAddr(1), 7, false, 1), listed(t, SimAddr(2), 8, false, 1), nil, nil, unequalLists},
		"most":           {listed(t, SimAddr(1), 7, false, 1), listed(t, SimAddr(2), 8, true, many[1:]...), nil, many[1:], ""},
		"too many":       {listed(t, SimAddr(1), 7, false, 1), listed(t, SimAddr(2), 8, true, many...), nil, nil, errParts.Error()},
		"no room": {listed(t, SimAddr(1), 7, false, 1), listed(t, SimAddr(2), 8, true, many[1:]...),
			[]string{strings.Repeat("x", 255), strings.Repeat("x", 255), strings.Repeat("x", 255)}, nil, errParts.Error()},
	} {
		n := newTestNetwork(c.server, c.client)
		c.client.Connect(0, c.server.addr, ConnectOptions{Trust: trustAll, Name: "ann", Args: c.args})
		n.run(500 * time.Millisecond)
		if c.refuse != "" {
			require.Equal(t, []Reason{{Refused, c.refuse}}, c.client.failed, name)
			assert.Empty(t, c.server.requests, name)
			continue
		}
		require.Len(t, c.client.connected, 1, name)
		assert.Equal(t, c.want != nil, c.server.requests[0].Other, name)
		assert.Equal(t, c.want, c.server.requests[0].Parts, name)
	}
}

// TestPartsTruncated checks that the fingerprints are read to their last bit, and that their number
// allocates nothing.
func TestPartsTruncated(t *testing.T) {
	o := introduction{Name: "n", Args: []string{}, Language: "en", Rate: Rate{20, 300}, Other: true, Parts: []uint32{1, 1 << 31, 77}}
	b, err := packIntroduction(&o)
	require.NoError(t, err)
	read, err := unpackIntroduction(b, true)
	require.NoError(t, err)
	assert.Equal(t, o, read)
	for cut := range b {
		_, err := unpackIntroduction(b[:cut], true)
		assert.Error(t, err, "cut to %d", cut)
	}
	_, err = unpackIntroduction(b, false)
	assert.Error(t, err, "a client with the server's lists has none")
}
