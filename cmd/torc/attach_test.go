package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/remote"
)

// TestConsoleOfRunningServer attaches several consoles to one server. Each console gets the answers
// to its own lines, and all of them see the server's output.
func TestConsoleOfRunningServer(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	server, _, _ := serveOn(t, "--data", dir)
	ann := start(t, "console", "--data", dir)
	ann.say("1 + 1", "net.rate 20", "net.rate", "function f()", "return 7", "end", "f()", "kick Bob")
	ann.lines("2", "20", "7", `error: no player has the id or name "Bob" (players lists them)`)
	bob := start(t, "console", filepath.Join(dir, remote.Socket))
	bob.say("function g(", `echo("one")`, ")")
	require.NoError(t, bob.in.Close())
	bob.expect("error: ")
	bob.ends(failed)
	bob = start(t, "console", "--data", dir)
	bob.say("f()")
	bob.lines("7")
	for from, word := range map[*process]string{ann: "two", server: "three"} {
		from.say(`echo("` + word + `")`)
		for _, p := range []*process{server, ann, bob} {
			p.lines(word)
		}
	}
	bob.signal(os.Interrupt)
	bob.ends(ended)

	ann.say("quit")
	ann.lines("disconnected: the server has ended")
	ann.ends(ended)
	server.ends(ended)
	_, err := os.Stat(filepath.Join(dir, remote.Socket))
	assert.ErrorIs(t, err, os.ErrNotExist)
	var out, errs bytes.Buffer
	assert.Equal(t, unconnected, run([]string{"console", "--data", dir}, &out, &errs))
	assert.Contains(t, errs.String(), "torc: cannot reach a server at "+filepath.Join(dir, remote.Socket))
	assert.Contains(t, errs.String(), "name its data folder with --data DIR")
}

// TestQuitInAPipe: a pipe that ends the server ends in order, and the lines after quit do not run.
func TestQuitInAPipe(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{{"quit"}, {"quit bye", "1 +", "say late"}} {
		dir := shortDir(t)
		server, _, _ := serveOn(t, "--data", dir)
		pipe := start(t, "console", "--data", dir)
		pipe.say(lines...)
		require.NoError(t, pipe.in.Close())
		pipe.lines("disconnected: the server has ended")
		pipe.ends(ended)
		server.ends(ended)
	}
}

// TestConsoleBeyondLimitIsRefused attaches more consoles than a server accepts. The console that is
// refused says so and exits with the status of a refused connection.
func TestConsoleBeyondLimitIsRefused(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	server, _, _ := serveOn(t, "--data", dir)
	for range 8 {
		p := start(t, "console", "--data", dir)
		p.say("1 + 1")
		p.lines("2")
	}
	p := start(t, "console", "--data", dir)
	p.ends(unconnected)
	assert.Contains(t, p.err.String(), "torc: this server has 8 console connections already, the maximum")
	server.quits()
}

// TestConsoleOfPlay attaches to torc play. The attached console can run lines on the client but
// stays on the server. The player's own prompt does not change.
func TestConsoleOfPlay(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	play := start(t, "play", "--data", dir, "--name", "Ann")
	play.expect("connected to ")
	p := start(t, "console", "--data", dir)
	p.say("client", "client status", "server")
	p.lines("error: torc console stays on the server: client LINE runs a line on the client")
	p.expect("server local ping ")
	p.lines("error: torc console stays on the server: server LINE runs a line on the server")
	require.NoError(t, p.in.Close())
	p.ends(failed)
	play.say("client", "players", "server", "bans", "quit")
	play.lines("error: only a server can list the players")
	play.ends(ended)
}

// TestAuditLogWriteFailure ends a server by a second signal while the disk does not answer, even if
// only the audit log waits. The folder is writable by others, and the log warns about that.
func TestAuditLogWriteFailure(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return
	}
	dir := shortDir(t)
	out, err := testenv.Output(t, exec.Command("mkfifo", filepath.Join(dir, "audit.log")))
	require.NoError(t, err, string(out))
	require.NoError(t, os.Chmod(dir, 0o777))
	server, _, _ := serveIn(t, "", "--data", dir)
	watch, err := net.Dial("unix", filepath.Join(dir, remote.Socket))
	require.NoError(t, err)
	for range 100 {
		server.say("-- " + strings.Repeat("x", 1<<10))
	}
	server.say("quit")
	_, err = io.ReadAll(watch) // to its end: the process has finished its last loop
	require.NoError(t, err)
	server.signal(os.Interrupt)
	server.ends(failed)
	assert.Contains(t, server.err.String(), "the disk does not respond")
	assert.Contains(t, server.err.String(), "other users can write to the data folder and act as the operator: run chmod go-w on it")
}

// slow is a console output that reads only after several waits.
type slow struct {
	prompt.Source
	times int
}

func (s *slow) Close() error {
	if s.times--; s.times > 0 {
		return prompt.ErrOutputPending
	}
	return nil
}

// TestSlowReadersOfAnAttachedConsole ends a console whose output is read slowly. The console waits
// until everything is read, unless a signal ends it.
func TestSlowReadersOfAnAttachedConsole(t *testing.T) {
	signals := make(chan os.Signal, 1)
	out := &slow{times: 5}
	finish(out, signals)
	assert.Zero(t, out.times)
	signals <- os.Interrupt
	out.times = 5
	finish(out, signals)
	assert.Equal(t, 4, out.times)
}

func TestConsoleOfKilledServer(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	server, _, _ := serveIn(t, "", "--data", dir)
	p := start(t, "console", "--data", dir)
	p.say("1 + 1")
	p.lines("2")
	server.kill()
	p.ends(failed)
	assert.Contains(t, p.err.String(), "torc: the connection to the server was lost")
}
