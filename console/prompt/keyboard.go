package prompt

import (
	"bytes"
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
// end of input. In pasted text it replaces tabs by spaces and removes Ctrl-Z. It replaces keys that
// readline does not know by those that it knows.
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
		k.rest = k.keys.abandon()
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
	held    []byte // the escape sequence that has begun
	pasting bool   // between the marks of bracketed paste
}

type keyState uint8

const (
	plain    keyState = iota
	escaped           // after ESC
	sequence          // after ESC [
	shifted           // after ESC O
	linux             // after ESC [ [
)

// maxSequence is the maximum length of an escape sequence, in bytes.
const maxSequence = 34

const (
	lineStart = "\x1b[H"
	lineEnd   = "\x1b[F"
	wordLeft  = "\x1bb"
	wordRight = "\x1bf"
	wordCut   = "\x1bd"
)

// translations are keys that readline does not know or takes for others, and the same keys as it
// knows them.
var translations = map[string]string{
	"\x1b[1~": lineStart, "\x1b[4~": lineEnd, // tmux, screen, PuTTY, the Linux console
	"\x1b[7~": lineStart, "\x1b[8~": lineEnd, // rxvt
	"\x1b[7^": lineStart, "\x1b[8^": lineEnd, // rxvt, with Ctrl
	"\x1b[7$": lineStart, "\x1b[8$": lineEnd, // rxvt, with Shift
	"\x1bOw":    lineEnd,                          // PuTTY that imitates rxvt
	"\x1b[1;5D": wordLeft, "\x1b[1;5C": wordRight, // Ctrl: xterm and most others
	"\x1b[1;3D": wordLeft, "\x1b[1;3C": wordRight, // Alt
	"\x1b[5D": wordLeft, "\x1b[5C": wordRight, // Ctrl: old versions of screen
	"\x1bOd": wordLeft, "\x1bOc": wordRight, // Ctrl: rxvt
	"\x1b\x1b[D": wordLeft, "\x1b\x1b[C": wordRight, // Alt: rxvt, PuTTY
	"\x1b[3;5~": wordCut, "\x1b[3^": wordCut, // Ctrl-Delete
	"\x1b[[A": "", "\x1b[[B": "", "\x1b[[C": "", "\x1b[[D": "", "\x1b[[E": "", // F1 to F5 of the Linux console
}

// inside reports whether a key has begun and is incomplete.
func (k *keys) inside() bool { return k.state != plain || k.missing > 0 }

// abandon stops waiting for the rest of a key. It returns the bytes that it held back.
func (k *keys) abandon() []byte {
	held := k.held
	k.state, k.missing, k.held = plain, 0, nil
	return held
}

// filter filters typed bytes. It holds back an escape sequence until it is complete.
func (k *keys) filter(b []byte) (kept []byte) {
	for _, c := range b {
		switch {
		case c == 0, c == readline.CharCtrlZ && k.pasting:
			continue
		case c == '\t' && k.pasting:
			c = ' '
		}
		k.follow(c)
		if k.held = append(k.held, c); k.state != plain && len(k.held) < maxSequence {
			continue
		}
		if known, ok := translations[string(k.held)]; ok {
			k.held = []byte(known)
		}
		kept = append(kept, k.held...)
		k.state, k.held = plain, nil
	}
	return kept
}

func (k *keys) follow(c byte) {
	switch k.state {
	case escaped:
		k.state = plain
		switch c {
		case '[':
			k.state = sequence
		case 'O':
			k.state = shifted
		case 27:
			k.state = escaped
		}
	case sequence:
		switch {
		case c >= '0' && c <= '9' || c == ';':
			return
		case c == '[' && k.held[len(k.held)-1] == '[':
			k.state = linux
			return
		}
		k.state = plain
		switch {
		case bytes.HasSuffix(k.held, []byte("[200")) && c == '~':
			k.pasting = true
		case bytes.HasSuffix(k.held, []byte("[201")) && c == '~':
			k.pasting = false
		}
	case shifted, linux:
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
