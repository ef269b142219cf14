//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestLogFileReopens checks that SIGHUP makes a server write to a new file after another program
// has renamed the old one.
func TestLogFileReopens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "torc.log")
	server, _, _ := serveOn(t, "--log-file", path)
	server.until(`warn "first" echo(1)`, "1")
	require.NoError(t, os.Rename(path, path+".1"))
	server.until(`warn "second" echo(2)`, "2")
	server.signal(syscall.SIGHUP)
	for limit := testenv.Limit(t); ; {
		server.until(`warn "third" echo(3)`, "3")
		if text, _ := os.ReadFile(path); strings.Contains(string(text), "third") {
			break
		}
		require.False(t, testenv.Expired(limit), "no new file")
	}
	server.quits()
	before, err := os.ReadFile(path + ".1")
	require.NoError(t, err)
	assert.Contains(t, string(before), "first")
	assert.Contains(t, string(before), "second")
	assert.Contains(t, server.err.String(), "third")
}
