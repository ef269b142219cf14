package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/remote"
)

// Several consoles at once are on one server: each has its lines answered, all see what the server prints.
func TestTheConsoleOfARunningServer(t *testing.T) {
	dir := shortDir(t)
	server, _, _ := serveOn(t, "--data", dir)
	ann := start(t, "console", "--data", dir)
	ann.say("1 + 1", "net.rate 20", "net.rate", "function f()", "return 7", "end", "f()", "kick Bob")
	ann.lines("2", "20", "7", `error: nobody here is "Bob" (players lists who is here)`)
	bob := start(t, "console", filepath.Join(dir, remote.Socket))
	bob.say("function g(", `echo("one")`, ")")
	require.NoError(t, bob.in.Close())
	bob.expect("error: ")
	bob.ends(ended)
	bob = start(t, "console", "--data", dir)
	bob.say("f()")
	bob.lines("7")
	ann.say(`echo("two")`)
	server.say(`echo("three")`)
	for _, p := range []*process{server, ann, bob} {
		p.lines("two", "three")
	}
	require.NoError(t, bob.cmd.Process.Signal(os.Interrupt))
	bob.ends(ended)

	ann.say("quit")
	ann.lines("disconnected: the server has ended")
	ann.ends(ended)
	server.ends(ended)
	_, err := os.Stat(filepath.Join(dir, remote.Socket))
	assert.ErrorIs(t, err, os.ErrNotExist)
	var out, errs bytes.Buffer
	assert.Equal(t, unconnected, run([]string{"console", "--data", dir}, &out, &errs))
	assert.Contains(t, errs.String(), "torc: no server can be reached at "+filepath.Join(dir, remote.Socket))
	assert.Contains(t, errs.String(), "name its data folder with --data DIR")
}

func TestTheConsoleOfAServerThatDies(t *testing.T) {
	dir := shortDir(t)
	server, _, _ := serveOn(t, "--data", dir)
	p := start(t, "console", "--data", dir)
	p.say("1 + 1")
	p.lines("2")
	require.NoError(t, server.cmd.Process.Kill())
	p.ends(failed)
	assert.Contains(t, p.err.String(), "torc: the server has gone without a word")
}
