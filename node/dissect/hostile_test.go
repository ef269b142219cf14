package dissect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/capture"
)

// captures returns the captures among the test vectors.
func captures(t testing.TB) (files [][]byte) {
	names, err := filepath.Glob("../../netcore/testdata/vectors/*.capture")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		files = append(files, file)
	}
	return files
}

// opened returns the session of a capture with opened datagrams.
func opened(t testing.TB, file []byte) *session {
	r, err := capture.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	s, n := newSession(&r.Header, nil), 0
	for {
		keys, p, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			s.open()
			return s
		case keys != nil:
			s = newSession(&r.Header, keys)
		default:
			n++
			s.datagrams = append(s.datagrams, &datagram{packet: n, time: p.Time, from: p.From, data: p.Data})
		}
	}
}

// damage changes bits of decrypted texts: what a broken peer with the right keys can send.
func damage(s *session, rng *rand.Rand, n int) {
	for range n {
		d := s.datagrams[rng.IntN(len(s.datagrams))]
		if len(d.plain) > 0 {
			d.plain = bytes.Clone(d.plain)
			d.plain[rng.IntN(len(d.plain))] ^= 1 << rng.IntN(8)
		}
	}
}

// TestDamagedTexts reads texts with changed bits. Everything before the first error is emitted, and
// the error names the packet and the bit.
func TestDamagedTexts(t *testing.T) {
	refused := 0
	for i, file := range captures(t) {
		for seed := range testenv.Length(100, 10_000) {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			s := opened(t, file)
			damage(s, rng, 1+rng.IntN(3))
			var last *Packet
			err := s.emit(func(p *Packet) error { last = p; return nil })
			if err == nil {
				continue
			}
			refused++
			assert.NotEmpty(t, last.Error)
			assert.Contains(t, err.Error(), "packet ")
			assert.Contains(t, err.Error(), "bit ")
		}
	}
	assert.Greater(t, refused, 100)
}

func FuzzTexts(f *testing.F) {
	files := captures(f)
	f.Add(uint8(0), uint64(1), []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, file uint8, seed uint64, text []byte) {
		s := opened(t, files[int(file)%len(files)])
		rng := rand.New(rand.NewPCG(seed, 1))
		damage(s, rng, rng.IntN(4))
		if d := s.datagrams[rng.IntN(len(s.datagrams))]; d.plain != nil {
			d.plain = text
		}
		_ = s.emit(func(*Packet) error { return nil })
	})
}

func FuzzRead(f *testing.F) {
	for _, file := range captures(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		_ = Read(bytes.NewReader(file), func(*Packet) error { return nil })
	})
}

// TestGapsWithinTheWindow reads the gaps of acks up to the window, and refuses those beyond it.
func TestGapsWithinTheWindow(t *testing.T) {
	for _, c := range []struct {
		gaps  [][2]uint64 // received, lost
		fails bool
	}{
		{[][2]uint64{{0, window}}, false},
		{[][2]uint64{{600, 200}, {100, 124}}, false},
		{[][2]uint64{{600, 200}, {100, 125}}, true},
		{[][2]uint64{{0, window + 1}}, true},
		{[][2]uint64{{window, 1}}, true},
	} {
		w := bitstream.NewWriter(make([]byte, 64))
		for _, gap := range c.gaps {
			received := gap[0] + 1
			w.WriteFlag(true)
			w.Gamma(&received)
			w.Gamma(&gap[1])
		}
		w.WriteFlag(false)
		require.NoError(t, w.Err())
		read := newTrace(w.Bytes())
		new(verdicts).readGaps(read)
		assert.Equal(t, c.fails, !read.ok(), "%v", c.gaps)
	}
}

// TestDamagedFiles cuts a capture, and changes its header. Packets before a cut are all emitted.
func TestDamagedFiles(t *testing.T) {
	file := captures(t)[0]
	lines := bytes.SplitAfter(file, []byte("\n"))
	for cut := len(lines[0]); cut < len(file); cut += 37 {
		n := 0
		err := Read(bytes.NewReader(file[:cut]), func(*Packet) error { n++; return nil })
		whole := bytes.Count(file[:cut], []byte("\n")) - 1 // without the header
		if bytes.Contains(file[:cut], []byte(`{"session":1,`)) && whole > 5 {
			whole--                                        // and the session
			assert.Contains(t, []int{whole, whole + 1}, n) // a line can be whole without its end
		}
		if err != nil {
			assert.Contains(t, err.Error(), "line ")
		}
	}
	for _, other := range []int{protocolVersion - 1, protocolVersion + 1} {
		text := strings.Replace(string(file), fmt.Sprintf(`"protocol":%d`, protocolVersion), fmt.Sprintf(`"protocol":%d`, other), 1)
		assert.EqualError(t, Read(strings.NewReader(text), nil),
			fmt.Sprintf("the capture is of protocol version %d: this program reads version %d", other, protocolVersion))
	}
}

// TestMissingPacket takes a packet out of a capture. The packets before it are readable.
func TestMissingPacket(t *testing.T) {
	file := captures(t)[3] // a perfect line
	lines := bytes.SplitAfter(file, []byte("\n"))
	gone := 0
	for i := len(lines) - 12; i < len(lines)-4 && gone == 0; i++ {
		n := 0
		err := Read(bytes.NewReader(bytes.Join(append(append([][]byte{}, lines[:i]...), lines[i+1:]...), nil)), func(*Packet) error { n++; return nil })
		if err != nil {
			gone++
			assert.Contains(t, err.Error(), "is not in the capture, so later ones cannot be read")
			assert.GreaterOrEqual(t, n, i-2)
		}
	}
	assert.Equal(t, 1, gone)
}
