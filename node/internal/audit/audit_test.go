package audit

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func noon() time.Time { return time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC) }

func open(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(path, noon, func(err error) { t.Error(err) })
	require.NoError(t, err)
	return l
}

func lines(t *testing.T, path string) []Record {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []Record
	for line := range strings.Lines(string(text)) {
		var e Record
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		all = append(all, e)
	}
	return all
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, path)
	l.Record("console", "kick 3", nil)
	l.Close()
	l = open(t, path)
	l.Record("player Ann", "kick\n\x1b[31mBob", errors.New("nobody here is Bob"))
	assert.Equal(t, "2030-01-31T12:00:00Z player Ann: kick \x1b[31mBob (error: nobody here is Bob)", l.String(10))
	l.Close()

	all := lines(t, path)
	require.Len(t, all, 2)
	assert.Equal(t, Record{Time: noon(), By: "console", Did: "kick 3"}, all[0])
	assert.Equal(t, "kick\n\x1b[31mBob", all[1].Did)
	assert.Equal(t, "nobody here is Bob", all[1].Error)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), "\n"), "one entry is one line, whatever is in it")
	assert.NotContains(t, string(text), "\x1b")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(path, make([]byte, maxFile), 0o600))
	l := open(t, path)
	l.Record("console", "status", nil)
	l.Close()
	assert.Len(t, lines(t, path), 1)
	old, err := os.Stat(path + ".1")
	require.NoError(t, err)
	assert.EqualValues(t, maxFile, old.Size())
}

// TestTornLine checks that a line cut by a power failure does not damage other lines.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(path, []byte("{}\n{\"time"), 0o600))
	l := open(t, path)
	l.Record("console", "status", nil)
	l.Record("console", "mods", nil)
	l.Close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	all := strings.Split(string(text), "\n")
	require.Len(t, all, 5)
	assert.Equal(t, []string{"{}", `{"time`, ""}, []string{all[0], all[1], all[4]})
	for i, did := range []string{"status", "mods"} {
		var e Record
		require.NoError(t, json.Unmarshal([]byte(all[2+i]), &e))
		assert.Equal(t, did, e.Did)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, path)
	l.Record("console", strings.Repeat("ä", maxText), nil)
	l.Close()
	did := lines(t, path)[0].Did
	assert.LessOrEqual(t, len(did), maxText+len("…"))
	assert.True(t, strings.HasSuffix(did, "ä…"))
}

func TestMemoryKeepsNewestEntries(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "audit.log"))
	for range 3 * recent {
		l.Record("console", "status", nil)
	}
	defer l.Close()
	assert.Len(t, strings.Split(l.String(1000), "\n"), recent)
	assert.Len(t, strings.Split(l.String(3), "\n"), 3)
}

// TestFailingDisk checks that the first successful line counts the lines that failed before it. The
// operator gets one message.
func TestFailingDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	require.NoError(t, os.Mkdir(dir, 0o700))
	w := &writer{path: filepath.Join(dir, "gone", "audit.log")}
	heard := 0
	w.failed = func(error) { heard++ }
	queue := make(chan Record, 4)
	queue <- Record{Did: "a"}
	queue <- Record{Did: "b"}
	close(queue)
	w.run(queue)
	assert.Equal(t, 1, heard)

	require.NoError(t, os.Mkdir(filepath.Join(dir, "gone"), 0o700))
	queue = make(chan Record, 4)
	queue <- Record{Did: "c"}
	queue <- Record{Did: "d"}
	close(queue)
	w.run(queue)
	all := lines(t, w.path)
	require.Len(t, all, 2)
	assert.Equal(t, 2, all[0].Lost)
	assert.Zero(t, all[1].Lost, "it is said once")

	queue = make(chan Record, 4)
	queue <- Record{Did: "e"}
	close(queue)
	w.run(queue) // its file is closed
	assert.Equal(t, 2, heard, "a disk that fails again is told again")
}

// TestFullQueue checks that a caller never waits for the disk. A full queue drops records, and the
// next record has their number.
func TestFullQueue(t *testing.T) {
	l := &Log{queue: make(chan Record, 1), now: noon}
	for _, did := range []string{"a", "b", "c"} {
		l.Record("console", did, nil)
	}
	assert.Equal(t, "a", (<-l.queue).Did)
	l.Record("console", "d", nil)
	e := <-l.queue
	assert.Equal(t, "d", e.Did)
	assert.Equal(t, 2, e.Lost)
	l.Record("console", "e", nil)
	assert.Zero(t, (<-l.queue).Lost)
	assert.Contains(t, l.String(5), "console: b\n", "what is lost to the file is shown all the same")
}

// TestTruncatedLine checks that the next line does not continue a line that a full disk has cut.
func TestTruncatedLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	r, f, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	w := &writer{file: f}
	go func() { // ends the write after it has begun
		_, _ = r.Read(make([]byte, 1))
		_ = f.SetWriteDeadline(time.Unix(0, 0))
	}()
	require.Error(t, w.write(Record{Did: strings.Repeat("x", 4<<20)})) // more than a pipe holds
	require.NoError(t, f.SetWriteDeadline(time.Time{}))
	text := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(r)
		text <- all
	}()
	require.NoError(t, w.write(Record{Did: "next"}))
	require.NoError(t, w.write(Record{Did: "last"}))
	require.NoError(t, f.Close())
	all := strings.Split(string(<-text), "\n")
	require.Len(t, all, 4)
	assert.Contains(t, all[1], `"did":"next"`)
	assert.Contains(t, all[2], `"did":"last"`)
}
