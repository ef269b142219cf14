package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

func drawn(w, h int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, color.RGBA{uint8(i), uint8(i >> 3), uint8(i * 7), 255})
	}
	return m
}

func pngFile(t testing.TB, w, h int) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, drawn(w, h)))
	return b.Bytes()
}

func jpegFile(t testing.TB, w, h int) []byte {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, drawn(w, h), &jpeg.Options{Quality: 20}))
	return b.Bytes()
}

// The files with one pixel are those of the libwebp tools.
func webpLossless() []byte { return decoded("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==") }
func webpLossy() []byte {
	return decoded("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
}

func decoded(text string) []byte {
	b, _ := base64.StdEncoding.DecodeString(text)
	return b
}

// chunk returns a chunk of a PNG.
func chunk(name, data string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
}

// header returns the chunk with the size of a PNG.
func header(w, h uint32) string {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return chunk("IHDR", string(b)+"\x08\x02\x00\x00\x00")
}

// riff returns a WebP of chunks.
func riff(chunks ...string) []byte {
	all := "WEBP" + strings.Join(chunks, "")
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(all))), all...)
}

func webpChunk(name string, data ...byte) string {
	if b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data))); len(data)%2 == 1 {
		return string(b) + string(data) + "\x00"
	} else {
		return string(b) + string(data)
	}
}

// TestPicturesAreReadByTheirContent of each type, up to the largest size.
func TestPicturesAreReadByTheirContent(t *testing.T) {
	blank := image.NewPaletted(image.Rect(0, 0, 512, 512), color.Palette{color.Black})
	var large bytes.Buffer
	require.NoError(t, png.Encode(&large, blank))
	for _, c := range []struct {
		data   []byte
		is     Type
		w, h   int
		called string
	}{
		{pngFile(t, 5, 7), PNG, 5, 7, "image/png"}, {large.Bytes(), PNG, 512, 512, "image/png"},
		{jpegFile(t, 9, 4), JPEG, 9, 4, "image/jpeg"},
		{webpLossless(), WebP, 1, 1, "image/webp"}, {webpLossy(), WebP, 1, 1, "image/webp"},
		{riff(webpChunk("VP8X", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), webpChunk("EXIF", 1, 2, 3), string(webpLossless()[12:])), WebP, 1, 1, "image/webp"},
	} {
		p, err := Read(c.data)
		require.NoError(t, err)
		assert.Equal(t, []any{c.is, c.w, c.h, c.called, c.data}, []any{p.Type, p.Width, p.Height, p.Type.String(), p.Data})
		assert.Equal(t, HashOf(c.data), p.Hash)
	}
}

// TestHostilePicturesAreRefused with a sentence: wrong types, sizes beyond the limits, second
// sizes, animations, damage.
func TestHostilePicturesAreRefused(t *testing.T) {
	small, photo := pngFile(t, 5, 7), jpegFile(t, 9, 4)
	idat, iend := chunk("IDAT", "x"), chunk("IEND", "")
	frame := "\xff\xc0\x00\x0b\x08\x00\x04\x00\x09\x01\x01\x11\x00"
	scan, end := "\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00ab\xff\x00\xff\xd3c", "\xff\xd9"
	canvas := func(flags, w, h byte) string { return webpChunk("VP8X", flags, 0, 0, 0, w, 0, 0, h, 0, 0) }
	lossless := string(webpLossless()[12:])
	for _, c := range []struct{ data, why string }{
		{"", "must be a PNG, JPEG or WebP"}, {"GIF89a\x01\x00\x01\x00", "must be a PNG, JPEG or WebP"},
		{`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`, "must be a PNG, JPEG or WebP"},
		{"RIFF\x04\x00\x00\x00WAVE", "must be a PNG, JPEG or WebP"}, {"RIFF", "must be a PNG, JPEG or WebP"},
		{string(small) + strings.Repeat("x", MaxBytes), "must be at most 16384"},

		{pngMark, "cut off"}, {pngMark + header(4, 4), "cut off"}, {string(small[:len(small)-1]), "cut off"},
		{pngMark + header(4, 4) + iend, "cut off"},
		{pngMark + idat + header(4, 4) + iend, "damaged"}, {pngMark + header(4, 4) + idat + header(4, 4) + iend, "damaged"},
		{pngMark + strings.Replace(header(4, 4), "\x04", "\x05", 1) + idat + iend, "damaged"}, {pngMark + chunk("IHDR", "abc") + idat + iend, "damaged"},
		{pngMark + header(513, 4) + idat + iend, "has 513 × 4 pixels: must be 1 × 1 to 512 × 512"},
		{pngMark + header(4, 1<<31) + idat + iend, "pixels: must be"}, {pngMark + header(0, 4) + idat + iend, "has 0 × 4 pixels"},
		{pngMark + header(4, 4) + chunk("acTL", "\x00\x00\x00\x02\x00\x00\x00\x00") + idat + iend, "animated"},
		{pngMark + header(4, 4) + idat + chunk("fdAT", "x") + iend, "animated"},
		{pngMark + "\xff\xff\xff\xff" + header(4, 4)[4:], "cut off"},

		{"\xff\xd8\xff", "cut off"}, {string(photo[:len(photo)-2]), "cut off"}, {string(photo[:20]), "cut off"},
		{"\xff\xd8" + scan + end, "damaged"}, {"\xff\xd8\xff\x00" + frame + scan + end, "damaged"}, {"\xff\xd8" + frame + "\xff\xd8" + scan + end, "damaged"},
		{"\xff\xd8\xff\xc0\x00\x01", "cut off"}, {"\xff\xd8\xff\xc0\x00\x04ab" + scan + end, "cut off"},
		{"\xff\xd8" + strings.Replace(frame, "\x00\x09", "\x02\x01", 1) + scan + end, "has 513 × 4 pixels"},
		{"\xff\xd8" + strings.Replace(frame, "\x00\x04", "\x00\x00", 1) + scan + end, "has 9 × 0 pixels"},
		{"\xff\xd8" + frame + frame + scan + end, "more than one size"}, {"\xff\xd8" + frame + scan + frame + scan + end, "more than one size"},
		{"\xff\xd8" + frame + scan + "\xff\xdc\x00\x04\x04\x00" + end, "more than one size"},
		{"\xff\xd8" + strings.Replace(frame, "\xc0", "\xc3", 1) + scan + end, "browsers do not show"},
		{"\xff\xd8" + strings.Replace(frame, "\xc0", "\xc9", 1) + scan + end, "browsers do not show"},
		{"\xff\xd8\xff\xde\x00\x04ab" + frame + scan + end, "browsers do not show"},

		{string(webpLossless()[:24]), "cut off"}, {string(riff()), "cut off"}, {"RIFF\x00\x00\x00\x00WEBP", "damaged"},
		{string(riff("VP8L")), "cut off"}, {string(riff("VP8L\xff\xff\xff\xff")), "cut off"},
		{string(riff(canvas(2, 0, 0), lossless)), "animated"}, {string(riff(canvas(0, 0, 0), webpChunk("ANIM", 0), lossless)), "animated"}, {string(riff(webpChunk("ANMF", 0))), "animated"},
		{string(riff(canvas(0, 9, 9), lossless)), "more than one size"}, {string(riff(lossless, lossless)), "more than one size"}, {string(riff(lossless, canvas(0, 0, 0))), "damaged"},
		{string(riff(webpChunk("VP8X", 0))), "damaged"}, {string(riff(webpChunk("VP8L", 0, 0, 0, 0, 0))), "damaged"}, {string(riff(webpChunk("VP8L", 0x2f, 0, 0, 0, 0xe0))), "damaged"},
		{string(riff(webpChunk("VP8L", 0x2f, 0xff, 0xff, 0xff, 0))), "has 16384 × "},
		{string(riff(webpChunk("VP8 ", 1, 0, 0, 0x9d, 1, 0x2a, 1, 0, 1, 0))), "damaged"}, {string(riff(webpChunk("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0, 0, 1, 0))), "has 0 × 1 pixels"},
	} {
		p, err := Read([]byte(c.data))
		require.Error(t, err, "%q", c.data)
		assert.Contains(t, err.Error(), c.why, "%q", c.data)
		assert.Nil(t, p)
	}
	_, err := Read([]byte("\xff\xd8\xff\xff" + frame + scan + end))
	require.NoError(t, err, "filler between segments")
}

// TestEveryCutIsRefused: no beginning of a file is a picture.
func TestEveryCutIsRefused(t *testing.T) {
	for _, whole := range [][]byte{pngFile(t, 5, 7), jpegFile(t, 9, 4), webpLossless(), webpLossy()} {
		for n := range whole {
			_, err := Read(whole[:n])
			require.Error(t, err, "%d of %d bytes", n, len(whole))
		}
	}
}

// cross writes a piece and reads it.
func cross(t testing.TB, p *Piece) *Piece {
	w := bitstream.NewWriter(make([]byte, 2*MaxPiece))
	p.Serialize(&w.Codec)
	require.NoError(t, w.Err())
	r, got := bitstream.NewReader(w.Bytes()), new(Piece)
	got.Serialize(&r.Codec)
	require.NoError(t, r.Err())
	require.Equal(t, w.Pos(), r.Pos())
	return got
}

func always(uint32) bool { return true }
func never(uint32) bool  { return false }

// fake returns a picture of n bytes with a name in it.
func fake(n int, name string) *Picture {
	rest := chunk("IDAT", "x") + chunk("IEND", "")
	text := name + strings.Repeat("x", n-len(name)-len(pngMark+header(1, 1)+rest)-pngOverhead)
	p, err := Read([]byte(pngMark + header(1, 1) + chunk("tEXt", text) + rest))
	if err != nil || len(p.Data) != n {
		panic(err)
	}
	return p
}

// send sends pieces until there is none, and returns how many.
func send(t testing.TB, s *Shelf, a *Album, open func(uint32) bool) (pieces int) {
	for p := s.Next(1000, open); p != nil; p = s.Next(1000, open) {
		_, err := a.Add(cross(t, p))
		require.NoError(t, err)
		pieces++
	}
	require.False(t, s.Waits())
	return pieces
}

// TestPicturesCrossTheWire in pieces. A picture that is named again is not sent again.
func TestPicturesCrossTheWire(t *testing.T) {
	var s Shelf
	var a Album
	large := pngFile(t, 40, 30)
	for i, data := range [][]byte{large, jpegFile(t, 9, 4), webpLossy()} {
		p, err := Read(data)
		require.NoError(t, err)
		n, err := s.Name("m", p, always)
		require.NoError(t, err)
		assert.Equal(t, uint32(i+1), n)
		require.Nil(t, a.Find(n))
		pieces := send(t, &s, &a, always)
		assert.Equal(t, (len(data)+999)/1000, pieces)
		assert.Equal(t, p, a.Find(n))
	}
	again, err := Read(bytes.Clone(large))
	require.NoError(t, err)
	n, err := s.Name("m", again, always)
	require.NoError(t, err)
	assert.Equal(t, uint32(1), n, "after a reload")
	assert.Zero(t, send(t, &s, &a, always))
	n, err = s.Name("other", again, always)
	require.NoError(t, err)
	assert.Equal(t, uint32(4), n, "each mod has its own")
	assert.Zero(t, send(t, &s, &a, never), "its form is over already")
	assert.Equal(t, len(large), s.items[0].sent)
	assert.Len(t, s.items, 3)
}

// TestModsTakeTurns: a mod with a lot of bytes does not hold up another one.
func TestModsTakeTurns(t *testing.T) {
	var s Shelf
	for i := range 20 {
		_, err := s.Name("greedy", fake(10_000, string(rune('a'+i))), always)
		require.NoError(t, err)
	}
	for range 30 {
		s.Next(1000, always)
	}
	for _, mod := range []string{"x", "y"} {
		_, err := s.Name(mod, fake(3000, mod), always)
		require.NoError(t, err)
	}
	sent := map[uint32]int{}
	for range 9 {
		p := s.Next(1000, always)
		sent[p.Number] += len(p.Data)
	}
	assert.Equal(t, 3000, sent[21])
	assert.Equal(t, 3000, sent[22])
}

// TestTheModWithTheMostMakesRoom fills a client with pictures of 1, 32 and 250 mods.
func TestTheModWithTheMostMakesRoom(t *testing.T) {
	for _, mods := range []int{1, 32, 250} {
		var s Shelf
		var a Album
		quiet, err := Read(pngFile(t, 5, 7))
		require.NoError(t, err)
		first, err := s.Name("quiet", quiet, always)
		require.NoError(t, err)
		send(t, &s, &a, always)
		for i := range max(mods, 32) + MaxCount {
			mod := fmt.Sprint("m", i%mods)
			_, err := s.Name(mod, fake(MaxPiece, fmt.Sprint(i)), never)
			require.NoError(t, err)
			require.LessOrEqual(t, s.Bytes(), MaxAll)
			require.LessOrEqual(t, len(s.items), MaxCount)
			for p := s.Next(MaxPiece, always); p != nil; p = s.Next(MaxPiece, always) {
				_, err := a.Add(cross(t, p))
				require.NoError(t, err)
				if p.Use != Forgotten {
					break
				}
			}
		}
		assert.Greater(t, len(a.pages), 250)
		assert.LessOrEqual(t, a.bytes, MaxAll)
		assert.Equal(t, quiet, a.Find(first), "the mod with one small picture keeps it")
	}
}

// TestPicturesInOpenFormsStay: a picture that does not fit beside them is an error.
func TestPicturesInOpenFormsStay(t *testing.T) {
	var s Shelf
	for i := range MaxAll / MaxBytes {
		_, err := s.Name("m", fake(MaxBytes, fmt.Sprint(i)), always)
		require.NoError(t, err)
	}
	_, err := s.Name("m", fake(100, "more"), always)
	assert.EqualError(t, err, "the open forms of the client have 64 pictures with 1048576 bytes already: must be at most 256 with 1048576 bytes")
	_, err = s.Name("m", fake(100, "more"), func(n uint32) bool { return n != 7 })
	require.NoError(t, err)
	for _, it := range s.items {
		assert.NotEqual(t, uint32(7), it.number)
	}

	s = Shelf{}
	for i := range MaxCount {
		_, err := s.Name("m", fake(100, fmt.Sprint(i)), always)
		require.NoError(t, err)
	}
	_, err = s.Name("m", fake(100, "more"), always)
	assert.ErrorContains(t, err, "have 256 pictures with 25600 bytes")
}

// TestAHostileServerKeepsNoMemory: what a client refuses ends the connection.
func TestAHostileServerKeepsNoMemory(t *testing.T) {
	whole := pngFile(t, 5, 7)
	first := Piece{Number: 1, Size: len(whole), Hash: HashOf(whole), Data: whole[:30]}
	with := func(change func(p *Piece)) *Piece {
		p := first
		change(&p)
		return &p
	}
	rest := &Piece{Number: 1, Use: More, Data: whole[30:]}
	for _, c := range []struct {
		why    string
		pieces []*Piece
	}{
		{"picture 1 is unknown", []*Piece{rest}},
		{"picture 1 is unknown", []*Piece{{Number: 1, Use: Forgotten}}},
		{"picture 1 is unknown", []*Piece{&first, {Number: 1, Use: Forgotten}, rest}},
		{"picture 1 comes twice", []*Piece{&first, &first}},
		{"picture 1 comes twice", []*Piece{&first, rest, &first}},
		{"more bytes than", []*Piece{&first, rest, rest}},
		{"more bytes than", []*Piece{&first, {Number: 1, Use: More, Data: whole}}},
		{"another hash", []*Piece{with(func(p *Piece) { p.Hash[15]++ }), rest}},
		{"another hash", []*Piece{&first, {Number: 1, Use: More, Data: whole[31:]}, {Number: 1, Use: More, Data: whole[30:31]}}},
		{"picture 1: it must be a PNG", []*Piece{with(func(p *Piece) { p.Size, p.Data, p.Hash = 30, make([]byte, 30), HashOf(make([]byte, 30)) })}},
	} {
		var a Album
		for i, p := range c.pieces {
			_, err := a.Add(p)
			if i < len(c.pieces)-1 {
				require.NoError(t, err)
				continue
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.why)
		}
	}
	var a Album
	n := uint32(0)
	var err error
	for ; err == nil; n++ {
		_, err = a.Add(&Piece{Number: n + 1, Size: MinBytes, Data: []byte{1}})
	}
	assert.EqualError(t, err, "more than 256 pictures")
	a, n = Album{}, 0
	for err = nil; err == nil; n++ {
		_, err = a.Add(&Piece{Number: n + 1, Size: MaxBytes, Data: []byte{1}})
	}
	assert.EqualError(t, err, "the pictures have more than 1048576 bytes")
	assert.Less(t, cap(a.pages[1].data), 100, "what was announced alone takes no memory")
}

// FuzzPictures reads files and pieces: no input panics, and what is read is within the limits.
func FuzzPictures(f *testing.F) {
	for _, data := range [][]byte{pngFile(f, 5, 7), jpegFile(f, 9, 4), webpLossless(), webpLossy(), riff(webpChunk("VP8X", 2, 0, 0, 0, 0, 0, 0, 0, 0, 0))} {
		f.Add(data)
		w := bitstream.NewWriter(make([]byte, 2*MaxPiece))
		p := Piece{Number: 1, Size: len(data), Hash: HashOf(data), Data: data}
		p.Serialize(&w.Codec)
		f.Add(w.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Read(data); err == nil {
			if p.Width < 1 || p.Width > MaxSide || p.Height < 1 || p.Height > MaxSide || len(p.Data) > MaxBytes {
				t.Fatalf("%d × %d, %d bytes", p.Width, p.Height, len(p.Data))
			}
		}
		var a Album
		r := bitstream.NewReader(data)
		for range 100 {
			var p Piece
			if p.Serialize(&r.Codec); r.Err() != nil {
				return
			}
			if len(p.Data) > MaxPiece || p.Use != Forgotten && len(p.Data) == 0 {
				t.Fatalf("a piece of %d bytes", len(p.Data))
			}
			if _, err := a.Add(&p); err != nil {
				return
			}
		}
	})
}
