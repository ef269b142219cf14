package replay_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// stranger makes datagrams of nobody.
type stranger struct{ *rand.Rand }

// datagram returns a random datagram, or a valid request for a challenge, and an address of many.
func (s stranger) datagram() (from netcore.Addr, b []byte) {
	b = make([]byte, 100+s.IntN(400))
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	if s.IntN(3) == 0 {
		b = append(append(b[:17], "torc"...), make([]byte, 59)...)
		b[0] = 0xc4
	}
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], 0x0a000000|s.Uint32N(1<<24))
	return netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4(ip), 9999)), b
}

// strangersJournal plays a game with a player, to whose server strangers send some datagrams in
// each millisecond.
func strangersJournal(t *testing.T, perMillisecond int) (b []byte, answers int) {
	var out bytes.Buffer
	seed := uint64(3)
	v := nodetest.NewVirtual(t, node.Config{Common: node.Common{Seed: &seed}, Server: node.ServerConfig{Journal: &node.Journal{Writer: &out}}}, 1, func(e *node.Edge) {
		to := e.Send
		e.Send = func(a netcore.Addr, b []byte) {
			if a.Port == 9999 {
				answers++
				return
			}
			to(a, b)
		}
	})
	s := stranger{rand.New(rand.NewPCG(1, 2))}
	for range 2000 {
		for range perMillisecond {
			from, b := s.datagram()
			v.Arrive = append(v.Arrive, func() { v.ToServer(from, b) })
		}
		v.GoOn(t, time.Millisecond)
	}
	assert.True(t, v.Clients[0].Ready())
	assert.NoError(t, v.Server.Close())
	return out.Bytes(), answers
}

// TestStrangersDoNotFillAJournal checks that a journal has nothing of strangers whom the server
// answers, and that it replays exactly.
func TestStrangersDoNotFillAJournal(t *testing.T) {
	quiet, _ := strangersJournal(t, 0)
	flooded, answers := strangersJournal(t, 10)
	assert.Greater(t, answers, 5000)
	var received, sends [2]int
	for i, b := range [][]byte{quiet, flooded} {
		rewrite(t, b, func(_ int, e *journal.Entry) bool {
			if e.Kind == journal.Receive || e.Kind == journal.Address || e.Kind == journal.Token {
				received[i]++
			}
			if e.Kind == journal.Send {
				sends[i]++
			}
			return false
		})
	}
	assert.Equal(t, received[0], received[1])
	assert.Equal(t, sends[0], sends[1], "rounds of packets")
	t.Logf("%d bytes without strangers, %d with %d answers to them", len(quiet), len(flooded), answers)
	assert.Less(t, len(flooded), len(quiet)+4096)
	r, err := runAgain(t, flooded, replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.True(t, r.Whole())
}
