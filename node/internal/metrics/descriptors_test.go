package metrics

import (
	"bytes"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNoDescriptorsLeft: the operator reads it once, however long it lasts, and reads when it is
// over.
func TestNoDescriptorsLeft(t *testing.T) {
	var log bytes.Buffer
	var err error
	d := descriptors{log: slog.New(slog.NewTextHandler(&log, nil)), open: func() error { return err }}
	look := func(fault error) string {
		log.Reset()
		err = fault
		for range 10 * lookEvery {
			d.look()
		}
		return log.String()
	}
	full := &fs.PathError{Op: "open", Path: "/dev/null", Err: syscall.EMFILE}
	assert.Empty(t, look(nil))
	assert.Equal(t, 1, strings.Count(look(full), "no file descriptors are left"))
	assert.Empty(t, look(full))
	assert.Contains(t, look(nil), "there are file descriptors again")
	assert.Empty(t, look(nil))
	assert.Empty(t, look(fs.ErrPermission), "a closed-off /dev/null is no lack")
	assert.NoError(t, openNull())
}
