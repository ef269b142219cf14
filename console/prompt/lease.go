package prompt

import (
	"io"
	"sync"
)

// A TerminalLease gives one component exclusive use of the terminal, in raw mode. Until
// Return, readline's loop stops, and the prompt neither reads from the terminal
// nor writes to it. Printed output waits.
type TerminalLease struct {
	t       *Terminal
	keys    chan []byte
	rest    []byte // of keys, not yet read
	drained chan struct{}
	drain   sync.Once
	back    chan struct{}
	once    sync.Once
}

// Lease hands the terminal over as soon as the prompt is idle. It does not wait;
// it calls taken later, on another goroutine. A second lease starts when the first
// has been returned.
func (t *Terminal) Lease(taken func(*TerminalLease)) {
	t.later(func(e *request) { e.lend = append(e.lend, taken) })
}

// runLease carries out a lease, on the loop. The loop continues when it is returned.
func (t *Terminal) runLease(taken func(*TerminalLease)) {
	l := &TerminalLease{t: t, keys: make(chan []byte), drained: make(chan struct{}), back: make(chan struct{})}
	t.rl.Clean()
	t.keyboard.redirect(l)
	taken(l)
	select {
	case <-l.back:
	case <-t.closing:
	}
	t.keyboard.redirect(nil)
	_, _ = io.WriteString(t.device, pasteOn) // the borrower can have switched it off
}

// Read returns typed bytes as the terminal sends them. It returns io.EOF after
// Drain and when the terminal is closed.
func (l *TerminalLease) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		select {
		case l.rest = <-l.keys:
		case <-l.drained:
			return 0, io.EOF
		case <-l.t.closing:
			return 0, io.EOF
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Write writes to the terminal. It blocks while the terminal does not take output.
func (l *TerminalLease) Write(p []byte) (int, error) { return l.t.device.Write(p) }

// Size returns the size of the terminal in characters, or 0, 0 if it is unknown.
func (l *TerminalLease) Size() (width, height int) { return l.t.device.Size() }

// Watch calls changed whenever the size changes, until stop is called.
func (l *TerminalLease) Watch(changed func()) (stop func()) { return l.t.device.Watch(changed) }

// Drain ends Read.
func (l *TerminalLease) Drain() { l.drain.Do(func() { close(l.drained) }) }

// Return gives the terminal back to the prompt. The prompt then draws itself and
// the output printed meanwhile.
func (l *TerminalLease) Return() {
	l.Drain()
	l.once.Do(func() { close(l.back) })
}
