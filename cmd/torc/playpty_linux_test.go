package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// plays starts `torc play` in a terminal and waits until the client is in the game.
func plays(t *testing.T, width int) *person {
	p := sit(t, width, "play", "--mod", "hello", "--name", "Ann")
	p.sees("Ann came from local", "connected to local", "server>")
	return p
}

func TestTerminalPlayKeepsWhatIsTypedBelowTheOutput(t *testing.T) {
	t.Parallel()
	p := plays(t, 80)
	p.types(`for i = 1, 30 do schedule(32 * i, echo, "line " .. i .. " of many") end` + "\r")
	p.until("line 1", func() bool { return slices.Contains(p.screen.text(), "line 1 of many") })
	for _, word := range []string{"half", " a", " line", " that", " is", " typed"} {
		p.types(word)
		p.until(word, func() bool {
			text := p.screen.text()
			return strings.HasSuffix(text[len(text)-1], word)
		})
	}
	p.types("\x1b[D\x1b[D") // moves the cursor back into the word
	p.sees("line 29 of many", "line 30 of many", "server> half a line that is typed")
	var lines []string
	for _, row := range p.screen.text() {
		if strings.HasPrefix(row, "line") {
			lines = append(lines, row)
		}
	}
	for i, line := range lines {
		assert.Equal(t, fmt.Sprintf("line %d of many", i+1), line, "each line whole, once, in order")
	}
	assert.Len(t, lines, 30)

	p.types("p") // at the cursor: "typped"
	p.sees("server> half a line that is typped")
	p.types("\x03")
	p.sees("server> half a line that is typped^C", "server>")
	p.types("1 + 1\r")
	p.sees("server> 1 + 1", "2", "server>")
	p.types("quit\r")
	p.ends(ended)
}

func TestTerminalPlayCompletes(t *testing.T) {
	t.Parallel()
	p := plays(t, 80)
	for _, row := range []struct{ typed, becomes string }{
		{"clientGroup:ea", "clientGroup:each"},
		{"echo(clientGroup:ea", "echo(clientGroup:each"},
		{"Ball.mas", "Ball.mass"},
		{"Heavy", "HeavyBall"},
		{"hello.gree", "hello.greet"},
		{"kick A", "kick Ann"},
		{"client hello.a", "client hello.ask"},
		{"client net.ra", "client net.rate"},
		{"net.pro", "net.profile"},
		{"help net.ra", "help net.rate"},
	} {
		p.types(row.typed + "\t")
		p.sees("server> " + row.becomes)
		p.types("\x15") // deletes the line
		p.sees("server>")
	}
	p.types("Ball.ma\t") // both mass and maxVelocity
	p.sees("Ball.mass         Ball.maxVelocity", "server> Ball.ma")
	p.types("s\t\r")
	p.sees("server> Ball.mass", "1", "server>")
	p.types("nothing.like.this\t!")
	p.sees("server> nothing.like.this!")
	p.types("\x03") // it would discard keys that wait
	p.sees("server> nothing.like.this!^C", "server>")
	p.types("quit\r")
	p.ends(ended)
}

func TestTerminalPlayChunksAndSides(t *testing.T) {
	t.Parallel()
	p := plays(t, 80)
	p.types("for i = 1, 2 do\r")
	p.sees("server> for i = 1, 2 do", "......>")
	p.types("echo(i)\r")
	p.sees("......> echo(i)", "......>")
	p.types("end\r")
	p.sees("......> end", "1", "2", "server>")

	p.types("function f(\r")
	p.sees("......>")
	p.types("half\x03") // discards the chunk and the line
	p.sees("......> half^C", "server>")
	p.types("client hello.ask HeavyBall\r")
	p.sees("server> client hello.ask HeavyBall", "HeavyBall weighs 20 kg.", "server>")

	p.types("client\r")
	p.sees("client>")
	p.types("server\r") // the client has this command, too
	p.sees("client> server", "server>")
	p.types("client\r")
	p.sees("client>")
	p.types("say hi\r")
	p.sees("client> say hi", "Ann: hi", "client>")
	p.types("server say lo\r")
	p.sees("client> server say lo", "*** Server: lo", "client>")
	p.types("quit\r")
	p.ends(ended)
}

func TestTerminalPlayResizes(t *testing.T) {
	t.Parallel()
	p := plays(t, 80)
	line := `echo("` + strings.Repeat("x", 60) + `")`
	p.types(line)
	p.sees("server> " + line)
	for _, width := range []int{40, 120, 30, 100} {
		p.resize(width)
		p.types("\x1b[D\x1b[C") // the next drawing uses the new width
	}
	p.types("\r")
	p.sees(strings.Repeat("x", 60), "server>")
	p.types("quit\r")
	p.ends(ended)
}

func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(p *person){
		"quit": func(p *person) { p.types("quit so long\r") },
		"interrupt twice": func(p *person) {
			p.types("half\x03")
			p.sees("server> half^C", "server>")
			p.types("\x03")
			p.sees("(press again to quit)", "server>")
			p.types("\x03")
		},
		"end of input twice": func(p *person) {
			p.types("\x04")
			p.sees("(press again to quit)", "server>")
			p.types("\x04")
		},
		"in the middle of a line": func(p *person) {
			p.types("half typed")
			p.sees("server> half typed")
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := plays(t, 80)
			assert.NotEqual(t, p.found, p.mode(), "the prompt has taken the terminal over")
			leave(p)
			p.ends(ended)
			assert.Equal(t, p.found, p.mode())
		})
	}
}
