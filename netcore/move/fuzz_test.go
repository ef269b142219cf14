package move

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// FuzzMoves feeds arbitrary bytes to both sides. The result is an error, or a state within the
// limits.
func FuzzMoves(f *testing.F) {
	for _, check := range []bool{false, true} {
		r := newMoveRig(f, 0, check)
		for range 12 {
			r.push()
		}
		r.made.SetView(false, 70)
		made, took := bitstream.NewWriter(make([]byte, 400)), bitstream.NewWriter(make([]byte, 400))
		r.made.Pack(made, netcore.Outgoing{Seq: 1})
		require.NoError(f, r.took.Unpack(bitstream.NewReader(made.Bytes()), netcore.Incoming{Seq: 1}))
		r.do(6)
		r.took.SetState(0, stateBits, 77, true)
		r.took.SetFlash(1, 0.3)
		r.took.Pack(took, netcore.Outgoing{Seq: 1})
		f.Add(made.Bytes(), made.Bytes(), check)
		f.Add(took.Bytes(), took.Bytes(), check)
		f.Add(took.Bytes()[:3], made.Bytes()[:9], check)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, check bool) {
		r := newMoveRig(t, 0, check)
		r.size = 400
		for range 20 {
			r.push()
		}
		r.ship(false)
		r.do(9)
		for seq, data := range [][]byte{first, second} {
			took := r.took.receiver
			if err := r.took.Unpack(bitstream.NewReader(data), netcore.Incoming{Seq: netcore.Seq(seq + 2)}); err == nil {
				for n := took.done; r.took.Queued() > 0 && n <= took.done+Max; n = r.took.receiver.done {
					v, _, _, ok := r.took.Next()
					require.True(t, ok)
					require.Equal(t, v.inRange(), v)
					require.Greater(t, r.took.receiver.done, n)
				}
				require.Zero(t, r.took.Queued())
				require.LessOrEqual(t, r.took.receiver.done, took.done+Max)
				_, fov := r.took.View()
				require.True(t, fov >= 1 && fov <= mostFOV)
			}
			acked := r.made.sender.acked
			if err := r.made.Unpack(bitstream.NewReader(data), netcore.Incoming{Seq: netcore.Seq(seq + 2)}); err == nil {
				if a, ok := r.made.Answer(); ok {
					require.True(t, a.Ack >= acked && a.Ack <= r.made.sender.carried)
					require.LessOrEqual(t, a.At, a.Ack)
					require.LessOrEqual(t, a.Len, min(8*len(data), MaxControlState))
					require.True(t, a.Flash <= 1 && a.Whiteout <= 1)
					r.made.Settle(a.Ack)
				}
			}
		}
	})
}
