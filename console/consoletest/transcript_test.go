package consoletest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/console/consoletest"
)

// echo answers with what it was fed, prints besides, and fails on "fail".
type echo struct {
	printed []string
	fed     []string
	end     error
}

func (e *echo) Feed(line string) (string, bool, error) {
	e.fed = append(e.fed, line)
	switch line {
	case "fail":
		return "partly", false, errors.New("failed")
	case "odd":
		return "> typed\n# comment\n\n\\", false, nil
	case "print":
		e.printed = append(e.printed, "printed")
	}
	return line, false, nil
}

func (e *echo) End() error { return e.end }

func (e *echo) take() []string {
	lines := e.printed
	e.printed = nil
	return lines
}

const transcript = `# What it is about.
> one
one

# The next.

> print
printed
print
> fail
partly
error: failed
>  indented
 indented
> odd
\> typed
\# comment
\
\\
`

func TestPlay(t *testing.T) {
	e := &echo{}
	assert.Equal(t, transcript, consoletest.Play(transcript, e, e.take))
	assert.Equal(t, []string{"one", "print", "fail", " indented", "odd"}, e.fed)
}

func TestPlayReplacesWhatWasExpected(t *testing.T) {
	assert.Equal(t, "> one\none\n\n> two\ntwo\n", consoletest.Play("> one\nwrong\nand more\n\n> two\n", &echo{}, nil))
	assert.Equal(t, "> one\none\nerror: at the end: open\n", consoletest.Play("> one\n", &echo{end: errors.New("open")}, nil))
	assert.Empty(t, consoletest.Play("", &echo{}, nil))
}
