package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// split returns what is before the first block of a journal, and the bytes of each block.
func split(t *testing.T, b []byte) (head []byte, blocks [][]byte) {
	t.Helper()
	head, b = b[:len(Magic)+1], b[len(Magic)+1:]
	for len(b) > 0 {
		var h blockHead
		require.True(t, h.parse(b))
		blocks = append(blocks, b[:headSize+h.size])
		b = b[headSize+h.size:]
	}
	return head, blocks
}

// placed returns the block and its first byte that hold byte n of a journal.
func placed(head []byte, blocks [][]byte, n int) (number uint32, at int64) {
	end := len(head)
	for i, b := range blocks {
		if end += len(b); n < end {
			return uint32(i), int64(end - len(b))
		}
	}
	return uint32(len(blocks)), int64(end)
}

// TestCuts checks that a journal that is cut at any byte gives all whole blocks before the cut, and
// that this is no damage.
func TestCuts(t *testing.T) {
	want := sample()
	b := write(t, want, 2)
	head, blocks := split(t, b)
	for n := range b {
		got, err := read(b[:n])
		require.Equal(t, append([]Entry{}, want[:len(got)]...), append([]Entry{}, got...))
		number, at := placed(head, blocks, n)
		switch {
		case n < len(Magic):
			assert.EqualError(t, err, "this is no journal of torc")
		case number == 0:
			assert.ErrorContains(t, err, "the header of the journal cannot be read: ")
			assert.ErrorIs(t, err, ErrCut, "byte %d", n)
		case int64(n) == at:
			assert.Equal(t, io.EOF, err, "byte %d", n)
		default:
			assert.Equal(t, &BlockError{number, at, ErrCut}, err, "byte %d", n)
		}
	}
}

// TestDamage checks that a journal with another bit in any byte gives all blocks before it, and
// names the block. A damaged length is no cut.
func TestDamage(t *testing.T) {
	want := sample()
	b := write(t, want, 2)
	head, blocks := split(t, b)
	for n := len(head); n < len(b); n++ {
		for _, bit := range []byte{1, 0x10, 0x80} {
			flipped := slices.Clone(b)
			flipped[n] ^= bit
			got, err := read(flipped)
			require.NotErrorIs(t, err, ErrCut, "byte %d", n)
			number, at := placed(head, blocks, n)
			assert.Len(t, got, max(0, 2*int(number)-2))
			why := errSum
			if int64(n) < at+headSize {
				why = errHead
			}
			if number == 0 {
				require.EqualError(t, err, "the header of the journal cannot be read: "+why.Error())
			} else {
				require.Equal(t, &BlockError{number, at, why}, err, "byte %d", n)
			}
		}
	}
	_, err := read(append(b[:len(b)-1:len(b)-1], b[len(b)-1]^1))
	assert.EqualError(t, err, "block 17 of the journal, at byte 854, cannot be used: its checksum is wrong")
}

// TestOrderOfBlocks checks that missing, swapped and doubled blocks are named, and blocks after the
// end.
func TestOrderOfBlocks(t *testing.T) {
	b := write(t, sample(), 4)
	head, all := split(t, b)
	last := len(all) - 1
	for name, c := range map[string]struct {
		order []int
		block uint32
		want  string
	}{
		"first missing": {[]int{0, 2, 3}, 1, "block 2 stands in its place: blocks are missing or swapped"},
		"one missing":   {[]int{0, 1, 3, 4}, 2, "block 3 stands in its place: blocks are missing or swapped"},
		"two swapped":   {[]int{0, 1, 3, 2, 4}, 2, "block 3 stands in its place: blocks are missing or swapped"},
		"one doubled":   {[]int{0, 1, 2, 2, 3}, 3, "it is block 2 again: blocks are doubled or swapped"},
		"last doubled":  {[]int{0, 1, 2, 3, 4, 5, 6, 6}, 7, "it is block 6 again: blocks are doubled or swapped"},
		"last one late": {[]int{0, 1, 6}, 2, "block 6 stands in its place: blocks are missing or swapped"},
	} {
		text := slices.Clone(head)
		for _, i := range c.order {
			text = append(text, all[min(i, last)]...)
		}
		got, err := read(text)
		var block *BlockError
		require.ErrorAs(t, err, &block, name)
		assert.Equal(t, c.block, block.Number, name)
		assert.EqualError(t, block.Err, c.want, name)
		assert.Len(t, got, min(4*max(0, int(c.block)-1), len(sample())), name)
	}
	_, err := read(append(slices.Clone(head), all[1]...))
	assert.EqualError(t, err, "the header of the journal cannot be read: block 1 stands in its place: blocks are missing or swapped")
	for name, more := range map[string][]byte{"a byte": {1}, "zeros": make([]byte, 100)} {
		_, err := read(append(slices.Clone(b), more...))
		assert.ErrorContains(t, err, "cannot be used: ", name)
		assert.NotErrorIs(t, err, ErrCut, name)
	}
	after := append(sample(), Entry{Kind: Plain})
	for every := range 3 {
		_, err := read(write(t, after, every+len(after)-2)) // in a block of its own, or not
		assert.ErrorIs(t, err, errAfterEnd)
	}
}

// TestTimes checks that times are bounded, and that only those of datagrams go back: neither is
// another one written, nor is it read.
func TestTimes(t *testing.T) {
	const most = "an entry has the time %v: must be 0s…87600h0m0s"
	for _, c := range []struct {
		kind Kind
		at   time.Duration // after another one of 5 s
		want string
	}{
		{Tick, math.MaxInt64, fmt.Sprintf(most, time.Duration(math.MaxInt64))},
		{Receive, math.MaxInt64, fmt.Sprintf(most, time.Duration(math.MaxInt64))},
		{Send, math.MinInt64, fmt.Sprintf(most, time.Duration(math.MinInt64))},
		{Close, MaxTime + 1, fmt.Sprintf(most, MaxTime+1)},
		{Receive, -1, fmt.Sprintf(most, "-1ns")},
		{Receive, 0, ""},
		{Tick, MaxTime, ""},
		{Tick, 5 * time.Second, ""},
		{Tick, 5*time.Second - 1, "the time goes back from 5s to 4.999999999s"},
		{Close, 0, "the time goes back from 5s to 0s"},
	} {
		first, e := Entry{Kind: Send, Time: 5 * time.Second}, Entry{Kind: c.kind, Time: c.at}
		var b bytes.Buffer
		w, err := NewWriter(&b, Header{})
		require.NoError(t, err)
		require.NoError(t, w.Write(&first))
		written := w.Write(&e)
		b.Reset()
		w, err = NewWriter(&b, Header{})
		require.NoError(t, err)
		require.NoError(t, w.block(e.append(first.append(nil, 0), first.Time)))
		_, err = read(b.Bytes())
		if c.want == "" {
			assert.NoError(t, written)
			assert.Equal(t, io.EOF, err)
		} else {
			assert.EqualError(t, written, c.want)
			assert.ErrorContains(t, err, "block 1 of the journal, at byte ")
			assert.ErrorContains(t, err, c.want)
		}
	}
}

// TestErrorsOfTheDisk checks that a disk that cannot be read is no damage of the journal.
func TestErrorsOfTheDisk(t *testing.T) {
	b := write(t, sample(), 2)
	for n := range b {
		r, err := NewReader(io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(errFull)))
		for err == nil {
			_, err = r.Next()
		}
		require.ErrorIs(t, err, errFull, "byte %d", n)
	}
}

// TestOtherFiles checks that older, newer and foreign files have a sentence of their own.
func TestOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "this is no journal of torc",
		"torc-recording":                    "this is no journal of torc",
		Magic[:5]:                           "this is no journal of torc",
		Magic:                               "the header of the journal cannot be read: the file ends in it: the process was killed, or the file was cut off",
		Magic + "\x01":                      "this journal has the older format 1, and this program reads formats 2 to 3: replay it with the torc that wrote it",
		Magic + string(rune(Version+1)):     "this journal has the newer format 4, and this program reads formats 2 to 3: replay it with a newer torc",
		Magic + string(rune(Version)):       "the header of the journal cannot be read: the file ends in it: the process was killed, or the file was cut off",
		Magic + string(rune(Version)) + "x": "the header of the journal cannot be read: the file ends in it: the process was killed, or the file was cut off",
	} {
		_, err := NewReader(bytes.NewReader([]byte(text)))
		assert.EqualError(t, err, want)
		assert.False(t, errors.Is(err, io.EOF))
	}
}
