package main

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/internal/testenv"
)

const (
	pictureOn  = "\x1b[?1049h" // the terminal's alternate screen
	pictureOff = "\x1b[?1049l"
)

// draws waits until text appears in the output after the first from bytes, and returns the offset
// of its end.
func (p *person) draws(from int, text string) (after int) {
	p.t.Helper()
	limit := testenv.Limit(p.t)
	for {
		if at := bytes.Index(p.raw.Bytes()[from:], []byte(text)); at >= 0 {
			return from + at + len(text)
		}
		select {
		case b := <-p.drawn:
			p.raw.Write(b)
		case <-limit:
			require.FailNow(p.t, "it was never drawn", "%q in %q", text, p.raw.Bytes()[from:])
		}
	}
}

// views starts a person and enters the view.
func views(t *testing.T, line string) (p *person, at int) {
	p = plays(t, 80)
	p.types(line)
	at = p.draws(p.raw.Len(), pictureOn)
	return p, p.draws(at, "Esc console")
}

func TestViewRestoresTerminal(t *testing.T) {
	t.Parallel()
	p, at := views(t, "view\r")
	p.types("thello there\r")
	at = p.draws(at, "Ann: hello there")
	p.types("?")
	at = p.draws(at, "return to the console")
	p.types("`")
	at = p.draws(at, pictureOff)
	at = p.draws(at, "Ann: hello there") // above the prompt again
	at = p.draws(at, "server>")
	p.types("21 * 2\r")
	at = p.draws(at, "42")

	p.types("client view\r")
	at = p.draws(at, pictureOn)
	p.types("\x1b")
	at = p.draws(at, pictureOff)
	p.draws(at, "server>")
	p.types("quit\r")
	p.ends(ended)
	assert.Equal(t, p.found, p.mode())
}

// onChat returns a line that makes the server run Lua when Ann chats. She can chat in the view.
func onChat(lua string) string {
	return `override(serverCmd, "MessageSent", function() ` + lua + " end) view()\r"
}

// TestLogsDoNotTearTheView logs and prints while the view is open. Every line appears among its
// messages and not between its rows.
func TestLogsDoNotTearTheView(t *testing.T) {
	t.Parallel()
	p, at := views(t, onChat(`warn("a warning of the log") echo("an echo")`))
	p.types("tnow\r")
	shown := p.draws(at, "an echo")
	picture := p.raw.Bytes()[at:shown]
	assert.NotContains(t, string(picture), "\n", "a picture has no line ends")
	assert.NotContains(t, string(picture), pictureOff)
	p.types("`")
	shown = p.draws(shown, pictureOff)
	shown = p.draws(shown, "a warning of the log")
	p.draws(shown, "an echo")
}

func TestViewOnAChangedTerminal(t *testing.T) {
	t.Parallel()
	p, at := views(t, "view\r")
	require.NoError(t, unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 10, Col: 120}))
	at = p.draws(at, "\x1b[10;") // the bars are in the new last row
	for _, size := range []unix.Winsize{{Row: 1, Col: 1}, {Row: 3, Col: 500}, {Row: 24, Col: 80}} {
		require.NoError(t, unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &size))
	}
	at = p.draws(at, "\x1b[24;")
	p.draws(at, "Esc console")
}

// TestEveryExitLeavesView ends the program while the view is open.
func TestEveryExitLeavesView(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *person){
		"quit":   func(p *person) { p.types("tnow\r") },
		"signal": func(p *person) { require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM)) },
		"a second signal": func(p *person) {
			require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGINT))
			require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, at := views(t, onChat("quit()"))
			end(p)
			p.draws(at, pictureOff)
			_ = p.cmd.Wait()
			assert.Equal(t, p.found, p.mode())
		})
	}
}

// TestViewRequestedTwiceOpensOnce asks for the view twice at once. The view opens once. Keys typed
// meanwhile go to the prompt or to the view.
func TestViewRequestedTwiceOpensOnce(t *testing.T) {
	t.Parallel()
	p := plays(t, 80)
	p.types("view() view()\rview\r\x1b[Awd")
	at := p.draws(p.raw.Len(), "Esc console")
	p.types("`")
	p.draws(at, pictureOff)
}

func TestViewNeedsATerminal(t *testing.T) {
	t.Parallel()
	p := start(t, "play", "--mod", "hello")
	p.say("client view", "quit")
	p.expect("error: the view needs a terminal, and this console has none")
}

// TestViewChoosesALoadout opens the menu of ctf with its key, and chooses with a number key.
func TestViewChoosesALoadout(t *testing.T) {
	t.Parallel()
	p := sit(t, 80, "play", "--mod", "ctf", "--name", "Ann")
	p.draws(0, "Ann is now in the Red team.")
	p.types("view()\r")
	at := p.draws(p.raw.Len(), pictureOn)
	at = p.draws(at, "Esc console")
	p.types("l")
	at = p.draws(at, "Choose a loadout")
	at = p.draws(at, "2  [medium]")
	at = p.draws(at, "Esc  close")
	p.types("2")
	at = p.draws(at, "the medium loadout")
	p.types("`")
	at = p.draws(at, pictureOff)
	p.draws(at, "server>")
	p.types("quit\r")
	p.ends(ended)
}
