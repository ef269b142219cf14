package prompt

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/chzyer/readline"
)

// minWidth is the minimum width that readline gets to see. Readline divides by
// the width, and loops forever if the prompt is a multiple of it.
const minWidth = 20

const (
	pasteOn  = "\x1b[?2004h" // makes the terminal mark pasted text
	pasteOff = "\x1b[?2004l"
)

// A Terminal is an interactive prompt. The package comment explains how it keeps
// readline on one goroutine. Below, "on the loop" means on that goroutine.
type Terminal struct {
	rl       *readline.Instance
	device   Device
	maxLine  int // 0: no limit
	keyboard *keyboard
	history  *historyFile
	backlog  backlog
	lines    chan Input
	asks     chan Query
	closing  chan struct{}
	pending  *completion   // of the last Tab; nil: none is awaited; used on the loop
	ended    atomic.Bool   // the input has ended
	read     chan struct{} // closed when the reader is done
	once     sync.Once
	result   error

	mu      sync.Mutex
	request request
	entered *batch // lines whose place in the history is unknown

	resized func() // readline's own handler, called on the loop
	unwatch func() // ends the calls about the size
}

// A batch counts the lines whose place in the history is unknown, between two Ctrl-C.
type batch struct {
	t     *Terminal
	lines int
}

// A request is the work of the next wake rune besides drawing.
type request struct {
	prompt   *string   // the new prompt
	resized  bool      // the width has changed
	remember []*string // lines for the history; nil only moves to its end
	suspend  bool
	lend     []func(*TerminalLease)
}

// openTerminal starts a prompt on a device. On an error the device stays the caller's.
func openTerminal(d Device, o SourceOptions) (*Terminal, error) {
	kept, old, err := openHistory(o.History)
	if err != nil {
		return nil, err
	}
	t := &Terminal{
		device: d, history: kept, maxLine: o.MaxLine,
		lines:   make(chan Input, 16),
		asks:    make(chan Query),
		closing: make(chan struct{}),
		read:    make(chan struct{}),
	}
	t.entered = &batch{t: t}
	t.keyboard = newKeyboard(d)
	if err := t.start(cmp.Or(o.Prompt, defaultPrompt), old); err != nil {
		t.keyboard.Close()
		kept.close()
		return nil, err
	}
	return t, nil
}

func (t *Terminal) start(prompt string, old []string) (err error) {
	t.rl, err = readline.NewEx(&readline.Config{
		Prompt:                 short(prompt),
		Stdin:                  t.keyboard,
		Stdout:                 drawing(t.device),
		Stderr:                 drawing(t.device),
		HistoryLimit:           historyLines,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		AutoComplete:           completer{t},
		FuncFilterInputRune:    t.filter,
		FuncGetWidth:           t.width,
		FuncIsTerminal:         func() bool { return true },
		FuncMakeRaw:            func() error { return nil }, // raw mode lasts from Open to Close
		FuncExitRaw:            func() error { return nil },
		FuncOnWidthChanged:     func(f func()) { t.resized = f },
		Listener:               t.limit(),
	})
	if err != nil {
		return err
	}
	if len(old) == 0 {
		old = []string{""} // with an empty history, readline panics when a search is left
	}
	for _, line := range old {
		_ = t.rl.SaveHistory(line) // readline has no file, so this cannot fail
	}
	if _, err := io.WriteString(t.device, pasteOn); err != nil {
		return err
	}
	go t.serve()
	t.unwatch = t.device.Watch(func() { t.later(func(e *request) { e.resized = true }) })
	return nil
}

func (t *Terminal) width() int {
	width, _ := t.device.Size()
	if width <= 0 {
		return 80
	}
	return max(width, minWidth)
}

// Lines implements Source.
func (t *Terminal) Lines() <-chan Input { return t.lines }

// Asks implements Source.
func (t *Terminal) Asks() <-chan Query { return t.asks }

// Print implements Source.
func (t *Terminal) Print(line string) {
	t.backlog.add(line)
	t.keyboard.poke()
}

// SetPrompt implements Source. It uses at most the last minWidth-1 characters.
func (t *Terminal) SetPrompt(text string) {
	text = short(text)
	t.later(func(e *request) { e.prompt = &text })
}

// short keeps a prompt narrower than the narrowest terminal.
func short(prompt string) string {
	for utf8.RuneCountInString(prompt) >= minWidth {
		_, n := utf8.DecodeRuneInString(prompt)
		prompt = prompt[n:]
	}
	return prompt
}

// later adds work for the next wake rune.
func (t *Terminal) later(note func(e *request)) {
	t.mu.Lock()
	note(&t.request)
	t.mu.Unlock()
	t.keyboard.poke()
}

// limit returns the function that cuts the line that is typed; nil without a limit.
func (t *Terminal) limit() readline.Listener {
	if t.maxLine == 0 {
		return nil
	}
	return readline.FuncListener(func(line []rune, pos int, _ rune) ([]rune, int, bool) {
		return line[:min(len(line), t.maxLine)], min(pos, t.maxLine), len(line) > t.maxLine
	})
}

// filter processes every rune on the loop, before readline.
func (t *Terminal) filter(r rune) (rune, bool) {
	switch r {
	case wakeRune:
		return t.awake()
	case 0: // end of input: do not run a half-typed line
		e, _ := t.requested()
		t.do(e)
		t.ended.Store(true)
		t.rl.Operation.SetBuffer("")
	case readline.CharInterrupt: // discards the typed text, and what it waits for
		t.cancel()
	case readline.CharCtrlZ:
		t.suspend()
		t.rl.Refresh()
		return readline.CharBell, true // readline's reader goes on after a dropped rune, see wakeRune
	}
	return r, true
}

// awake does what a wake rune stands for. It puts a Tab in its place if a completion has come. Then
// readline asks the completer again.
func (t *Terminal) awake() (rune, bool) {
	e, settled := t.requested()
	t.do(e)
	if t.pending != nil && t.pending.answered() {
		t.keyboard.poke() // for the keys that wait for the completion
		t.rl.Terminal.KickRead()
		return readline.CharTab, true
	}
	t.keyboard.judge(settled && t.pending == nil)
	return wakeRune, false
}

// cancel forgets the answers that keys wait for, on the loop.
func (t *Terminal) cancel() {
	if t.pending != nil {
		close(t.pending.canceled)
		t.pending = nil
	}
	t.mu.Lock()
	t.entered = &batch{t: t}
	t.mu.Unlock()
}

// requested takes the work of a wake rune. settled means that the place of each line in the history
// is known when this work is done.
func (t *Terminal) requested() (e request, settled bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, t.request = t.request, request{}
	return e, t.entered.lines == 0
}

// do runs a request and draws waiting output, on the loop.
func (t *Terminal) do(e request) {
	for _, line := range e.remember {
		_ = t.rl.SaveHistory("") // resets the position of the arrow keys
		if line != nil {
			_ = t.rl.SaveHistory(*line)
		}
	}
	if e.resized {
		t.resized()
	}
	if e.prompt != nil {
		t.rl.Clean()
		t.rl.SetPrompt(*e.prompt)
	}
	if e.suspend {
		t.suspend()
	}
	for _, taken := range e.lend {
		t.runLease(taken)
	}
	if !t.backlog.empty() {
		t.rl.Clean() // readline draws the typed text again after the rune
		_, _ = t.rl.Config.Stdout.Write(t.backlog.take(nil, maxBacklog))
	}
}

// serve reads lines until the input ends.
func (t *Terminal) serve() {
	defer close(t.read)
	defer close(t.lines)
	asked := false
	for {
		text, err := t.rl.Readline()
		switch {
		case t.ended.Load() && err != nil:
			return
		case err == nil:
			asked = false
			if !t.send(t.entering(text)) {
				return
			}
		case text != "" || !asked: // Ctrl-C, or Ctrl-D on an empty line
			if asked = text == ""; asked {
				t.Print("(press again to quit)")
			}
			if !t.send(Input{Event: InputCleared}) {
				return
			}
		default:
			asked = false
			if !t.send(Input{Event: InputInterrupt}) {
				return
			}
		}
	}
}

func (t *Terminal) send(line Input) bool {
	select {
	case t.lines <- line:
		return true
	case <-t.closing:
		return false
	}
}

// entering returns a line that was entered. It counts the line if its owner must settle it.
func (t *Terminal) entering(text string) Input {
	if strings.TrimSpace(text) == "" || strings.HasPrefix(text, " ") {
		t.later(func(e *request) { e.remember = append(e.remember, nil) })
		return Input{Text: text}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entered.lines++
	return Input{Text: text, from: t.entered}
}

// settle adds a line to the history. nil only moves to the end of the history.
func (b *batch) settle(line *string) {
	if line != nil {
		b.t.history.add(*line)
	}
	b.t.later(func(e *request) {
		b.lines--
		e.remember = append(e.remember, line)
	})
}

// Close implements Source. It does not use readline's own Close, because that
// races with readline's loop. The end of the input ends both of its goroutines.
func (t *Terminal) Close() error {
	t.once.Do(func() { t.result = t.close() })
	return t.result
}

func (t *Terminal) close() error {
	close(t.closing)
	t.unwatch()
	t.keyboard.Close()
	t.rl.Terminal.KickRead() // the loop can be waiting for a call of Readline
	t.rl.Config.Stdin.Close()
	var err error
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-t.read:
		_, err = t.device.Write(append(t.backlog.take(nil, maxBacklog), pasteOff...))
	case <-timer.C:
		err = errors.New("the terminal did not accept the output")
	}
	t.history.close()
	return errors.Join(err, t.device.Close())
}
