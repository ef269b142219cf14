package replay_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/replay"
)

// liveHeap returns the bytes of the heap that are in use.
func liveHeap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestLongMarksAreCut checks that a scan keeps only the beginning of the text of a mark.
func TestLongMarksAreCut(t *testing.T) {
	const marks = 16
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{})
	require.NoError(t, err)
	for range marks {
		require.NoError(t, w.Write(&journal.Entry{Kind: journal.Mark, Name: "fault\tctf\tonTick\ta.lua:1\t" + strings.Repeat("x", 1<<20)}))
	}
	require.NoError(t, w.Flush())
	before := liveHeap()
	s, err := replay.Scan(&b)
	require.NoError(t, err)
	assert.Less(t, liveHeap()-before, marks<<19)
	require.Len(t, s.Marks, marks)
	m := s.Marks[0]
	assert.Equal(t, "a.lua:1", m.At)
	assert.Equal(t, 4096, len("fault\tctf\tonTick\ta.lua:1\t"+m.Text))
}
