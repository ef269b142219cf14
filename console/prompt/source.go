package prompt

import (
	"errors"
	"fmt"
	"os"

	"github.com/chzyer/readline"
)

// A Source is where lines come from and output goes to.
type Source interface {
	// Lines delivers what was typed, in order. It is closed when no more lines
	// come. Nothing is read ahead beyond a few lines.
	Lines() <-chan Line

	// Asks delivers the questions that only the console's owner can answer; it
	// never closes.
	Asks() <-chan Ask

	// Print puts a line (or several, joined by newlines) on the output. It
	// never blocks and may be called from any goroutine. Control characters
	// other than newline and tab are made visible.
	Print(line string)

	// SetPrompt sets the text before what is typed, where there is one.
	SetPrompt(text string)

	// Close writes what still waits, for at most a second, and gives the
	// terminal back as it was found. It may be called more than once.
	Close() error
}

// A Line is what a person did at the prompt.
type Line struct {
	Text  string // without its newline; empty unless Event is Typed
	Event Event
	Torn  bool // the input ended before the line did
}

// An Event is the kind of a Line.
type Event uint8

const (
	Typed     Event = iota // a line was entered
	Cleared                // Ctrl-C: what was begun, a chunk too, is thrown away
	Interrupt              // Ctrl-C twice on an empty line: quit
)

// A Mode chooses between the two kinds of source.
type Mode string

const (
	Auto  Mode = "auto" // TTY if stdin and stdout are terminals, else LineMode
	TTY   Mode = "tty"  // a Terminal, or an error
	Pipes Mode = "line" // a Pipe
	Off   Mode = "off"  // a Pipe that reads nothing
)

// Options say what a source works on; the zero value is stdin and stdout
// without a history.
type Options struct {
	In, Out *os.File // nil: os.Stdin, os.Stdout
	Prompt  string   // of a Terminal; "" is "torc> "
	History string   // file of the history, made 0600; "" keeps none
}

// Open returns the source of a mode. It also makes a closed stdout an error of
// writing rather than the death of the process (SIGPIPE is ignored).
func Open(mode Mode, o Options) (Source, error) {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Prompt == "" {
		o.Prompt = "torc> "
	}
	ignoreBrokenPipe()
	switch mode {
	case Auto:
		if isTerminal(o) && os.Getenv("TERM") != "dumb" {
			return NewTerminal(o)
		}
		return NewPipe(o.In, o.Out), nil
	case TTY:
		if !isTerminal(o) {
			return nil, errors.New("there is no terminal on stdin and stdout; use line mode")
		}
		return NewTerminal(o)
	case Pipes:
		return NewPipe(o.In, o.Out), nil
	case Off:
		return NewPipe(nil, o.Out), nil
	}
	return nil, fmt.Errorf("the console must be auto, tty, line or off, got %q", string(mode))
}

func isTerminal(o Options) bool {
	return readline.IsTerminal(int(o.In.Fd())) && readline.IsTerminal(int(o.Out.Fd()))
}
