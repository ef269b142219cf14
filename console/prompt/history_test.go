package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHistoryIsCutToItsNewestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var b strings.Builder
	for i := range 3 * historyLines {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	h, lines, err := openHistory(path)
	require.NoError(t, err)
	assert.Len(t, lines, historyLines)
	assert.Equal(t, fmt.Sprint("line ", 3*historyLines-1), lines[historyLines-1])
	h.add("new")
	h.add("new")
	h.close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, historyLines+1, strings.Count(string(text), "\n"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

// TestHugeHistory checks that only the end of a far too large file is read and kept.
func TestHugeHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	require.NoError(t, os.WriteFile(path, []byte("\nold\n"), 0o600))
	require.NoError(t, os.Truncate(path, 2*maxHistoryRead))
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString("\nnew\nnewer\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	h, lines, err := openHistory(path)
	require.NoError(t, err)
	h.close()
	assert.Equal(t, []string{"new", "newer"}, lines)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new\nnewer\n", string(text))
}

func TestNoHistory(t *testing.T) {
	h, lines, err := openHistory("")
	require.NoError(t, err)
	assert.Empty(t, lines)
	h.add("nowhere")
	h.close()
	_, _, err = openHistory(t.TempDir())
	assert.Error(t, err, "a folder is no history")
}
