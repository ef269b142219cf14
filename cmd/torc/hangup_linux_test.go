package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHangup checks that SIGHUP makes a server read its settings again, and that later joins meet
// them.
func TestHangup(t *testing.T) {
	t.Parallel()
	path := file(t, "torc.toml", "name = 'One'\n[vars]\nnet.limitLoopback = true\n")
	server, address, _ := serveOn(t, "--config", path)
	ann := joinTo(t, address, "--name", "Ann")
	require.NoError(t, os.WriteFile(path, []byte("name = 'Two'\npassword = 'x'\n[vars]\nsv.accepting = false\n"), 0o600))
	require.NoError(t, server.cmd.Process.Signal(syscall.SIGHUP))
	server.until("sv.name", `"Two"`)

	bob := start(t, "join", address, "--name", "Bob", "--password", "x")
	bob.ends(unconnected)
	assert.Contains(t, bob.err.String(), "the server accepts no new players")
	server.say("sv.accepting true")
	server.until("sv.accepting", "true")
	bob = start(t, "join", address, "--name", "Bob")
	bob.ends(unconnected)
	assert.Contains(t, bob.err.String(), "password")
	joinTo(t, address, "--name", "Bob", "--password", "x").say("quit")

	ann.say("server.address ~= nil")
	ann.expect("true")
	server.say("quit")
	server.ends(ended)
	assert.Equal(t, 1, strings.Count(server.err.String(), "the settings are reloaded"))
}

// TestTerminalCloses checks that a server ends when its terminal closes, which sends the signal of a
// reload.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	p := sit(t, 100, "serve", "--listen", "127.0.0.1:0")
	p.until("listening on", func() bool { return strings.Contains(strings.Join(p.screen.text(), "\n"), "listening on") })
	require.NoError(t, p.master.Close())
	_, err := p.slave.WriteString("x") // ends the read of watch, which keeps the terminal open
	require.NoError(t, err)
	require.NoError(t, p.slave.Close())
	require.NoError(t, p.cmd.Wait(), "the status is 0")
}
