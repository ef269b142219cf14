package fleet

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// TestNamesWithManyAddresses: a name server that answers with thousands of addresses does not make
// this server ask them all, each 300 ms, or keep them.
func TestNamesWithManyAddresses(t *testing.T) {
	var all []netcore.Addr
	for i := range 5000 {
		all = append(all, netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}), 28000)))
	}
	known := all
	a := newAsking(&Service{opts: Options{Resolve: func(_ string, done func([]netcore.Addr, error)) { done(known, nil) }}})
	a.asked = []Peer{{Name: "a", Address: "a.example:28000"}}
	a.resolve(0)
	assert.Equal(t, all[:maxAddresses], a.at["a.example:28000"])
	assert.Equal(t, maxAddresses, cap(a.at["a.example:28000"]))
	known = all[:2]
	a.resolve(a.resolves)
	assert.Equal(t, known, a.at["a.example:28000"])
}
