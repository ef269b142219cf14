package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, c := range []struct {
		in   string
		want []Line
	}{
		{"", nil},
		{"a\nb\r\n\nc", []Line{{Text: "a"}, {Text: "b"}, {}, {Text: "c"}}},
		{long + "\nb\n", []Line{{Text: long}, {Text: "b"}}},
		{long + "x\nb\n", []Line{{Err: ErrTooLong}, {Text: "b"}}},
		{long + long + "\n", []Line{{Err: ErrTooLong}}},
	} {
		var got []Line
		for line := range Read(strings.NewReader(c.in)) {
			got = append(got, line)
		}
		assert.Equal(t, c.want, got)
	}
	var got []Line
	for line := range Read(iotest.OneByteReader(strings.NewReader("one\ntwo"))) {
		got = append(got, line)
	}
	assert.Equal(t, []Line{{Text: "one"}, {Text: "two"}}, got)
}

func TestWriterKeepsOrderAndWholeLines(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	var want strings.Builder
	for i := range 10_000 {
		w.Print(fmt.Sprint("line ", i))
		fmt.Fprintln(&want, "line", i)
	}
	w.Close(time.Minute)
	assert.Equal(t, want.String(), out.String())
}

// stuck is a pipe nobody reads until it is opened.
type stuck struct {
	open chan struct{}
	out  bytes.Buffer
}

func (s *stuck) Write(b []byte) (int, error) { <-s.open; return s.out.Write(b) }

func TestWriterNeverWaitsAndForgetsTheOldest(t *testing.T) {
	pipe := &stuck{open: make(chan struct{})}
	w := NewWriter(pipe)
	line := strings.Repeat("x", 1_000)
	const lines = 5_000
	for i := range lines {
		w.Print(fmt.Sprintf("%04d%s", i, line))
	}
	close(pipe.open)
	w.Close(time.Minute)

	said := strings.Split(strings.TrimSuffix(pipe.out.String(), "\n"), "\n")
	dropped, at := 0, -1
	for i, s := range said {
		if n, _ := fmt.Sscanf(s, "(%d lines dropped)", &dropped); n == 1 {
			at = i
		}
	}
	require.GreaterOrEqual(t, at, 0, "it says that lines were dropped")
	assert.Equal(t, lines, len(said)-1+dropped, "every line is written or counted")
	assert.Equal(t, fmt.Sprintf("%04d%s", lines-1, line), said[len(said)-1], "the newest is kept")
	assert.LessOrEqual(t, len(pipe.out.String()), MaxWaiting+128<<10)
}

func TestCloseDoesNotWaitForAReaderThatIsGone(t *testing.T) {
	pipe := &stuck{open: make(chan struct{})}
	w := NewWriter(pipe)
	w.Print("x")
	w.Close(time.Millisecond)
	close(pipe.open)
	<-w.done
}

func TestWriterOutlivesABrokenPipe(t *testing.T) {
	r, pipe := io.Pipe()
	r.CloseWithError(errors.New("gone"))
	w := NewWriter(pipe)
	for range 100 {
		w.Print("x")
	}
	w.Close(time.Minute)
}
