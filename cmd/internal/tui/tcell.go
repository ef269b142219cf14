package tui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/torc-engine/torc/console/prompt"
)

// tty adapts a leased terminal to tcell. It is already in raw mode.
type tty struct {
	*prompt.TerminalLease
	stop func()
}

func (t *tty) Start() error { return nil }
func (t *tty) Stop() error  { return nil }
func (t *tty) Close() error { return nil }
func (t *tty) Drain() error { t.TerminalLease.Drain(); return nil }

// NotifyResize calls changed after each change of the size. A call with nil ends this.
func (t *tty) NotifyResize(changed func()) {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
	if changed != nil {
		t.stop = t.Watch(changed)
	}
}

func (t *tty) WindowSize() (tcell.WindowSize, error) {
	width, height := t.Size()
	return tcell.WindowSize{Width: width, Height: height}, nil
}

var keys = map[tcell.Key]KeyPress{
	tcell.KeyEscape: Escape, tcell.KeyEnter: Enter, tcell.KeyTab: Tab, tcell.KeyBacktab: Tab,
	tcell.KeyBackspace: Backspace, tcell.KeyBackspace2: Backspace,
	tcell.KeyUp: ArrowUp, tcell.KeyDown: ArrowDown, tcell.KeyLeft: ArrowLeft, tcell.KeyRight: ArrowRight,
	tcell.KeyCtrlL: Redraw, tcell.KeyCtrlC: Interrupt, tcell.KeyCtrlU: Clear, tcell.KeyCtrlZ: Suspend,
	tcell.KeyF1: F1, tcell.KeyF2: F2, tcell.KeyF3: F3,
}

// translate converts an event of tcell. It reports whether the event has a meaning here.
func translate(e tcell.Event) (InputEvent, bool) {
	switch e := e.(type) {
	case *tcell.EventKey:
		if e.Key() == tcell.KeyRune {
			return InputEvent{Rune: e.Rune()}, e.Modifiers()&(tcell.ModCtrl|tcell.ModAlt|tcell.ModMeta) == 0
		}
		key, ok := keys[e.Key()]
		return InputEvent{Key: key}, ok
	case *tcell.EventMouse:
		x, y := e.Position()
		b := e.Buttons()
		return InputEvent{Mouse: Mouse{
			On: true, X: x, Y: y,
			Fire: b&tcell.ButtonPrimary != 0, Jet: b&tcell.ButtonSecondary != 0,
			Nearer: b&tcell.WheelUp != 0, Away: b&tcell.WheelDown != 0,
		}}, true
	case *tcell.EventPaste:
		if e.Start() {
			return InputEvent{Paste: PasteBegin}, true
		}
		return InputEvent{Paste: PasteEnd}, true
	}
	return InputEvent{}, false
}
