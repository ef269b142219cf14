package bitstream

import "testing"

const batch = 100

// bench writes and reads with ops, which does the same operation batch times;
// the figures are for one.
func bench(b *testing.B, ops func(s *Codec)) {
	buf := make([]byte, 2000)
	var w Writer
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i += batch {
			w.Reset(buf)
			ops(&w.Codec)
		}
	})
	var r Reader
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i += batch {
			r.Reset(buf)
			ops(&r.Codec)
		}
	})
	if w.Err() != nil || r.Err() != nil {
		b.Fatal(w.Err(), r.Err())
	}
}

func BenchmarkFlag(b *testing.B) {
	v := true
	bench(b, func(s *Codec) {
		for range batch {
			s.Flag(&v)
		}
	})
}

func BenchmarkUint18(b *testing.B) {
	v := uint32(0x2ABCD)
	bench(b, func(s *Codec) {
		for range batch {
			s.Uint(&v, 18)
		}
	})
}

func BenchmarkInt(b *testing.B) {
	v := 777
	bench(b, func(s *Codec) {
		for range batch {
			s.Int(&v, -1000, 1000)
		}
	})
}

func BenchmarkVar(b *testing.B) {
	v := uint64(100)
	bench(b, func(s *Codec) {
		for range batch {
			s.Var(&v)
		}
	})
}

func BenchmarkGamma(b *testing.B) {
	v := uint64(5)
	bench(b, func(s *Codec) {
		for range batch {
			s.Gamma(&v)
		}
	})
}

func BenchmarkRice(b *testing.B) {
	v := uint32(5)
	bench(b, func(s *Codec) {
		for range batch {
			s.Rice(&v, 1)
		}
	})
}

func BenchmarkGolomb(b *testing.B) {
	v := uint32(5)
	bench(b, func(s *Codec) {
		for range batch {
			s.Golomb(&v, 2)
		}
	})
}

func BenchmarkFloat(b *testing.B) {
	v := 0.7
	bench(b, func(s *Codec) {
		for range batch {
			s.Float(&v, 12)
		}
	})
}

func BenchmarkSignedFloat(b *testing.B) {
	v := -0.7
	bench(b, func(s *Codec) {
		for range batch {
			s.SignedFloat(&v, 12)
		}
	})
}

func BenchmarkFloat32(b *testing.B) {
	v := float32(3.5)
	bench(b, func(s *Codec) {
		for range batch {
			s.Float32(&v)
		}
	})
}

func BenchmarkNormal(b *testing.B) {
	v := [3]float64{0.6, 0, -0.8}
	bench(b, func(s *Codec) {
		for range batch {
			s.Normal(&v, 10)
		}
	})
}

func BenchmarkVector(b *testing.B) {
	v := [3]float64{3, 4, -5}
	bench(b, func(s *Codec) {
		for range batch {
			s.Vector(&v, 100, 10)
		}
	})
}

func BenchmarkPoint(b *testing.B) {
	v := [3]float64{13, 4, -5}
	bench(b, func(s *Codec) {
		for range batch {
			s.Point(&v, [3]float64{10, 0, 0}, 0.001)
		}
	})
}

func BenchmarkBytes1000(b *testing.B) {
	v := make([]byte, 1000)
	buf := make([]byte, 1200)
	w := NewWriter(buf)
	b.SetBytes(1000)
	for range b.N {
		w.Reset(buf)
		w.WriteFlag(true)
		w.Codec.Bytes(&v, 1000)
	}
}

// BenchmarkDirect is without the pointer and the direction.
func BenchmarkDirect(b *testing.B) {
	buf := make([]byte, 1200)
	w, r := NewWriter(buf), NewReader(buf)
	set, sum := 0, uint64(0)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"WriteFlag", func() {
			w.Reset(buf)
			for i := range batch {
				w.WriteFlag(i&1 != 0)
			}
		}},
		{"ReadFlag", func() {
			r.Reset(buf)
			for range batch {
				if r.ReadFlag() {
					set++
				}
			}
		}},
		{"WriteBits18", func() {
			w.Reset(buf)
			for i := range batch {
				w.WriteBits(uint64(i), 18)
			}
		}},
		{"ReadBits18", func() {
			r.Reset(buf)
			for range batch {
				sum += r.ReadBits(18)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; i < b.N; i += batch {
				c.run()
			}
		})
	}
}

// BenchmarkObject measures an object of the workload replicate of torclab bench: a position, two
// angles and its health.
func BenchmarkObject(b *testing.B) {
	place, angles, health := [3]float64{0.25, 0.5, 0.75}, [2]float64{0.3, 0.6}, uint32(63)
	code := func(c *Codec) {
		for i := range place {
			c.Float(&place[i], 18)
		}
		c.Float(&angles[0], 10)
		c.Float(&angles[1], 8)
		c.Uint(&health, 6)
	}
	buf := make([]byte, 16)
	w, r := NewWriter(buf), NewReader(buf)
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			w.Reset(buf)
			code(&w.Codec)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			r.Reset(buf)
			code(&r.Codec)
		}
	})
}

// BenchmarkText also reports the share of the bits that a length byte and the bytes take.
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
	packed, bits, plain := make([][]byte, len(lines)), 0, 0
	for i := range lines {
		w.Reset(buf)
		w.Text(&lines[i], 255)
		bits += w.Pos()
		plain += 8 * (1 + len(lines[i]))
		packed[i] = append(w.Bytes(), make([]byte, 16)...)
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		var got string
		for i := 0; i < b.N; i++ {
			r.Reset(packed[i%len(packed)])
			r.Text(&got, 255)
		}
		b.ReportMetric(float64(bits)/float64(plain), "of-plain")
	})
}
