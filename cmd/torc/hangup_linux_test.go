package main

import (
	"errors"
	"log/slog"
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
	server, address, _ := serveIn(t, "", "--config", path)
	ann := joinTo(t, address, "--name", "Ann")
	require.NoError(t, os.WriteFile(path, []byte("name = 'Two'\npassword = 'x'\n[vars]\nsv.accepting = false\n"), 0o600))
	server.signal(syscall.SIGHUP)
	server.until("sv.name", `"Two"`)

	refused(t, "the server accepts no new players", address, "--name", "Bob", "--password", "x")
	server.say("sv.accepting true")
	server.until("sv.accepting", "true")
	refused(t, "password", address, "--name", "Bob")
	joinTo(t, address, "--name", "Bob", "--password", "x").say("quit")

	ann.say("server.address ~= nil")
	ann.expect("true")
	server.quits()
	assert.Equal(t, 1, strings.Count(server.err.String(), "the settings are reloaded"))
}

// TestTerminalCloses checks that a server ends when its terminal closes, which sends the signal of
// a reload.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	p := sit(t, 100, "serve", "--listen", "127.0.0.1:0")
	p.until("listening on", func() bool { return strings.Contains(strings.Join(p.screen.text(), "\n"), "listening on") })
	require.NoError(t, p.master.Close())
	_, _ = p.slave.WriteString("x") // ends the read of watch, which keeps the terminal open; without one it fails
	require.NoError(t, p.slave.Close())
	require.NoError(t, p.cmd.Wait(), "the status is 0")
}

// endingNode is a node that is ending. Close returns when written is closed.
type endingNode struct {
	runner
	written chan struct{}
}

func (endingNode) Ending() bool    { return true }
func (endingNode) Do(func()) error { return errors.New("the node has ended") }
func (n endingNode) Close() error  { <-n.written; return nil }

// TestHangupWhileEnding checks that SIGHUP does not interrupt a server that is ending. An interrupt
// would end the process of this test.
func TestHangupWhileEnding(t *testing.T) {
	n := endingNode{written: make(chan struct{})}
	p := &session{node: n, signals: make(chan os.Signal), late: make(chan struct{}, 1), log: slog.New(slog.DiscardHandler)}
	p.onScreen = true
	p.signal(reloadSignal)

	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() { p.watch(ended); close(watched) }()
	p.signals <- reloadSignal
	p.signals <- reloadSignal // watch has handled the first
	close(ended)
	<-watched
	assert.Empty(t, p.late)

	closed := make(chan struct{})
	go func() { p.close(); close(closed) }()
	p.signals <- reloadSignal
	p.signals <- reloadSignal // close has handled the first
	close(n.written)
	<-closed
}
