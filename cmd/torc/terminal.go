package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/cmd/internal/tui"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
)

const (
	linesTime  = 8 * time.Millisecond // of a tick in which console lines may start
	linesAhead = 64                   // lines read before their turn
)

// namedConsole is a console of the node, and the name of its side. A client that has gone to
// another server has another console.
type namedConsole struct {
	name    string
	console func() *console.Console
}

// terminal reads the lines that a person types, and runs them on a console of the node. All but its
// display belongs to the goroutine of the node.
type terminal struct {
	viewing
	display  display
	node     runner
	term     prompt.Source
	consoles []namedConsole
	typing   namedConsole        // whose console gets the lines
	lines    <-chan prompt.Input // nil when no more lines come
	waiting  []typed             // lines that have come and have not run
	page     pending
}

// typed is a line from the terminal, or the news that no more come.
type typed struct {
	prompt.Input
	last bool
}

// display is where output goes. Any goroutine may print.
type display struct {
	mu   sync.Mutex
	term prompt.Source // nil until it is open
	view *tui.View     // nil if there is none
}

// show prints a text on the prompt and in the view. While the view is shown, the prompt keeps the
// text for later.
func (d *display) show(text string) {
	d.mu.Lock()
	term, view := d.term, d.view
	d.mu.Unlock()
	if term != nil {
		term.Print(text)
	}
	if view != nil {
		view.Print(text)
	}
}

// prompt prints a text on the prompt only.
func (d *display) prompt(text string) {
	d.mu.Lock()
	term := d.term
	d.mu.Unlock()
	if term != nil {
		term.Print(text)
	}
}

// message prints a message of the server on the prompt, and shows it in the view.
func (d *display) message(kind, text string) {
	d.mu.Lock()
	term, view := d.term, d.view
	d.mu.Unlock()
	if term != nil && text != "" {
		term.Print(tui.Indent(text))
	}
	if view != nil {
		view.Message(kind, text)
	}
}

// editing reports whether somebody edits lines on the terminal.
func (d *display) editing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, editing := d.term.(*prompt.Terminal)
	return editing
}

// logWriter writes log lines to stderr, or to the screen if stderr would tear the line that is
// typed.
type logWriter struct {
	display *display
	stderr  io.Writer
	shared  bool // stderr is a terminal
}

func (w logWriter) Write(line []byte) (int, error) {
	if !w.shared || !w.display.editing() {
		return w.stderr.Write(line)
	}
	w.display.show(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// attach takes lines from a terminal and prints to it.
func (t *terminal) attach(term prompt.Source) {
	t.term, t.lines = term, term.Lines()
	t.display.mu.Lock()
	t.display.term = term
	t.display.mu.Unlock()
}

// begin sets the consoles that lines can go to, the first of them at once.
func (t *terminal) begin(consoles []namedConsole) {
	t.consoles, t.typing = consoles, consoles[0]
	if t.view != nil && t.display.editing() {
		t.print("view shows the world, and Esc leads back; help lists the commands")
	}
	t.term.SetPrompt(t.prompt())
}

// print is the output of the node.
func (t *terminal) print(text string) { t.display.show(text) }

// answer answers questions of the prompt, such as for completions, on the goroutine of the node.
func (t *terminal) answer(ended <-chan struct{}) {
	for {
		select {
		case ask := <-t.term.Asks():
			_ = t.node.Do(func() { ask.Run(t.typing.console()) }) // a node that has ended answers nobody
		case <-ended:
			return
		}
	}
}

// beforeTick runs the console lines that have come, as many as fit into a part of a tick.
func (t *terminal) beforeTick() {
	t.look()
	t.countPage()
	t.poll()
	for start := t.node.Now(); t.node.Ready() && len(t.waiting) > 0 && t.node.Now()-start < linesTime; t.poll() {
		line := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.line(line)
	}
}

// poll takes in lines, a few ahead of their turn. An interrupt does not wait for its turn.
func (t *terminal) poll() {
	for t.lines != nil && len(t.waiting) < linesAhead {
		select {
		case line, open := <-t.lines:
			if !open {
				t.lines = nil
			}
			if line.Event == prompt.InputInterrupt {
				t.node.Quit("")
			}
			t.waiting = append(t.waiting, typed{line, !open})
		default:
			return
		}
	}
}

// line runs a line.
func (t *terminal) line(line typed) {
	c := t.typing.console()
	switch {
	case line.last:
		if err := c.End(); err != nil {
			t.node.Print("error: " + err.Error())
		}
	case line.Event == prompt.InputCleared:
		c.Cancel()
	case line.Event == prompt.InputLine:
		line.Remember(c)
		c.Enter(line.Text)
	}
	t.term.SetPrompt(t.prompt())
}

// prompt is the text before the next line. If there are two consoles, it names the one that gets
// the line.
func (t *terminal) prompt() string {
	name := "torc"
	if len(t.consoles) > 1 {
		name = t.typing.name
	}
	if t.typing.console().More() {
		return strings.Repeat(".", len(name)) + "> "
	}
	return t.page.String() + name + "> "
}

// addSwitch adds the commands that lead from one console of the process to the other. remote
// reports whether the line that runs came from another process.
func (t *terminal) addSwitch(remote func() bool, consoles ...namedConsole) error {
	for _, at := range consoles {
		for _, to := range consoles {
			line := func(text string) (string, error) {
				switch {
				case text != "":
					return to.console().Exec(text)
				case remote():
					return "", fmt.Errorf("torc console stays on the server: %s LINE runs a line on the %[1]s", to.name)
				}
				t.typing = to
				return "", nil
			}
			err := at.console().Register(console.Command{
				Name: to.name, Params: "[LINE]", Help: "runs a line on the " + to.name + ", or switches the prompt to it",
				Run:  func(args []string) (string, error) { return line(strings.Join(args, " ")) },
				Line: line, Complete: to.complete, RunsLines: true, Elsewhere: true,
			})
			if err != nil {
				return err
			}
			if at.name != to.name {
				at.console().SetOtherSide(to.lineFor)
			}
		}
	}
	return nil
}

// lineFor is the line that reaches a name of this console from the other one; "" if it has no such
// name.
func (c namedConsole) lineFor(name string) string {
	if command, variable := c.console().Lookup(name); command == nil && variable == nil {
		return ""
	}
	return c.name + " " + name
}

// complete completes the last word of a line that another console will pass to this one.
func (c namedConsole) complete(words []string) []string {
	line := strings.Join(words, " ")
	candidates, start := c.console().Complete(line, len(line))
	last := len(line) - len(words[len(words)-1])
	if start < last {
		return nil
	}
	for i := range candidates {
		candidates[i] = line[last:start] + candidates[i]
	}
	return candidates
}
