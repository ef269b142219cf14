package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/remote"
)

// TestTerminalOfARunningServer attaches a terminal. The prompt completes names, asks for the rest
// of a chunk, prints server output above the typed text, keeps a history and can be left.
func TestTerminalOfARunningServer(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	server, _, _ := serveOn(t, "--data", dir)
	p := sit(t, 80, "console", filepath.Join(dir, remote.Socket))
	p.usesPrompt(server)
	p.types("\x03")
	p.sees("(press again to quit)", "torc>")
	p.types("\x03")
	p.ends(ended)
	assert.Equal(t, p.found, p.mode(), "the terminal is as it was")
	text, err := os.ReadFile(filepath.Join(dir, "history"))
	require.NoError(t, err)
	assert.Equal(t, "1 + 1\nfunction f()\n", string(text))
	server.quits()
}
