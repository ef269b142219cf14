package prompt

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chzyer/readline"
)

// wakeRune is the rune that a Terminal injects into its own input to run code on
// readline's loop. It is from a Unicode private use area, so no key types it.
const wakeRune = '\uF8FF'

// keyTimeout is the timeout for the rest of an incomplete key: an escape
// sequence, or a character of several bytes.
const keyTimeout = 50 * time.Millisecond

// A keyboard is the input of a Terminal: the bytes of a terminal, with wake runes
// between complete keys. It removes NUL, because readline would treat it as the
// end of input. In pasted text it replaces tabs by spaces and removes Ctrl-Z.
type keyboard struct {
	typed  chan []byte
	wake   chan struct{} // capacity 1: a wake rune is requested
	closed chan struct{}
	once   sync.Once
	rest   []byte // typed bytes, not yet read
	keys   keys
	lease  atomic.Pointer[TerminalLease] // receives typed bytes now; nil: the prompt
}

func newKeyboard(in io.Reader) *keyboard {
	k := &keyboard{
		typed:  make(chan []byte),
		wake:   make(chan struct{}, 1),
		closed: make(chan struct{}),
	}
	go k.listen(in)
	return k
}

func (k *keyboard) listen(in io.Reader) {
	defer close(k.typed)
	for {
		b := make([]byte, 256)
		n, err := in.Read(b)
		if n > 0 && !k.deliver(b[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// deliver delivers typed bytes to the lease or the prompt. It returns false after
// Close.
func (k *keyboard) deliver(b []byte) bool {
	if l := k.lease.Load(); l != nil {
		select {
		case l.keys <- b:
			return true
		case <-l.drained: // the lease has ended; deliver to the prompt
		case <-k.closed:
			return false
		}
	}
	select {
	case k.typed <- b:
		return true
	case <-k.closed:
		return false
	}
}

// redirect sends typed bytes to a lease from now on, or to the prompt if l is nil.
func (k *keyboard) redirect(l *TerminalLease) { k.lease.Store(l) }

// poke requests a wake rune. Requests that were not read yet count as one.
func (k *keyboard) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Read implements io.Reader for readline. It returns io.EOF after Close and at
// the end of the terminal's input.
func (k *keyboard) Read(p []byte) (int, error) {
	for len(k.rest) == 0 {
		if err := k.wait(); err != nil {
			return 0, err
		}
	}
	n := copy(p, k.rest)
	k.rest = k.rest[n:]
	return n, nil
}

// wait blocks until input arrives and puts it into rest. rest can still be empty.
func (k *keyboard) wait() error {
	wake, late := k.wake, (<-chan time.Time)(nil)
	if k.keys.inside() {
		// A wake rune here would split the key.
		wake = nil
		timer := time.NewTimer(keyTimeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case b, ok := <-k.typed:
		if !ok {
			return io.EOF
		}
		k.rest = k.keys.filter(b)
	case <-wake:
		k.rest = []byte(string(wakeRune))
	case <-late:
		k.keys.abandon()
	case <-k.closed:
		return io.EOF
	}
	return nil
}

// Close ends Read. The goroutine that reads from the terminal ends at the next
// key.
func (k *keyboard) Close() error {
	k.once.Do(func() { close(k.closed) })
	return nil
}

// keys tracks the boundaries of keys in a stream of bytes.
type keys struct {
	state   keyState
	missing int    // bytes until the character is complete
	seq     []byte // an escape sequence, after ESC [
	pasting bool   // between the marks of bracketed paste
}

type keyState uint8

const (
	plain    keyState = iota
	escaped           // after ESC
	sequence          // after ESC [
	shifted           // after ESC O
)

// inside reports whether a key has begun and is incomplete.
func (k *keys) inside() bool { return k.state != plain || k.missing > 0 }

// abandon stops waiting for the rest of a key.
func (k *keys) abandon() { k.state, k.missing, k.seq = plain, 0, k.seq[:0] }

// filter tracks keys in b and filters b in place.
func (k *keys) filter(b []byte) []byte {
	kept := b[:0]
	for _, c := range b {
		k.follow(c)
		switch {
		case c == 0, c == readline.CharCtrlZ && k.pasting:
			continue
		case c == '\t' && k.pasting:
			c = ' '
		}
		kept = append(kept, c)
	}
	return kept
}

func (k *keys) follow(c byte) {
	switch k.state {
	case escaped:
		k.state = plain
		switch c {
		case '[':
			k.state, k.seq = sequence, k.seq[:0]
		case 'O':
			k.state = shifted
		case 27:
			k.state = escaped
		}
	case sequence:
		k.seq = append(k.seq, c)
		if c >= '0' && c <= '9' || c == ';' {
			if len(k.seq) > 32 {
				k.abandon()
			}
			return
		}
		k.state = plain
		switch string(k.seq) {
		case "200~":
			k.pasting = true
		case "201~":
			k.pasting = false
		}
	case shifted:
		k.state = plain
	default:
		k.character(c)
	}
}

// character tracks plain text. Its characters have one to four bytes.
func (k *keys) character(c byte) {
	switch {
	case c == 27:
		k.state, k.missing = escaped, 0
	case c < 0x80:
		k.missing = 0
	case c < 0xC0:
		k.missing = max(k.missing-1, 0)
	case c < 0xE0:
		k.missing = 1
	case c < 0xF0:
		k.missing = 2
	default:
		k.missing = 3
	}
}
