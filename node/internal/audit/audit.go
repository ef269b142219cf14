// Package audit records who changed what on a server. It writes a line of JSON for every line of
// the console, for every command that a player ran with a role, and for every command that a mod
// ran with a permission.
//
//	{"time":"2030-01-31T12:00:00Z","by":"player Ann (KEY)","did":"kick Bob",
//	"error":"no player has the id or name \"Bob\" (players lists them)"}
//
// Lines are only appended. At 8 MiB the file is renamed to FILE.1 and replaces an older FILE.1. A
// goroutine writes, so the simulation never waits for the disk. Entries that cannot be written are
// counted, and the next line reports the count.
package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	maxFile = 8 << 20
	maxText = 1024 // bytes of one field
	waiting = 1024 // entries queued for the file
	recent  = 200  // entries kept for String
)

// Record is one action.
type Record struct {
	Time  time.Time `json:"time"`
	By    string    `json:"by"`
	Did   string    `json:"did"`
	Error string    `json:"error,omitempty"` // why it failed; "" if it did not
	Lost  int       `json:"lost,omitempty"`  // entries before this one missing in the file
}

// Log is an open audit log. Its methods are for one goroutine.
type Log struct {
	queue chan Record // to the file; nil: there is no file
	done  chan struct{}
	lost  int
	last  []Record // newest entries, oldest first
	now   func() time.Time
}

// Open opens the file at path for appending, or creates it (0600). failed is called with the first
// of a series of write errors.
func Open(path string, now func() time.Time, failed func(error)) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be opened: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("the audit log cannot be opened: %w", err)
	}
	l := &Log{queue: make(chan Record, waiting), done: make(chan struct{}), now: now}
	w := &writer{path: path, file: f, size: info.Size(), torn: torn(f, info.Size()), failed: failed}
	go func() {
		defer close(l.done)
		w.run(l.queue)
	}()
	return l, nil
}

// New returns a log in memory.
func New(now func() time.Time) *Log { return &Log{now: now} }

// Record adds an entry: by did something, and err is the reason if it failed.
func (l *Log) Record(by, did string, err error) {
	e := Record{Time: l.now().UTC().Round(time.Millisecond), By: cut(by), Did: cut(did), Lost: l.lost}
	if err != nil {
		e.Error = cut(err.Error())
	}
	if len(l.last) == recent {
		l.last = append(l.last[:0], l.last[1:]...)
	}
	l.last = append(l.last, e)
	if l.queue == nil {
		return
	}
	select {
	case l.queue <- e:
		l.lost = 0
	default:
		l.lost++
	}
}

// String returns the newest n entries, at most 200, one per line.
func (l *Log) String(n int) string {
	var lines []string
	for _, e := range l.last[max(0, len(l.last)-n):] {
		line := e.Time.Format(time.RFC3339) + " " + e.By + ": " + strings.ReplaceAll(e.Did, "\n", " ")
		if e.Error != "" {
			line += " (error: " + strings.ReplaceAll(e.Error, "\n", " ") + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Close writes the queued entries and closes the file.
func (l *Log) Close() {
	if l.queue == nil {
		return
	}
	close(l.queue)
	<-l.done
}

// torn reports whether a file ends in the middle of a line, after a crash or on a full disk.
func torn(f *os.File, size int64) bool {
	last := []byte{'\n'}
	_, err := f.ReadAt(last, max(size-1, 0))
	return err == nil && last[0] != '\n'
}

func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// A writer belongs to the goroutine that writes: the file, and its size.
type writer struct {
	path   string
	file   *os.File
	size   int64
	torn   bool // the last line is incomplete
	failed func(error)
	broken bool
	lost   int
}

func (w *writer) run(queue <-chan Record) {
	for e := range queue {
		e.Lost += w.lost
		if err := w.write(e); err != nil {
			w.lost = e.Lost + 1
			if !w.broken && w.failed != nil {
				w.failed(fmt.Errorf("the audit log cannot be written: %w", err))
			}
			w.broken = true
			continue
		}
		w.lost, w.broken = 0, false
	}
	if w.file != nil {
		w.file.Close()
	}
}

func (w *writer) write(e Record) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if w.file == nil || w.size+int64(len(line)) >= maxFile {
		if err := w.turn(); err != nil {
			return err
		}
	}
	line = append(line, '\n')
	if w.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := w.file.Write(line)
	w.size += int64(n)
	if n > 0 {
		w.torn = err != nil
	}
	return err
}

// turn renames a full file and opens a new one.
func (w *writer) turn() error {
	if w.file != nil {
		w.file.Close()
		w.file = nil
	}
	if err := os.Rename(w.path, w.path+".1"); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	w.file, w.size, w.torn = f, 0, false
	return nil
}
