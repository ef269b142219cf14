package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forEver is a timeout for tests of other behavior. A busy machine does not reach it.
const forEver = 24 * time.Hour

func TestMain(m *testing.M) {
	closeTimeout = forEver
	os.Exit(m.Run())
}

// sink collects written data. It can be stopped and can fail.
type sink struct {
	mu      sync.Mutex
	text    bytes.Buffer
	writes  []string
	stopped chan struct{} // nil: never stopped
	err     error
}

func (s *sink) Write(b []byte) (int, error) {
	if s.stopped != nil {
		<-s.stopped
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, string(b))
	s.text.Write(b)
	return len(b), s.err
}

func collect(p *LineMode) (texts []string) {
	for line := range p.Lines() {
		texts = append(texts, line.Text)
	}
	return texts
}

func TestPipeLines(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	for _, row := range []struct {
		in    string
		lines []string
		out   string
	}{
		{"", nil, ""},
		{"one\ntwo\r\n\nlast", []string{"one", "two", "", "last"}, ""},
		{"\ufeffone\n\ufefftwo\n", []string{"one", "\ufefftwo"}, ""},
		{" keeps spaces \n", []string{" keeps spaces "}, ""},
		{long[:maxLine-1] + "\n", []string{long[:maxLine-1]}, ""},
		{long + "\nnext\n", []string{"next"}, "error: a line of more than 1024 KiB was ignored\n"},
		{"before\n" + long, []string{"before"}, "error: a line of more than 1024 KiB was ignored\n"},
	} {
		out := &sink{}
		p := NewLineMode(strings.NewReader(row.in), out)
		assert.Equal(t, row.lines, collect(p))
		require.NoError(t, p.Close())
		assert.Equal(t, row.out, out.text.String(), "nothing that was typed is echoed")
	}
}

func TestPipeEndOfInputIsNotTheEnd(t *testing.T) {
	out := &sink{}
	p := NewLineMode(nil, out)
	assert.Empty(t, collect(p))
	p.SetPrompt("nobody sees it> ")
	p.Print("still here")
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	assert.Equal(t, "still here\n", out.text.String())
}

func TestPipeWritesWholeLines(t *testing.T) {
	out := &sink{}
	p := NewLineMode(nil, out)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 1000 {
				p.Print(fmt.Sprintf("writer %d line %d", w, i))
			}
		})
	}
	writers.Wait()
	p.Print("two\nlines\twith \x1b")
	require.NoError(t, p.Close())
	for _, text := range out.writes {
		require.True(t, strings.HasSuffix(text, "\n"))
	}
	lines := strings.Split(out.text.String(), "\n")
	assert.Len(t, lines, 4*1000+3)
	next := make([]int, 4)
	for _, line := range lines[:4000] {
		var w, i int
		_, err := fmt.Sscanf(line, "writer %d line %d", &w, &i)
		require.NoError(t, err)
		require.Equal(t, next[w], i, "in order")
		next[w]++
	}
	assert.Equal(t, []string{"two", "lines\twith \\x1b", ""}, lines[4000:])
}

func TestPipeDropsTheOldestWhenNobodyReads(t *testing.T) {
	out := &sink{stopped: make(chan struct{})}
	p := NewLineMode(nil, out)
	const lines = 30_000
	line := strings.Repeat("y", 99)
	for i := range lines { // 3 MB; no call may block
		p.Print(fmt.Sprintf("%5d%s", i, line[6:]))
	}
	close(out.stopped)
	require.NoError(t, p.Close())
	var dropped, kept, last int
	for text := range strings.SplitSeq(strings.TrimSuffix(out.text.String(), "\n"), "\n") {
		more := 0 // each pass of the writer is reported once
		if n, _ := fmt.Sscanf(text, "(%d lines dropped)", &more); n == 1 {
			dropped += more
		} else {
			kept++
			_, err := fmt.Sscanf(text, "%d", &last)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, lines, kept+dropped)
	assert.Equal(t, lines-1, last, "the newest stays")
	assert.LessOrEqual(t, kept*99, maxBacklog+writeSize+99)
	assert.Greater(t, dropped, 0)
}

func TestPipeSurvivesAClosedOutput(t *testing.T) {
	p := NewLineMode(nil, &sink{err: errors.New("broken pipe")})
	for range 1000 {
		p.Print("into the void")
	}
	require.NoError(t, p.Close())
}

func TestPipeCloseWhileOutputIsStuck(t *testing.T) {
	closeTimeout = time.Millisecond
	defer func() { closeTimeout = forEver }()
	out := &sink{stopped: make(chan struct{})}
	p := NewLineMode(nil, out)
	p.Print("never seen")
	assert.ErrorIs(t, p.Close(), ErrOutputPending)
	close(out.stopped)
	<-p.written
}

func TestOpen(t *testing.T) {
	in, feed, err := os.Pipe()
	require.NoError(t, err)
	drain, out, err := os.Pipe()
	require.NoError(t, err)
	for mode, want := range map[Mode]string{TTY: "must be a terminal", "gui": "must be auto, tty, line or off"} {
		_, err := Open(mode, SourceOptions{In: in, Out: out})
		assert.ErrorContains(t, err, want)
	}
	off, err := Open(Off, SourceOptions{In: in, Out: out})
	require.NoError(t, err)
	_, ok := <-off.Lines()
	assert.False(t, ok)
	require.NoError(t, off.Close())

	src, err := Open(Auto, SourceOptions{In: in, Out: out})
	require.NoError(t, err)
	_, err = feed.WriteString("a line\n")
	require.NoError(t, err)
	feed.Close()
	assert.Equal(t, Input{Text: "a line"}, <-src.Lines())
	src.Print("an answer")
	require.NoError(t, src.Close())
	out.Close()
	text, err := io.ReadAll(drain)
	require.NoError(t, err)
	assert.Equal(t, "an answer\n", string(text))
}
