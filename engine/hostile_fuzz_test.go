package engine_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// raw writes as many bytes as fit in place of the section.
func raw(data []byte) func(h hand) {
	return func(h hand) {
		for _, b := range data {
			n := min(8, h.Left())
			h.WriteBits(uint64(b)&(1<<n-1), n)
		}
	}
}

// recorded returns the bytes that an attack writes.
func recorded(write func(h hand)) []byte {
	w := bitstream.NewWriter(make([]byte, 1100))
	write(hand{w})
	return append([]byte(nil), w.Bytes()...)
}

// sendSections sends sections. It requires that each is read within its allocation limit and that
// the victim survives them.
func sendSections(t *testing.T, m *attacker, sections ...[]byte) {
	cost := uint64(0)
	for _, s := range sections {
		cost += m.say(raw(s))
		require.LessOrEqual(t, cost, allowed(m.count, m.bytes)+standing, "%d bytes in %d packets", m.bytes, m.count)
		if m.target() == nil {
			break
		}
	}
	m.rig.Run(100 * time.Millisecond)
	reason := ""
	if m.target() == nil {
		last := m.victim.Lines[len(m.victim.Lines)-1]
		for _, reason = range []string{"bad packet: ", "protocol violation: ", "overflow: "} {
			if strings.Contains(last, reason) {
				break
			}
		}
	}
	m.lives(reason)
}

// standing is the number of bytes that a connection may allocate once, for any peer.
const standing = 16 << 10

func FuzzHost(f *testing.F) {
	for i, attacks := range [][]attack{toServer, toClient} {
		for _, a := range attacks {
			if len(a.write) == 1 && testenv.Fuzzing() { // TestHostileClient and TestHostileServer play each
				b := recorded(a.write[0])
				f.Add(i == 0, b, b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, toServer bool, a, b []byte) {
		m := server
		if toServer {
			m = client
		}
		sendSections(t, m(t), a, b, a)
	})
}

// TestMangledAttacks runs the fuzz target in every normal test run: the attacks with flipped bits,
// truncated, and concatenated.
func TestMangledAttacks(t *testing.T) {
	for side, attacks := range [][]attack{toServer, toClient} {
		var bodies [][]byte
		for _, a := range attacks {
			bodies = append(bodies, recorded(a.write[0]))
		}
		for seed := range testenv.Seeds(t, 15, 150) {
			r := rand.New(rand.NewPCG(seed, uint64(side)))
			var sections [][]byte
			for range 1 + r.IntN(4) {
				s := append([]byte(nil), bodies[r.IntN(len(bodies))]...)
				for range r.IntN(4) {
					if len(s) > 0 {
						s[r.IntN(len(s))] ^= 1 << r.IntN(8)
					}
				}
				switch r.IntN(4) {
				case 0:
					s = s[:r.IntN(len(s)+1)]
				case 1:
					s = append(s, bodies[r.IntN(len(bodies))]...)
				}
				sections = append(sections, s)
			}
			m := server
			if side == 0 {
				m = client
			}
			sendSections(t, m(t), sections...)
		}
	}
}
