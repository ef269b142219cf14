package prompt

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// wakeRune is what a Terminal injects into its own input to get something done
// on readline's loop. It is of a private area that nobody types.
const wakeRune = '\uF8FF'

// patienceForKey is how long a key that has begun (an escape sequence, a
// character of several bytes) may take to arrive whole.
const patienceForKey = 50 * time.Millisecond

// A keyboard is the input of a Terminal: the bytes of a terminal with wake
// runes between whole keys. It takes out what readline would take for the end
// of input (NUL), and makes spaces of the tabs of pasted text.
type keyboard struct {
	typed  chan []byte
	wake   chan struct{} // 1: a wake rune is wanted
	closed chan struct{}
	once   sync.Once
	rest   []byte // typed, not yet read
	keys   keys
	lent   atomic.Pointer[Loan] // who gets what is typed now
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
		if n > 0 && !k.pass(b[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// pass hands over what was typed, and reports whether there is still somebody
// who wants it.
func (k *keyboard) pass(b []byte) bool {
	if l := k.lent.Load(); l != nil {
		select {
		case l.keys <- b:
			return true
		case <-l.drained: // it is the prompt's again
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

// divert lets a loan have what is typed from now on, or with nil the prompt.
func (k *keyboard) divert(l *Loan) { k.lent.Store(l) }

// poke asks for a wake rune; several that are not yet read are one.
func (k *keyboard) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Read implements io.Reader for readline. It is io.EOF after Close and when the
// terminal has gone.
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

// wait blocks until there is something in rest, possibly nothing of worth.
func (k *keyboard) wait() error {
	wake, late := k.wake, (<-chan time.Time)(nil)
	if k.keys.inside() {
		// A wake rune here would tear the key apart.
		wake = nil
		timer := time.NewTimer(patienceForKey)
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

// Close ends the reading. The goroutine that waits for the terminal stays
// until the next key.
func (k *keyboard) Close() error {
	k.once.Do(func() { close(k.closed) })
	return nil
}

// keys follows a stream of bytes from key to key.
type keys struct {
	state   keyState
	missing int    // bytes until the character is whole
	seq     []byte // of an escape sequence, after ESC [
	pasting bool   // between the marks of bracketed paste
}

type keyState uint8

const (
	plain    keyState = iota
	escaped           // after ESC
	sequence          // after ESC [
	shifted           // after ESC O
)

// inside says whether a key has begun and is not yet whole.
func (k *keys) inside() bool { return k.state != plain || k.missing > 0 }

// abandon gives up on the rest of a key.
func (k *keys) abandon() { k.state, k.missing, k.seq = plain, 0, k.seq[:0] }

// filter follows the bytes and changes them in place.
func (k *keys) filter(b []byte) []byte {
	kept := b[:0]
	for _, c := range b {
		k.follow(c)
		switch {
		case c == 0:
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

// character follows plain text, whose characters have one to four bytes.
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
