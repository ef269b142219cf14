package remote

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console/prompt"
)

const (
	ahead    = 16                     // lines that were typed and wait for their turn
	patience = 200 * time.Millisecond // for what the prompt wants to know at once
)

// errLeft ends an attachment as the person at the prompt, or a signal, wants.
var errLeft = errors.New("left")

// attached is a prompt on a server's console.
type attached struct {
	*Client
	term    prompt.Source
	signals <-chan os.Signal
	typed   <-chan prompt.Input // nil: no more come
	waiting []prompt.Input
	bye     bool // the server has said that it ends
	left    bool // it is the person who ends
}

// Attach has a prompt work on the server's console, until no more lines come or somebody wants to leave: then there is no
// error. It is Refused when the server has no session left, ErrEnded when the server ends, and one that says so when it goes without
// a word.
func (c *Client) Attach(term prompt.Source, signals <-chan os.Signal) error {
	a := &attached{Client: c, term: term, signals: signals, typed: term.Lines()}
	err := a.run()
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

// Refused is why a server has nobody attach.
type Refused struct{ error }

// ErrEnded says that the server has ended as it was asked to.
var ErrEnded = errors.New("the server has ended")

func (a *attached) run() error {
	hello, err := a.ask("attach", "", nil)
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
			end, err := a.ask("end", "", nil)
			a.print(end.text)
			return err
		}
		if _, err := a.step(a.term.Asks(), nil, nil); err != nil {
			return err
		}
	}
}

// say has the server run a line, and shows what comes of it.
func (a *attached) say(line prompt.Input) error {
	verb := "type"
	if line.Event == prompt.InputCleared {
		verb = "cancel"
	}
	came, err := a.ask(verb, line.Text, nil)
	if err != nil {
		return err
	}
	a.print(came.text)
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

// errLate says that a question was not answered in time.
var errLate = errors.New("no answer in time")

// ask sends a request and goes on with everything else until it is answered, or late.
func (a *attached) ask(verb, text string, late <-chan time.Time) (came *answer, err error) {
	came = a.send(verb, text)
	for complete := false; !complete && err == nil; {
		complete, err = a.step(nil, came, late)
	}
	return came, err
}

// step takes in the next thing that happens. It reports whether an answer that is waited for is complete by that.
func (a *attached) step(asks <-chan prompt.Query, to *answer, late <-chan time.Time) (complete bool, err error) {
	if a.left {
		return false, errLeft
	}
	typed := a.typed
	if len(a.waiting) >= ahead {
		typed = nil
	}
	select {
	case line, open := <-a.lines:
		return a.hear(line, open, to)
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
	case <-late:
		return false, errLate
	case <-a.signals:
		a.left = true
	}
	return false, nil
}

// hear takes in a line of the server.
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

// Complete is what Tab makes of a line; nothing if the server takes too long.
func (f asker) Complete(line string, pos int) (candidates []string, start int) {
	came, err := f.ask("complete", fmt.Sprintf("%d %s", pos, line), time.After(patience))
	if err != nil || came.err != nil || len(came.text) == 0 {
		return nil, 0
	}
	if start, err = strconv.Atoi(came.text[0]); err != nil {
		return nil, 0
	}
	return came.text[1:], start
}

// Secret reports whether a line must be kept out of a history; so is one of which the server does not say.
func (f asker) Secret(line string) bool {
	came, err := f.ask("secret", line, time.After(patience))
	return err != nil || came.err != nil || len(came.text) != 1 || came.text[0] != "no"
}
