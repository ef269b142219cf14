package bitstream

import (
	"testing"
)

// bench writes and reads op over and over; the figures are for one op each.
func bench(b *testing.B, op func(s *Stream)) {
	const batch = 100
	buf := make([]byte, 1200)
	var w Writer
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i += batch {
			w.Reset(buf)
			for range batch {
				op(&w.Stream)
			}
		}
	})
	var r Reader
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i += batch {
			r.Reset(buf)
			for range batch {
				op(&r.Stream)
			}
		}
	})
	if w.Err() != nil || r.Err() != nil {
		b.Fatal(w.Err(), r.Err())
	}
}

func BenchmarkFlag(b *testing.B) {
	v := true
	bench(b, func(s *Stream) { s.Flag(&v) })
}

func BenchmarkUint18(b *testing.B) {
	v := uint32(0x2ABCD)
	bench(b, func(s *Stream) { s.Uint(&v, 18) })
}

func BenchmarkInt(b *testing.B) {
	v := 777
	bench(b, func(s *Stream) { s.Int(&v, -1000, 1000) })
}

func BenchmarkVar(b *testing.B) {
	v := uint64(100)
	bench(b, func(s *Stream) { s.Var(&v) })
}

func BenchmarkGamma(b *testing.B) {
	v := uint64(5)
	bench(b, func(s *Stream) { s.Gamma(&v) })
}

func BenchmarkFloat(b *testing.B) {
	v := 0.7
	bench(b, func(s *Stream) { s.Float(&v, 12) })
}

func BenchmarkSignedFloat(b *testing.B) {
	v := -0.7
	bench(b, func(s *Stream) { s.SignedFloat(&v, 12) })
}

func BenchmarkFloat32(b *testing.B) {
	v := float32(3.5)
	bench(b, func(s *Stream) { s.Float32(&v) })
}

func BenchmarkNormal(b *testing.B) {
	v := [3]float64{0.6, 0, -0.8}
	bench(b, func(s *Stream) { s.Normal(&v, 10) })
}

func BenchmarkVector(b *testing.B) {
	v := [3]float64{3, 4, -5}
	bench(b, func(s *Stream) { s.Vector(&v, 100, 10) })
}

func BenchmarkPoint(b *testing.B) {
	v := [3]float64{13, 4, -5}
	bench(b, func(s *Stream) { s.Point(&v, [3]float64{10, 0, 0}, 0.001) })
}

func BenchmarkText(b *testing.B) {
	lines := lines(b)
	buf := make([]byte, 1200)
	w := NewWriter(buf)
	var r Reader
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			w.Reset(buf)
			w.Text(&lines[i%len(lines)], 255)
		}
	})
	packed := make([][]byte, len(lines))
	for i := range lines {
		w.Reset(buf)
		w.Text(&lines[i], 255)
		packed[i] = append(w.Bytes(), make([]byte, 16)...)
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		var got string
		for i := 0; i < b.N; i++ {
			r.Reset(packed[i%len(packed)])
			r.Text(&got, 255)
		}
	})
}
