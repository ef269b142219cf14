package main

import (
	"errors"

	"github.com/torc-engine/torc/cmd/torc/internal/tui"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// viewing is how a client's view comes to stand in the place of the prompt. The
// terminal belongs to one of them at a time: the prompt lends it.
type viewing struct {
	view   *tui.View // nil on a server
	host   *engine.Host
	asked  bool         // the prompt has been asked for the terminal
	opened chan opening // when it has given it
}

// opening is a terminal that was lent, or why there is none.
type opening struct {
	*tui.Screen
	err error
}

// newView gives a client its view.
func (l *loop) newView(host *engine.Host) *tui.View {
	l.viewing = viewing{host: host, opened: make(chan opening, 1)}
	l.view = tui.New(host, func(command string, args ...sim.Value) {
		err := errors.New("there is no server to tell")
		if c := host.Server(); c != nil {
			err = c.Command(engine.CommandOptions{}, sim.String(command), args)
		}
		if err != nil {
			l.print("error: " + err.Error())
		}
	})
	return l.view
}

// viewCommand leads from the prompt to the view.
func (l *loop) viewCommand() console.Command {
	return console.Command{
		Name: "view", Help: "shows the world on the whole terminal and takes keys for moves; Esc comes back here",
		Run: func([]string) (string, error) {
			t, ok := l.term.(*prompt.Terminal)
			switch {
			case !ok:
				return "", errors.New("the view needs a terminal, and this console has none")
			case l.asked || l.view.Shown():
				return "", nil
			}
			l.asked = true
			t.Lend(func(loan *prompt.Loan) {
				s, err := tui.NewScreen(loan)
				l.opened <- opening{s, err}
			})
			return "", nil
		},
	}
}

// look enters the view when the terminal is there, and does what its person wants.
func (l *loop) look() {
	if l.view == nil {
		return
	}
	select {
	case s := <-l.opened:
		l.asked = false
		if s.err != nil {
			l.print("error: " + s.err.Error())
			break
		}
		l.view.Show(s.Screen)
		l.host.SetMoves(func(*engine.Connection) sim.Move { return l.view.Move(l.now()) })
	default:
	}
	for {
		select {
		case e := <-l.view.Events():
			if l.view.Handle(e, l.now()) {
				l.unview().Leave()
			}
		default:
			return
		}
	}
}

// unview ends the view; its screen has yet to be given back.
func (l *loop) unview() *tui.Screen {
	l.host.SetMoves(nil)
	return l.view.Hide()
}

// frame makes a picture when it is time for one.
func (l *loop) frame() {
	if l.view != nil {
		now := l.now()
		l.view.Frame(now, float64(l.pace.next-now)/float64(engine.TickTime))
	}
}

// print is the console's output: here, and with all who are attached.
func (l *loop) print(text string) {
	l.show(text)
	if l.remote != nil {
		l.remote.Print(text)
	}
}

// show prints here. While the view is shown the prompt keeps it for later, and
// the view shows the newest of it.
func (l *loop) show(text string) {
	l.term.Print(text)
	if l.view != nil {
		l.view.Print(text)
	}
}

// closeTerminal gives the terminal back, however it is used.
func (l *loop) closeTerminal() {
	if l.view != nil && l.view.Shown() {
		l.unview().Close()
	}
	_ = l.term.Close() // output that nobody reads is lost, which is no failure
	select {
	case s := <-l.opened: // the prompt has just lent it
		if s.Screen != nil {
			s.Close()
		}
	default:
	}
}
