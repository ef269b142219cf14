package prompt

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chzyer/readline"
)

// wakeRune is the rune that a Terminal injects into its own input to run code on readline's loop.
// No key types it, because a typed line feed counts as Enter. After it, readline's reader stops
// until the loop has handled it, as after Enter. So a call that makes the reader continue never
// comes early: that call would let the reader go past the next Enter while a new line is set up.
const wakeRune = '\n'

// maxTypeahead is the number of keys that wait for an answer. Further keys except Ctrl-C are
// dropped, as a terminal driver drops them.
const maxTypeahead = 1 << 16

// keyTimeout is the timeout for the rest of an incomplete key: an escape
// sequence, or a character of several bytes.
const keyTimeout = 50 * time.Millisecond

// A keyboard is the input of a Terminal: the keys of a terminal, with wake runes between them. It
// removes NUL, because readline would treat it as the end of input, and Ctrl-S, because it would
// crash readline. In pasted text it replaces tabs by spaces and removes Ctrl-Z. It replaces keys
// that readline does not know by those that it knows.
//
// Keys wait after a Tab and before a key of the history, until the loop has judged at a wake rune
// that nothing is awaited. Ctrl-C ends the wait and discards the keys before it.
type keyboard struct {
	typed  chan []byte
	wake   chan struct{} // capacity 1: a wake rune is requested
	closed chan struct{}
	once   sync.Once
	lease  atomic.Pointer[TerminalLease] // receives typed bytes now; nil: the prompt

	// used by Read
	keys  keys
	rest  [][]byte // typed keys, not yet read
	ended bool     // no more keys come
	shut  bool     // the keys wait for a judgment

	verdict atomic.Int32
}

const (
	unjudged int32 = iota
	refused        // an answer is awaited
	allowed
)

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

// judge decides about keys that wait. The loop calls it at each wake rune, and readline's reader
// stands still meanwhile.
func (k *keyboard) judge(ready bool) {
	if ready {
		k.verdict.Store(allowed)
	} else {
		k.verdict.Store(refused)
	}
}

// Read implements io.Reader for readline. It returns one key, and p must have room for it. So
// readline has buffered nothing when its reader stops. Read returns io.EOF after Close, and after
// the last key of the terminal's input.
func (k *keyboard) Read(p []byte) (int, error) {
	for {
		select {
		case <-k.closed:
			return 0, io.EOF
		default:
		}
		if key := k.next(); key != nil {
			return copy(p, key), nil
		}
		if woken, err := k.wait(); woken || err != nil {
			return copy(p, string(wakeRune)), err
		}
	}
}

// next takes the next key; nil if there is none or if it must wait.
func (k *keyboard) next() (key []byte) {
	passed := k.shut
	if k.shut && !k.admitted() {
		return nil
	}
	k.shut = false
	if len(k.rest) == 0 {
		return nil
	}
	key = k.rest[0]
	if !passed && showsHistory(key) {
		k.halt()
		return nil
	}
	k.rest = k.rest[1:]
	if bytes.IndexByte(key, readline.CharTab) >= 0 {
		k.halt()
	}
	return key
}

// halt makes the keys wait until the loop has handled all keys before and judges at a wake rune.
func (k *keyboard) halt() {
	k.shut = true
	k.verdict.Store(unjudged)
	k.poke()
}

// admitted reports whether the first key that waits can go on. While an answer is awaited, only
// Ctrl-C can, and the keys before it are discarded.
func (k *keyboard) admitted() bool {
	verdict := k.verdict.Load()
	if verdict != refused {
		return verdict == allowed
	}
	at := slices.IndexFunc(k.rest, interrupts)
	if at < 0 {
		return false
	}
	k.rest = k.rest[at:]
	return true
}

func interrupts(key []byte) bool { return len(key) == 1 && key[0] == readline.CharInterrupt }

// showsHistory reports whether a key shows lines of the history: Up, Down, Ctrl-P, Ctrl-N and
// Ctrl-R.
func showsHistory(key []byte) bool {
	switch key[len(key)-1] {
	case readline.CharPrev, readline.CharNext, readline.CharBckSearch:
		return true
	case 'A', 'B':
		return len(key) > 2
	}
	return false
}

// wait blocks until keys arrive, perhaps incomplete ones, or until a wake rune is requested.
func (k *keyboard) wait() (woken bool, err error) {
	if k.ended && len(k.rest) == 0 {
		return false, io.EOF
	}
	typed, wake, late := k.typed, k.wake, (<-chan time.Time)(nil)
	if k.ended {
		typed = nil
	}
	if k.keys.inside() {
		// A wake rune here would split the key.
		wake = nil
		timer := time.NewTimer(keyTimeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case b, ok := <-typed:
		k.ended = !ok
		k.add(k.keys.filter(b))
	case <-wake:
		return true, nil
	case <-late:
		k.add(k.keys.abandon())
	case <-k.closed:
	}
	return false, nil
}

// add adds keys behind those that wait.
func (k *keyboard) add(keys [][]byte) {
	for _, key := range keys {
		if len(k.rest) < maxTypeahead || interrupts(key) {
			k.rest = append(k.rest, key)
		}
	}
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

// abandon stops waiting for the rest of a key. Of an escape sequence it returns only the escape,
// because in a longer one readline would take the next wake rune for its end.
func (k *keys) abandon() (typed [][]byte) {
	if len(k.held) > 0 {
		typed = [][]byte{k.held[:1]}
	}
	k.state, k.missing, k.held = plain, 0, nil
	return typed
}

// filter returns the keys of typed bytes. Plain text comes byte by byte. It holds back an escape
// sequence until it is complete, and drops one that is too long.
func (k *keys) filter(b []byte) (typed [][]byte) {
	for _, c := range b {
		switch {
		case c == 0, c == readline.CharFwdSearch, c == readline.CharCtrlZ && k.pasting:
			continue
		case c == '\t' && k.pasting:
			c = ' '
		case c == readline.CharCtrlJ:
			c = readline.CharEnter
		}
		k.follow(c)
		if k.held = append(k.held, c); k.state != plain && len(k.held) < maxSequence {
			continue
		}
		key := k.held
		if known, ok := translations[string(key)]; ok {
			key = []byte(known)
		}
		if k.state == plain && len(key) > 0 {
			typed = append(typed, key)
		}
		k.state, k.held = plain, nil
	}
	return typed
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
