package bitstream

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReader runs any operations over any bytes. Values that were read without
// an error must be writable, and read again as the same.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, []byte("some bytes to take apart, long enough for all of it"))
	f.Add([]byte{14, 14, 14}, []byte{0xFF, 0x55, 0xAA, 0, 0x12, 0x34})
	f.Add([]byte{11, 11}, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, ops, data []byte) {
		r := NewReader(data)
		w := NewWriter(make([]byte, 16*len(data)+64))
		var values []any
		made := 0
		for _, op := range ops {
			v := apply(&r.Codec, op, nil)
			require.LessOrEqual(t, r.Pos(), 8*len(data))
			require.GreaterOrEqual(t, r.Left(), 0)
			if r.Err() != nil {
				break
			}
			apply(&w.Codec, op, v)
			require.NoError(t, w.Err(), "%d wrote %v", op, v)
			values = append(values, v)
			made += size(v)
		}
		require.LessOrEqual(t, made, 32*len(data), "bytes made from %d", len(data))
		again := NewReader(w.Bytes())
		for i, want := range values {
			got := apply(&again.Codec, ops[i], nil)
			require.NoError(t, again.Err())
			same(t, ops[i], want, got)
		}
	})
}

// apply reads a value with the operation of that number, or writes v with it.
func apply(s *Codec, op byte, v any) any {
	n := int(op >> 4)
	switch op % 15 {
	case 0:
		return run(s, v, func(v *bool) { s.Flag(v) })
	case 1:
		return run(s, v, func(v *uint64) { s.Bits(v, 4*n) })
	case 2:
		return run(s, v, func(v *uint32) { s.Uint(v, 2*n) })
	case 3:
		return run(s, v, func(v *int) { s.Int(v, -n, n*n) })
	case 4:
		return run(s, v, s.Var)
	case 5:
		return run(s, v, s.Gamma)
	case 6:
		return run(s, v, func(v *float64) { s.Float(v, n+1) })
	case 7:
		return run(s, v, func(v *float64) { s.SignedFloat(v, n+2) })
	case 8:
		return run(s, v, func(v *[3]float64) { s.Normal(v, n+2) })
	case 9:
		return run(s, v, func(v *[3]float64) { s.Vector(v, float64(n+1), n+2) })
	case 10:
		return run(s, v, func(v *[3]float64) { s.Point(v, [3]float64{1, 2, 3}, 0.5) })
	case 11:
		return run(s, v, func(v *[]byte) { s.Bytes(v, 40*n) })
	case 12:
		return run(s, v, func(v *uint32) { s.Rice(v, n) })
	case 13:
		return run(s, v, func(v *uint32) { s.Golomb(v, n) })
	default:
		return run(s, v, func(v *string) { s.Text(v, 40*n) })
	}
}

func run[T any](s *Codec, v any, op func(v *T)) any {
	var x T
	if !s.Reading() {
		x = v.(T)
	}
	op(&x)
	return x
}

func size(v any) int {
	switch v := v.(type) {
	case []byte:
		return len(v)
	case string:
		return len(v)
	}
	return 0
}

// same compares what was read first with what was made of it. Directions are
// rounded anew; vectors and points sent raw without need come back rounded, so
// of them only that they are finite is asked.
func same(t *testing.T, op byte, want, got any) {
	a, ok := want.([3]float64)
	if !ok {
		require.Equal(t, want, got)
		return
	}
	b := got.([3]float64)
	for i := range a {
		if op%15 != 8 {
			require.Zero(t, a[i]-a[i]+b[i]-b[i])
			continue
		}
		require.InDelta(t, a[i], b[i], 1e-6*math.Max(1, math.Abs(a[i])))
	}
}
