package remote

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console/prompt"
)

const ahead = 16 // typed lines that wait for their turn

// errLeft ends an attachment because the user or a signal ends it.
var errLeft = errors.New("left")

// attached is a prompt on a server's console.
type attached struct {
	*Link
	term    prompt.Source
	signals <-chan os.Signal
	typed   <-chan prompt.Input // nil: no more lines come
	waiting []prompt.Input
	bye     bool // the server has announced its end
	left    bool // the user ends
	wrong   bool // a line has failed
}

// Attach connects a prompt to the server's console. It returns nil or ErrLine when no more lines
// come, and nil when the user or a signal ends it. It returns Refused if the server has too many
// clients, ErrEnded if the server ends, and another error if the connection breaks.
func (c *Link) Attach(term prompt.Source, signals <-chan os.Signal) error {
	a := &attached{Link: c, term: term, signals: signals, typed: term.Lines()}
	err := a.run()
	switch {
	case errors.Is(err, errLeft):
		return nil
	case err == nil && a.wrong:
		return ErrLine
	}
	return err
}

// Refused is an error: the server accepts no more clients.
type Refused struct{ error }

// ErrLine means that all lines have run, and that at least one of them failed.
var ErrLine = errors.New("a line has failed")

// ErrEnded means that the server has ended in order.
var ErrEnded = errors.New("the server has ended")

func (a *attached) run() error {
	hello, err := a.ask("attach", "")
	if err != nil {
		return err
	}
	if hello.err != nil {
		return Refused{hello.err}
	}
	for {
		for len(a.waiting) > 0 {
			line := a.waiting[0]
			a.waiting = a.waiting[1:]
			if err := a.say(line); err != nil {
				return err
			}
		}
		if a.typed == nil {
			end, err := a.ask("end", "")
			a.print(end.text)
			a.wrong = a.wrong || end.wrong || end.err != nil
			return err
		}
		if _, err := a.step(a.term.Asks(), nil); err != nil {
			return err
		}
	}
}

// say makes the server run a line, and prints the answer.
func (a *attached) say(line prompt.Input) error {
	line.Remember(asker{a})
	verb := "type"
	if line.Event == prompt.InputCleared {
		verb = "cancel"
	}
	came, err := a.ask(verb, line.Text)
	if err != nil {
		return err
	}
	a.print(came.text)
	a.wrong = a.wrong || came.wrong || came.err != nil
	if came.err != nil {
		a.term.Print("error: " + came.err.Error())
	}
	if came.more {
		a.term.SetPrompt("....> ")
	} else {
		a.term.SetPrompt("torc> ")
	}
	return nil
}

func (a *attached) print(lines []string) {
	if len(lines) > 0 {
		a.term.Print(strings.Join(lines, "\n"))
	}
}

// ask sends a request. It handles everything else until the answer is complete.
func (a *attached) ask(verb, text string) (came *answer, err error) {
	came = a.send(verb, text)
	a.silence.Reset(maxSilence)
	defer a.silence.Stop()
	for complete := false; !complete && err == nil; {
		complete, err = a.step(nil, came)
	}
	return came, err
}

// step handles the next event. It reports whether that completes the awaited answer.
func (a *attached) step(asks <-chan prompt.Query, to *answer) (complete bool, err error) {
	if a.left {
		return false, errLeft
	}
	typed := a.typed
	if len(a.waiting) >= ahead {
		typed = nil
	}
	select {
	case line, open := <-a.lines:
		if to != nil {
			a.silence.Reset(maxSilence)
		}
		return a.hear(line, open, to)
	case <-a.silence.C:
		return false, errSilent
	case line, open := <-typed:
		switch {
		case !open:
			a.typed = nil
		case line.Event == prompt.InputInterrupt:
			a.left = true
		default:
			a.waiting = append(a.waiting, line)
		}
	case question := <-asks:
		question.Run(asker{a})
	case <-a.signals:
		a.left = true
	}
	return false, nil
}

// hear handles a line of the server.
func (a *attached) hear(line string, open bool, to *answer) (complete bool, err error) {
	text, printed := strings.CutPrefix(line, "|")
	switch {
	case !open && a.bye:
		return false, ErrEnded
	case !open:
		return false, errGone
	case printed:
		a.term.Print(text)
		return false, nil
	case line == "bye":
		a.bye = true
		return false, nil
	case dropped(line):
		a.term.Print(line)
	}
	return to != nil && to.take(line), nil
}

// asker answers the questions of the prompt by asking the server.
type asker struct{ *attached }

// Complete returns the completions of a line; none if the server is gone.
func (f asker) Complete(line string, pos int) (candidates []string, start int) {
	came, err := f.ask("complete", fmt.Sprintf("%d %s", pos, line))
	if err != nil || came.err != nil || len(came.text) == 0 {
		return nil, 0
	}
	if start, err = strconv.Atoi(came.text[0]); err != nil {
		return nil, 0
	}
	return came.text[1:], start
}

// Secret reports whether a line must be kept out of a history. Without an answer, it must.
func (f asker) Secret(line string) bool {
	came, err := f.ask("secret", line)
	return err != nil || came.err != nil || len(came.text) != 1 || came.text[0] != "no"
}
