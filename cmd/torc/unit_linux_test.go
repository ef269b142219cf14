package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unit returns the values of a setting in the unit for systemd.
func unit(t *testing.T, setting string) (values []string) {
	text, err := os.ReadFile(filepath.Join("..", "..", "dist", "torc.service"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(strings.TrimSpace(line), setting+"="); is {
			values = append(values, value)
		}
	}
	return values
}

// serveInUnit starts a server with the environment of the unit. messages returns the next message
// to systemd without signs of life.
func serveInUnit(t *testing.T, args ...string) (p *process, message func() string) {
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "n"), Net: "unixgram"}
	socket, err := net.ListenUnixgram("unixgram", at)
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	with := append([]string{"sh", "-c", `ulimit -c 0; exec "$@"`, "sh", "env", "NOTIFY_SOCKET=" + at.Name}, unit(t, "Environment")...)
	p = startWith(t, "", with, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	b := make([]byte, 4096)
	return p, func() string {
		n, err := socket.Read(b)
		require.NoError(t, err)
		return string(b[:n])
	}
}

// TestUnitNotifies checks what systemd hears of a server: it is ready when its port is open, its
// status names the players, and it says when it reloads, starts again in place, or ends.
func TestUnitNotifies(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"notify"}, unit(t, "Type"))
	config := file(t, "torc.toml", "name = 'One'\n")
	p, message := serveInUnit(t, "--config", config)
	status := ""
	until := func(event string) { // a change of the status alone can come at any time
		m := message()
		for !strings.HasPrefix(m, event) && strings.HasPrefix(m, "STATUS=") {
			m = message()
		}
		require.True(t, strings.HasPrefix(m, event), "%s in place of %s", m, event)
		_, status, _ = strings.Cut(m, "STATUS=")
	}
	until("READY=1")
	address := strings.Fields(p.expect("listening on "))[2]
	assert.Equal(t, "0 of 128 players, listening on "+address, status)
	joinTo(t, address, "--name", "Ann")
	until("STATUS=1 of 128 players, listening on " + address)

	require.NoError(t, os.WriteFile(config, []byte("nam = 'Two'\n"), 0o600))
	p.signal(syscall.SIGHUP)
	until("RELOADING=1\nMONOTONIC_USEC=")
	until("READY=1")
	assert.Contains(t, status, `"nam" is not a setting`)

	require.NoError(t, os.WriteFile(config, []byte("name = 'Two'\n"), 0o600))
	p.say("restart")
	until("RELOADING=1") // systemd would kill a process that says STOPPING=1
	assert.Equal(t, "restarting", status)
	until("READY=1")
	assert.Contains(t, status, "0 of 128 players, listening on ")

	p.say("quit")
	until("STOPPING=1")
	p.ends(ended)
}

// TestUnitRestartsAfterCrash checks that a crash is no exit status that keeps systemd from a
// restart. The watchdog sends the signal.
func TestUnitRestartsAfterCrash(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"2"}, unit(t, "RestartPreventExitStatus"))
	p, _ := serveInUnit(t)
	p.expect("listening on ")
	p.signal(syscall.SIGABRT)
	for range p.out { // to its end, so that Wait may close the pipe
	}
	_ = p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	assert.True(t, status.Signaled(), "it ended with status %d", status.ExitStatus())
	assert.Contains(t, p.err.String(), "goroutine ", "the journal shows where it stood")
}
