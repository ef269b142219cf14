package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/DeRuina/timberjack"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

const logKept = 30 // old log files that are kept

// A logFile writes the log to stderr and to a file. When the file is large, and at 00:00 UTC, it is
// renamed and a new one begins. Old files are removed by number and age. An error of the file does
// not end the log: it is told once on stderr.
type logFile struct {
	stderr io.Writer
	o      *config.Log

	mu     sync.Mutex
	file   *timberjack.Logger
	failed bool
}

// openLogFile opens the log file of the options, beside stderr.
func openLogFile(o *config.Log, stderr io.Writer) (*logFile, error) {
	f, err := os.OpenFile(o.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, flags.Usagef("--log-file cannot be written: %v", err)
	}
	f.Close()
	l := &logFile{stderr: stderr, o: o}
	l.reopen()
	return l, nil
}

// Write writes a record to stderr and to the file.
func (l *logFile) Write(record []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.file.Write(record)
	if err != nil && !l.failed {
		fmt.Fprintf(l.stderr, "torc: the log file cannot be written: %v\n", err)
	}
	l.failed = err != nil
	return l.stderr.Write(record)
}

// reopen closes the file, which another program may have renamed, and opens its name again.
func (l *logFile) reopen() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close() // the records are written already
	}
	l.file = &timberjack.Logger{
		Filename: l.o.LogFile, FileMode: 0o600,
		MaxSize: l.o.LogMaxSize, RotateAt: []string{"00:00"}, MaxAge: l.o.LogMaxAge, MaxBackups: logKept,
	}
}
