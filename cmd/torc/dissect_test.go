package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/dissect"
)

// dissected runs torc dissect and returns its output, its error and its status.
func dissected(args ...string) (out, complaint string, status int) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"dissect"}, args...), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

// TestEndToEndCapture records a game between a server and a client, and shows it.
func TestEndToEndCapture(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mod", "hello")
	path := filepath.Join(t.TempDir(), "game.capture")
	client := joinTo(t, address, "--name", "Ann", "--capture", path)
	client.say(`hello.ask HeavyBall`)
	client.lines("HeavyBall weighs 20 kg.")
	client.quits()
	server.quits()

	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "the file has keys")
	out, complaint, status := dissected(path)
	assert.Equal(t, ended, status, complaint)
	assert.Contains(t, out, `processed: HelloAsk("HeavyBall") (command, channel 0, number `)
	assert.Contains(t, out, `processed: HelloAnswer(tag "%1 weighs %2 kg.", "HeavyBall", 20)`)

	out, _, status = dissected(path, "--json", "--from", "4", "--to", "6")
	assert.Equal(t, ended, status)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3)
	for i, line := range lines {
		var p dissect.Packet
		require.NoError(t, json.Unmarshal([]byte(line), &p))
		assert.Equal(t, 4+i, p.Packet)
	}
	out, _, _ = dissected(path, "--packet", "1")
	assert.Equal(t, 1, strings.Count(out, "packet "))
	assert.Contains(t, out, "challenge request")

	again := start(t, "join", address, "--capture", path)
	again.ends(misused)
	assert.Contains(t, again.err.String(), "torc: --capture: ")
}

// TestDissectRefusals: errors are one sentence, and what comes before is shown.
func TestDissectRefusals(t *testing.T) {
	vector, err := os.ReadFile("../../netcore/testdata/vectors/join.capture")
	require.NoError(t, err)
	cut := file(t, "cut", string(vector[:len(vector)-20]))
	foreign := file(t, "foreign", "PK\x03\x04")
	for _, c := range []struct {
		args   []string
		says   string
		status int
	}{
		{nil, "torc: torc dissect needs the capture to read: torc dissect FILE\n", misused},
		{[]string{"/no/such"}, "torc: torc dissect: open /no/such: no such file or directory\n", misused},
		{[]string{foreign}, "torc: " + foreign + ": not a capture of torc: the first line is no header\n", failed},
		{[]string{cut}, "torc: " + cut + ": line 18 of the capture: it is damaged or incomplete\n", failed},
	} {
		out, complaint, status := dissected(c.args...)
		assert.Equal(t, c.says, complaint)
		assert.Equal(t, c.status, status)
		if c.args != nil && c.args[0] == cut {
			assert.Contains(t, out, "packet 15 ")
		}
	}
}
