package prompt

import (
	"io"
	"sync"

	"github.com/chzyer/readline"
)

// A Loan is the terminal in the hands of somebody who draws on all of it. It
// is raw, and nothing of the prompt reads from it or writes to it until Return:
// readline stands still in the middle of its loop, what is printed waits.
type Loan struct {
	t       *Terminal
	keys    chan []byte
	rest    []byte // of keys, not yet read
	drained chan struct{}
	drain   sync.Once
	back    chan struct{}
	once    sync.Once
}

// Lend hands the terminal over as soon as the prompt is at rest, by a call of
// taken from another goroutine. It does not wait. Of two loans the second is
// made when the first has been returned.
func (t *Terminal) Lend(taken func(*Loan)) {
	t.later(func(e *errand) { e.lend = append(e.lend, taken) })
}

// hand carries out a loan, on the loop: the loop goes on when it is returned.
func (t *Terminal) hand(taken func(*Loan)) {
	l := &Loan{t: t, keys: make(chan []byte), drained: make(chan struct{}), back: make(chan struct{})}
	t.rl.Clean()
	t.keyboard.divert(l)
	taken(l)
	select {
	case <-l.back:
	case <-t.closing:
	}
	t.keyboard.divert(nil)
	_, _ = io.WriteString(t.out, pasteOn) // whoever had it may have ended that
}

// Read gives what is typed, as the terminal sends it. It is io.EOF after Drain
// and when the terminal is closed.
func (l *Loan) Read(p []byte) (int, error) {
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

// Write draws. It blocks while the terminal takes nothing.
func (l *Loan) Write(p []byte) (int, error) { return l.t.out.Write(p) }

// Size is the size of the terminal in characters, 0 where it is not known.
func (l *Loan) Size() (width, height int) {
	width, height, err := readline.GetSize(int(l.t.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// Watch calls changed, on a goroutine of its own, whenever the size has
// changed, until stop is called.
func (l *Loan) Watch(changed func()) (stop func()) {
	signals, end := notifyResize()
	done := make(chan struct{})
	go func() {
		defer end()
		for {
			select {
			case <-signals:
				changed()
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// Drain ends the reading.
func (l *Loan) Drain() { l.drain.Do(func() { close(l.drained) }) }

// Return gives the terminal back to the prompt, which draws what was printed
// meanwhile, and itself.
func (l *Loan) Return() {
	l.Drain()
	l.once.Do(func() { close(l.back) })
}
