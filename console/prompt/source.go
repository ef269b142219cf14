package prompt

import (
	"errors"
	"fmt"
	"os"

	"github.com/chzyer/readline"
)

// A Source delivers input lines and takes output.
type Source interface {
	// Lines returns the channel of typed lines, in order. The source closes it
	// when no more lines come. It reads only a few lines ahead.
	Lines() <-chan Input

	// Asks returns the channel of questions that only the console's owner can
	// answer. It is never closed.
	Asks() <-chan Query

	// Print outputs a line, or several joined by newlines. It never blocks. Any
	// goroutine can call it. It replaces control characters other than newline
	// and tab by visible escapes.
	Print(line string)

	// SetPrompt sets the prompt, if the source has one.
	SetPrompt(text string)

	// Close writes the waiting output, for at most 1 s, and restores the state of
	// the terminal. It can be called more than once.
	Close() error
}

// An Input is one input at the prompt: a line of text, or a key.
type Input struct {
	Text       string // without its newline; empty unless Event is InputLine
	Event      InputKind
	Incomplete bool   // the input ended before the line did
	from       *batch // keeps the line in its history unless it is secret; nil: it does not
}

// Remember adds the line to the history of its prompt unless c calls it secret. The owner of the
// console must call it once, before it runs the line, because the line can end the server. Until
// then the keys of the history wait.
func (i Input) Remember(c Completer) {
	switch {
	case i.from == nil:
	case c.Secret(i.Text):
		i.from.settle(nil)
	default:
		i.from.settle(&i.Text)
	}
}

// An InputKind is the kind of an Input.
type InputKind uint8

const (
	InputLine      InputKind = iota // a line was entered
	InputCleared                    // Ctrl-C: discard the typed text and an unfinished chunk
	InputInterrupt                  // Ctrl-C twice on an empty line: quit
)

// A Mode selects the kind of source.
type Mode string

const (
	Auto     Mode = "auto" // TTY if stdin and stdout are terminals, else LineMode
	TTY      Mode = "tty"  // a Terminal, or an error
	ModeLine Mode = "line" // a LineMode
	Off      Mode = "off"  // a LineMode that reads nothing
)

// SourceOptions configure a source. The zero value uses stdin and stdout and keeps no
// history.
type SourceOptions struct {
	In, Out *os.File // nil: os.Stdin, os.Stdout
	Device  Device   // of NewTerminal, instead of In and Out; the Terminal closes it
	MaxLine int      // characters of a line at a Terminal; the rest is cut; 0 is no limit
	Prompt  string   // prompt of a Terminal; "" is "torc> "
	History string   // history file, set to mode 0600; "" keeps no history
}

const defaultPrompt = "torc> "

// Open returns a source for mode. It also ignores SIGPIPE, so a closed stdout is
// a write error and does not end the process.
func Open(mode Mode, o SourceOptions) (Source, error) {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	ignoreBrokenPipe()
	switch mode {
	case Auto:
		if isTerminal(o) && os.Getenv("TERM") != "dumb" {
			return NewTerminal(o)
		}
		return NewLineMode(o.In, o.Out), nil
	case TTY:
		if !isTerminal(o) {
			return nil, errors.New("stdin and stdout must be a terminal; use line mode")
		}
		return NewTerminal(o)
	case ModeLine:
		return NewLineMode(o.In, o.Out), nil
	case Off:
		return NewLineMode(nil, o.Out), nil
	}
	return nil, fmt.Errorf("the console must be auto, tty, line or off, got %q", string(mode))
}

func isTerminal(o SourceOptions) bool {
	return readline.IsTerminal(int(o.In.Fd())) && readline.IsTerminal(int(o.Out.Fd()))
}
