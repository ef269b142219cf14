package bitstream

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines returns chat-like lines that the code was not fitted to.
func lines(t testing.TB) []string {
	b, err := os.ReadFile("testdata/lines.txt")
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// TestTextIsShort compares Text with a length byte and the bytes.
func TestTextIsShort(t *testing.T) {
	bits, bytes := 0, 0
	for _, line := range lines(t) {
		w := writer()
		w.Text(&line, 255)
		require.NoError(t, w.Err())
		bits += w.Pos()
		bytes += 1 + len(line)
	}
	assert.Less(t, float64(bits)/float64(8*bytes), 0.5)
}

// TestUnsuitedTextIsNotLong is the price of text the code does not suit.
func TestUnsuitedTextIsNotLong(t *testing.T) {
	for _, text := range []string{"", "\x00\x01", "über", "Щит", strings.Repeat("\xff", 15), strings.Repeat("Z9", 100)} {
		w := writer()
		w.Text(&text, 255)
		assert.LessOrEqual(t, w.Pos(), 1+varBits(uint64(len(text)))+8*len(text), "%q", text)
	}
}

// TestCodes checks that each context's code is complete (whatever bits come,
// they mean something) and that every byte comes back in every context.
func TestCodes(t *testing.T) {
	require.Len(t, lengths, contexts)
	for ctx, row := range lengths {
		require.Len(t, row, symBytes+'~'-' '+1)
		sum := 0
		for i := range len(row) {
			require.LessOrEqual(t, row[i], byte('0'+codeBits))
			sum += 1 << codeBits >> (row[i] - '0')
		}
		require.Equal(t, 1<<codeBits, sum, "context %d", ctx)
	}
	for first := range 256 {
		for second := range 256 {
			text := string([]byte{byte(first), byte(second)})
			w := writer()
			w.writeCodes(text, ctxSpace)
			r := NewReader(w.Bytes())
			require.Equal(t, text, string(r.readCodes(nil, ctxSpace, 2)))
			require.NoError(t, r.Err())
			require.Equal(t, w.Pos(), r.Pos())
		}
	}
}

// TestTextPinned pins the code table, which is part of the protocol.
func TestTextPinned(t *testing.T) {
	w := writer()
	for _, text := range []string{"Attack the base!", "Attack the flag 42 times", "\xfe"} {
		w.Text(&text, 255)
	}
	require.Equal(t, "ef73d94a803084b6137b4179a940afb440f803", hex.EncodeToString(w.Bytes()))
}

func TestPrefix(t *testing.T) {
	size := func(texts ...string) int {
		w := writer()
		for _, text := range texts {
			w.Text(&text, 255)
		}
		require.NoError(t, w.Err())
		r := NewReader(w.Bytes())
		for _, text := range texts {
			var got string
			r.Text(&got, 255)
			require.Equal(t, text, got)
		}
		require.NoError(t, r.Err())
		require.Equal(t, w.Pos(), r.Pos())
		return w.Pos()
	}
	path, file, other := "base/server/main.lua", "base/server/game.lua", "mods/server/game.lua"
	alone := size(path)
	assert.Less(t, size(path, file)-alone, size(file)*3/4)
	assert.Equal(t, size(other)+1, size(path, other)-alone, "no prefix: one flag")
	assert.Equal(t, size("ab")+size("abc"), size("ab", "abc"), "too short: no flag")
	long := strings.Repeat("a", 100)
	size(long, long, long[:30], long[:31], long[:32])
	assert.Greater(t, size(long, long)-size(long), 60, "what is long is not got for a few bits")
}

func TestTextRefused(t *testing.T) {
	w := writer()
	w.WriteFlag(true)
	escape := codes[ctxSpace][0xFF]
	w.WriteBits(escape.bits()&(1<<(escape.width()-8)-1), escape.width()-8)
	w.WriteBits('e', 8)
	w.WriteBits(ends['e'-'a'].bits(), ends['e'-'a'].width())
	r := NewReader(w.Bytes())
	var text string
	r.Text(&text, 9)
	assert.Equal(t, ErrText, r.Err(), "an escape for what has a code")
	assert.Empty(t, text)

	w = writer()
	text = "abc"
	w.Text(&text, 9)
	w.WriteFlag(true)
	w.WriteBits(1, 1) // of 3..3 there is nothing to choose: this is the coded flag
	w.WriteBits(ends[2].bits(), ends[2].width())
	r = NewReader(w.Bytes())
	r.Text(&text, 9)
	r.Text(&text, 2)
	assert.Equal(t, ErrRange, r.Err(), "a prefix longer than the most")

	for rest, want := range map[string]error{"123456": nil, "1234567": ErrRange} {
		w = writer()
		text = "abc"
		w.Text(&text, 9)
		w.WriteFlag(true)  // the prefix of 3 bytes
		w.WriteFlag(false) // not coded
		w.writeRaw(rest)
		r = NewReader(w.Bytes())
		r.Text(&text, 9)
		r.Text(&text, 9)
		assert.Equal(t, want, r.Err(), "a prefix and %d bytes", len(rest))
	}
}

// TestForgedLengths announces more than there is: nothing may be allocated.
func TestForgedLengths(t *testing.T) {
	for _, length := range []uint64{1 << 40, 9, 6} { // there are 5 bytes more
		packed := func(prefix int) []byte {
			w := writer()
			w.WriteBits(0, prefix)
			w.Var(&length)
			return append(w.Bytes(), 0, 0, 0, 0, 0)
		}
		asBytes, asText := packed(0), packed(1)
		var r Reader
		var b []byte
		require.Zero(t, testing.AllocsPerRun(10, func() {
			r.Reset(asBytes)
			r.Bytes(&b, 1<<50)
		}))
		require.Equal(t, ErrShort, r.Err())
		var text string
		require.Zero(t, testing.AllocsPerRun(10, func() {
			r.Reset(asText)
			r.Text(&text, 1<<50)
		}))
		require.Equal(t, ErrShort, r.Err())
	}
}

// TestReadAllocations: one allocation for a text, none for one already there.
func TestReadAllocations(t *testing.T) {
	w := writer()
	for _, text := range []string{"attack the base", "attack the base", "attack"} {
		w.Text(&text, 255)
	}
	var r Reader
	var text string
	require.Equal(t, 1.0, testing.AllocsPerRun(10, func() {
		r.Reset(w.Bytes())
		r.Text(&text, 255)
		r.Text(&text, 255)
		r.Text(&text, 255)
	}))
	require.Equal(t, "attack", text)
}
