//go:build unix && !solaris && !aix

package data

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCloseUnlocksInSpiteOfCopies: a forked child has a copy of the lock's file until it executes
// its program. The folder must be free as soon as it is closed.
func TestCloseUnlocksInSpiteOfCopies(t *testing.T) {
	path := t.TempDir()
	first, err := Open(path, true)
	require.NoError(t, err)
	held, err := syscall.Dup(int(first.server.Fd()))
	require.NoError(t, err)
	require.NoError(t, first.Close())
	second, err := Open(path, true)
	if assert.NoError(t, err) {
		assert.NoError(t, second.Close())
	}
	require.NoError(t, syscall.Close(held))
}
