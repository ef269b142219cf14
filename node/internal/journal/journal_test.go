package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample returns an entry of each kind, with all its fields.
func sample() (all []Entry) {
	kinds := make([]Kind, 0, len(fieldsOf))
	for k := range fieldsOf {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	at := time.Duration(0)
	for i, k := range kinds {
		e := Entry{Kind: k}
		if fieldsOf[k]&hasTime != 0 {
			at += time.Duration(40-i) * time.Millisecond
			if e.Time = at; k == Receive {
				e.Time = 0 // it arrived before the call before it
			}
		}
		if fieldsOf[k]&hasNumber != 0 {
			e.Number = uint64(i) << (2 * i)
		}
		if fieldsOf[k]&hasName != 0 {
			e.Name = string(rune('a' + i))
		}
		if fieldsOf[k]&hasData != 0 {
			e.Data = bytes.Repeat([]byte{byte(i)}, i*i)
		}
		all = append(all, e)
	}
	return all
}

// write returns the bytes of a journal.
func write(t testing.TB, entries []Entry, flushEvery int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{Protocol: 4, Classes: "c", Program: "v", Config: json.RawMessage(`{"a":1}`)})
	require.NoError(t, err)
	for i := range entries {
		require.NoError(t, w.Write(&entries[i]))
		if i%flushEvery == flushEvery-1 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

// read returns the entries of a journal and the error at its end.
func read(b []byte) (all []Entry, err error) {
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	for {
		e, err := r.Next()
		if err != nil {
			return all, err
		}
		e.Data = slices.Clone(e.Data)
		if fieldsOf[e.Kind]&hasTime == 0 {
			e.Time = 0
		}
		all = append(all, e)
	}
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	for _, every := range []int{1, 3, 1000} {
		b := write(t, want, every)
		got, err := read(b)
		assert.ErrorIs(t, err, io.EOF)
		assert.Equal(t, want, got)
	}
	r, err := NewReader(bytes.NewReader(write(t, nil, 1)))
	require.NoError(t, err)
	assert.Equal(t, Header{Protocol: 4, Classes: "c", Program: "v", Config: json.RawMessage(`{"a":1}`)}, r.Header)
}

// TestBlocksClose checks that a block closes at its size, and that Age tells how much time one
// holds.
func TestBlocksClose(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{})
	require.NoError(t, err)
	head := b.Len()
	random := rand.NewChaCha8([32]byte{})
	for i := range 3 {
		e := Entry{Kind: Receive, Time: time.Duration(i) * time.Second, Data: make([]byte, blockSize/3)}
		_, _ = random.Read(e.Data)
		require.NoError(t, w.Write(&e))
		assert.Equal(t, i == 2, b.Len() > head)
	}
	assert.Zero(t, w.Age())
	require.NoError(t, w.Write(&Entry{Kind: Send, Time: 5 * time.Second}))
	assert.Equal(t, 3*time.Second, w.Age())
	long := Entry{Kind: Content, Data: make([]byte, MaxField+1)}
	assert.ErrorContains(t, w.Write(&long), "the limit is 8388608")
	long.Data = long.Data[:MaxField]
	require.NoError(t, w.Write(&long))
	all, err := read(b.Bytes())
	assert.ErrorIs(t, err, io.EOF)
	assert.Len(t, all, 5)
}

// TestLongHeader checks that a header that needs too much memory is neither written nor read.
func TestLongHeader(t *testing.T) {
	long := json.RawMessage(`"` + strings.Repeat("x", maxHeader) + `"`)
	_, err := NewWriter(io.Discard, Header{Config: long})
	assert.EqualError(t, err, "the header of the journal has more than 4 MiB")
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{})
	require.NoError(t, err)
	b.Truncate(len(Magic) + 1)
	w.count = 0
	require.NoError(t, w.block([]byte(`{"config":`+string(long)+`}`)))
	_, err = NewReader(&b)
	assert.EqualError(t, err, "the header of the journal has more than 4 MiB")
}

func TestWriteDoesNotAllocate(t *testing.T) {
	w, err := NewWriter(io.Discard, Header{})
	require.NoError(t, err)
	e := Entry{Kind: Receive, Data: make([]byte, 60)}
	fill := func() {
		for range 2 * blockSize / len(e.Data) {
			e.Time += time.Millisecond
			_ = w.Write(&e)
		}
	}
	fill()
	assert.Zero(t, testing.AllocsPerRun(20, fill))
}

// failing is a disk that is full.
type failing struct{ room int }

var errFull = errors.New("no space left")

func (f *failing) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestErrorsStay(t *testing.T) {
	w, err := NewWriter(&failing{200}, Header{})
	require.NoError(t, err)
	for err == nil {
		if err = w.Write(&Entry{Kind: Send}); err == nil {
			err = w.Flush()
		}
	}
	assert.ErrorIs(t, err, errFull)
	assert.ErrorIs(t, w.Write(&Entry{Kind: Send}), errFull)
	assert.ErrorIs(t, w.Flush(), errFull)
}

// FuzzJournal checks that any bytes give entries or an error, and that the reader takes memory only
// for bytes that are there.
func FuzzJournal(f *testing.F) {
	f.Add(write(f, sample(), 5))
	hostile := make([]byte, headSize)
	blockHead{size: maxBlock}.put(hostile)
	f.Add(append([]byte(Magic+string(rune(Version))), hostile...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		for err == nil {
			_, err = r.Next()
		}
		// zstd can make 128 KiB of three bytes.
		if most := 1<<20 + 2*len(b) + len(b)*(windowSize/3); r.blocks.packed.Cap()+r.blocks.raw.Cap() > most {
			t.Fatalf("%d bytes of buffers for a journal of %d bytes", r.blocks.packed.Cap()+r.blocks.raw.Cap(), len(b))
		}
	})
}

// FuzzEntry checks that what is read can be written again.
func FuzzEntry(f *testing.F) {
	for _, e := range sample() {
		f.Add(e.append(nil, 0))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e, again Entry
		if _, err := e.parse(b, 0); err != nil {
			return
		}
		rest, err := again.parse(e.append(nil, 0), 0)
		require.NoError(t, err)
		require.Empty(t, rest)
		require.Equal(t, e, again)
	})
}

func BenchmarkWrite(b *testing.B) {
	w, _ := NewWriter(io.Discard, Header{})
	e := Entry{Kind: Receive, Number: 3, Data: make([]byte, 80)}
	_, _ = rand.NewChaCha8([32]byte{}).Read(e.Data)
	b.ReportAllocs()
	for b.Loop() {
		e.Time += 300 * time.Microsecond
		_ = w.Write(&e)
	}
}
