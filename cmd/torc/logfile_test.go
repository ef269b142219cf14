package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// TestLogFile checks that records are on stderr and in the file, that a large file is renamed, and
// that an error of the file does not end the log.
func TestLogFile(t *testing.T) {
	dir := t.TempDir()
	var stderr bytes.Buffer
	l, err := openLogFile(&config.Log{LogFile: filepath.Join(dir, "torc.log"), LogMaxSize: 1, LogMaxAge: 1}, &stderr)
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.file.Close()) }()
	record := []byte(strings.Repeat("x", 600<<10) + "\n")
	for range 2 {
		_, err := l.Write(record)
		require.NoError(t, err)
	}
	assert.Equal(t, 2*len(record), stderr.Len())
	files, err := filepath.Glob(filepath.Join(dir, "torc-*-size.log"))
	require.NoError(t, err)
	assert.Len(t, files, 1, "the first file is renamed at 1 MiB")
	text, err := os.ReadFile(l.o.LogFile)
	require.NoError(t, err)
	assert.Equal(t, record, text)
	info, err := os.Stat(l.o.LogFile)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	for range 2 { // larger than a file can be
		_, err = l.Write(bytes.Repeat(record, 2))
		require.NoError(t, err)
	}
	assert.Equal(t, 1, strings.Count(stderr.String(), "torc: the log file cannot be written: "))

	_, err = openLogFile(&config.Log{LogFile: dir}, &stderr)
	require.ErrorContains(t, err, "--log-file cannot be written: ")
}

// TestLogFileOfADay checks that a new file begins at 00:00 UTC, however long the program has run.
func TestLogFileOfADay(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(20 * time.Hour) // the clock began at 00:00 UTC
		l, err := openLogFile(&config.Log{LogFile: filepath.Join(dir, "torc.log"), LogMaxSize: 1, LogMaxAge: 10}, io.Discard)
		require.NoError(t, err)
		defer func() { assert.NoError(t, l.file.Close()) }()
		for _, old := range []int{0, 1, 1} {
			_, err = l.Write([]byte("record\n"))
			require.NoError(t, err)
			files, err := filepath.Glob(filepath.Join(dir, "torc-*-time.log"))
			require.NoError(t, err)
			assert.Len(t, files, old)
			time.Sleep(5 * time.Hour)
		}
	})
}

// TestUnitLetsLogsRotate checks that the unit for systemd allows chown, which the rotation of a log
// file calls. A call that the filter refuses would kill the server. As in systemd, the last word
// about a call counts.
func TestUnitLetsLogsRotate(t *testing.T) {
	unit, err := os.ReadFile(filepath.Join("..", "..", "dist", "torc.service"))
	require.NoError(t, err)
	allowed := false
	for line := range strings.Lines(string(unit)) {
		filter, is := strings.CutPrefix(strings.TrimSpace(line), "SystemCallFilter=")
		if !is {
			continue
		}
		list, refuses := strings.CutPrefix(filter, "~")
		for set := range strings.FieldsSeq(list) {
			if set == "@system-service" || set == "@privileged" || set == "@chown" { // the sets with chown
				allowed = !refuses
			}
		}
	}
	assert.True(t, allowed)
}
