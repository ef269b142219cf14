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
		r.sender.SetView(false, 70)
		made, took := bitstream.NewWriter(make([]byte, 400)), bitstream.NewWriter(make([]byte, 400))
		r.sender.Pack(made, netcore.Outgoing{Seq: 1})
		require.NoError(f, r.receiver.Unpack(bitstream.NewReader(made.Bytes()), netcore.Incoming{Seq: 1}))
		r.take(6)
		r.receiver.SetState(0, stateBits, 77, true)
		r.receiver.SetFlash(1, 0.3)
		r.receiver.Pack(took, netcore.Outgoing{Seq: 1})
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
		r.sendMoves(false)
		r.take(9)
		for seq, data := range [][]byte{first, second} {
			took := r.receiver.receiver
			if err := r.receiver.Unpack(bitstream.NewReader(data), netcore.Incoming{Seq: netcore.Seq(seq + 2)}); err == nil {
				for n := took.done; r.receiver.Queued() > 0 && n <= took.done+Max; n = r.receiver.receiver.done {
					v, _, _, ok := r.receiver.Next()
					require.True(t, ok)
					require.Equal(t, v.clamp(), v)
					require.Greater(t, r.receiver.receiver.done, n)
				}
				require.Zero(t, r.receiver.Queued())
				require.LessOrEqual(t, r.receiver.receiver.done, took.done+Max)
				_, fov := r.receiver.View()
				require.True(t, fov >= 1 && fov <= maxFOV)
			}
			acked := r.sender.sender.acked
			if err := r.sender.Unpack(bitstream.NewReader(data), netcore.Incoming{Seq: netcore.Seq(seq + 2)}); err == nil {
				if a, ok := r.sender.Answer(); ok {
					require.True(t, a.Ack >= acked && a.Ack <= r.sender.sender.carried)
					require.LessOrEqual(t, a.At, a.Ack)
					require.LessOrEqual(t, a.Len, min(8*len(data), MaxControlState))
					require.True(t, a.Flash <= 1 && a.Whiteout <= 1)
					r.sender.Forget(a.Ack)
				}
			}
		}
	})
}
