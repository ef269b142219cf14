package main

import (
	"errors"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/tui"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// viewing is the view of a client. The terminal belongs to the prompt or to the view: the prompt
// lends it.
type viewing struct {
	view   *tui.View // nil if there is no client
	host   func() *engine.Host
	asked  bool         // the prompt has been asked for the terminal
	opened chan opening // gets the terminal
	teller form.Teller  // prints forms of the server
}

// opening is a terminal that was lent, or why there is none.
type opening struct {
	*tui.Screen
	err error
}

// addView makes the view of a client, and adds the command view to all consoles. host returns what
// the client plays.
func (t *terminal) addView(host func() *engine.Host, consoles ...namedConsole) error {
	t.viewing = viewing{host: host, opened: make(chan opening, 1)}
	t.view = tui.New(host, func(command string, args ...sim.Value) {
		err := host().Dialer.Unconnected()
		if c := host().Server(); c != nil {
			err = c.Commands.Send(engine.CommandOptions{}, sim.String(command), args)
		}
		if err != nil {
			t.node.Print("error: " + err.Error())
		}
	})
	t.display.mu.Lock()
	t.display.view = t.view
	t.display.mu.Unlock()
	for _, h := range consoles {
		if err := h.console().Register(t.viewCommand()); err != nil {
			return err
		}
	}
	return nil
}

// hud shows a line of the client's HUD.
func (t *terminal) hud(line int, text string) { t.view.SetHud(line, text) }

// message shows a message of the server.
func (t *terminal) message(kind, text string) { t.display.message(kind, text) }

// forms prints a new form at the prompt. The view shows all forms by itself.
func (t *terminal) forms([]*form.Form) {
	server := t.host().Server()
	if server == nil {
		return
	}
	if lines := t.teller.News(server.Forms().Desk()); lines != nil {
		t.display.prompt(tui.Indent(strings.Join(lines, "\n")))
	}
}

// viewCommand leads from the prompt to the view.
func (t *terminal) viewCommand() console.Command {
	return console.Command{
		Name: "view", Help: "shows the world in the terminal and turns keys into moves; Esc returns to the console",
		Run: func([]string) (string, error) {
			term, ok := t.term.(*prompt.Terminal)
			switch {
			case !ok:
				return "", errors.New("the view needs a terminal, and this console has none")
			case t.asked || t.view.Shown():
				return "", nil
			}
			t.openView(term)
			return "", nil
		},
	}
}

// openView asks the prompt for the terminal.
func (t *terminal) openView(term *prompt.Terminal) {
	t.asked = true
	term.Lease(func(lease *prompt.TerminalLease) {
		s, err := tui.NewScreen(lease)
		t.opened <- opening{s, err}
	})
}

// suspend gives the terminal back, suspends the process, and then opens the view again.
func (t *terminal) suspend() {
	term, ok := t.term.(*prompt.Terminal)
	if !ok || !term.Suspend() {
		return
	}
	t.host().SetMoves(nil)
	t.view.Detach().Leave()
	t.openView(term)
}

// look shows the view when the terminal is lent, and handles the keys of the person.
func (t *terminal) look() {
	if t.view == nil {
		return
	}
	select {
	case s := <-t.opened:
		t.asked = false
		if s.err != nil {
			t.node.Print("error: " + s.err.Error())
			break
		}
		t.view.Show(s.Screen)
		t.host().SetMoves(func(*engine.Connection) sim.Move { return t.view.Move(t.node.Now()) })
	default:
	}
	for {
		select {
		case e := <-t.view.Events():
			switch {
			case t.view.Suspends(e):
				t.suspend()
			case t.view.Handle(e, t.node.Now()):
				t.unview().Leave()
			}
		default:
			return
		}
	}
}

// unview ends the view. The caller must give its screen back.
func (t *terminal) unview() *tui.Screen {
	t.host().SetMoves(nil)
	return t.view.Hide()
}

// viewDue is when the view wants to draw.
func (t *terminal) viewDue() netcore.Time {
	if t.view == nil {
		return netcore.Never
	}
	return t.view.Due()
}

// frame draws a picture when it is time for one.
func (t *terminal) frame(now, tick netcore.Time) {
	if t.view == nil {
		return
	}
	back := 0.0
	if !t.host().Pace.Paused() {
		back = min(max(float64(tick-now)/float64(t.host().Pace.TickLength()), 0), 1)
	}
	t.view.Frame(now, back)
}

// closeTerminal gives the terminal back, whoever has it.
func (t *terminal) closeTerminal() {
	if t.term == nil {
		return
	}
	if t.view != nil && t.view.Shown() {
		t.unview().Close()
	}
	_ = t.term.Close() // output that nobody reads is lost, and that is no failure
	select {
	case s := <-t.opened: // the prompt has just lent it
		if s.Screen != nil {
			s.Close()
		}
	default:
	}
}
