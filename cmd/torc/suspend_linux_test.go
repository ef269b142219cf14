package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// jobScript is a shell with job control. It runs the program as a job in a process group of its
// own, tells when the job stops, and continues it after each line of input.
const jobScript = `set -m
"$@"
status=$?
while [ "$(kill -l $status)" = TSTP ]; do
	echo "the job has stopped"
	read -r line
	fg
	status=$?
done
exit $status`

// playsAsJob starts torc play in a shell and waits until the client is in the game.
func playsAsJob(t *testing.T) *person {
	t.Helper()
	path, err := torc()
	require.NoError(t, err, path)
	cmd := exec.Command("/bin/sh", "-c", jobScript, "sh", path, "play", "--mod", "hello", "--name", "Ann", "--log-level", "error", "--data", t.TempDir())
	cmd.Env = append(environment(t, path), "TERM=xterm")
	p := sitAt(t, 80, cmd)
	p.sees("Ann came from local", "connected to local", "server>")
	return p
}

// TestCtrlZSuspendsThePrompt suspends the program in the middle of a line. The shell gets the
// terminal in its usual mode. After fg, the line is there again, and the program is in the game.
func TestCtrlZSuspendsThePrompt(t *testing.T) {
	t.Parallel()
	p := playsAsJob(t)
	for range 2 {
		taken := p.mode()
		p.types("21 *\x1a")
		p.sees("the job has stopped")
		assert.Equal(t, p.found, p.mode())
		p.types("go on\r")
		p.sees("server> 21 *")
		assert.Equal(t, taken, p.mode())
		p.types(" 2\r")
		p.sees("42", "server>")
	}
	p.types("client server.address ~= nil\r")
	p.sees("true", "server>")
	p.types("quit\r")
	p.ends(ended)
	assert.Equal(t, p.found, p.mode())
}

// TestCtrlZSuspendsTheView suspends the program while a chat line is typed. The terminal leaves the
// picture, and returns to it with the line.
func TestCtrlZSuspendsTheView(t *testing.T) {
	t.Parallel()
	p := playsAsJob(t)
	p.types("view\r")
	at := p.draws(p.raw.Len(), pictureOn)
	at = p.draws(at, "Esc console")
	p.types("thello\x1a")
	at = p.draws(at, pictureOff)
	at = p.draws(at, "the job has stopped")
	assert.Equal(t, p.found, p.mode())
	p.types("go on\r")
	at = p.draws(at, pictureOn)
	at = p.draws(at, "hello")
	p.types(" there\r")
	at = p.draws(at, "Ann: hello there")
	p.types("\x1b")
	at = p.draws(at, pictureOff)
	p.draws(at, "server>")
	p.types("quit\r")
	p.ends(ended)
}

// TestCtrlZWithoutAShell: no shell could continue the program, so Ctrl-Z has no effect.
func TestCtrlZWithoutAShell(t *testing.T) {
	t.Parallel()
	p := plays(t, 80)
	p.types("21 *\x1a 2\r")
	p.sees("server> 21 * 2", "42", "server>")
	p.types("quit\r")
	p.ends(ended)
}

// TestCtrlZStopsTheProcessGroup: the shell sees a script as one job, so the script that runs the
// program has to stop too.
func TestCtrlZStopsTheProcessGroup(t *testing.T) {
	t.Parallel()
	path, err := torc()
	require.NoError(t, err, path)
	cmd := exec.Command("/bin/sh", "-c", jobScript, "sh",
		"/bin/sh", "-c", `"$@"; exit $?`, "sh", path, "play", "--mod", "hello", "--name", "Ann", "--log-level", "error", "--data", t.TempDir())
	cmd.Env = append(environment(t, path), "TERM=xterm")
	p := sitAt(t, 80, cmd)
	p.sees("Ann came from local", "connected to local", "server>")
	p.types("\x1a")
	p.sees("the job has stopped")
	assert.Equal(t, p.found, p.mode())
	p.types("go on\r")
	p.sees("server>")
	p.types("quit\r")
	p.ends(ended)
}
