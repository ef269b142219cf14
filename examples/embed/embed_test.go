package main

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/modtrial"

	"example.org/embed/page"
	"example.org/embed/rules"
)

// newServer starts a server on a free port. It serves the page, and builds no client.
func newServer(t *testing.T) *Server {
	t.Helper()
	s, err := NewServer("127.0.0.1:0", t.TempDir(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, s.Start())
	go func() { _ = s.Run(context.Background()) }()
	return s
}

// TestClientSeesOwnClasses joins a server: the client gets the replicated fields of its classes.
func TestClientSeesOwnClasses(t *testing.T) { play(t, rules.Client()) }

// TestStockClientSeesDescribedClasses joins a server with a client that lacks its classes, such as
// torc join: the client gets their fields, too.
func TestStockClientSeesDescribedClasses(t *testing.T) {
	stock := rules.Client()
	stock.Register = nil
	play(t, stock)
}

// play joins a server until the client knows a beacon, a crate and its datablock.
func play(t *testing.T, client node.Common) {
	s := newServer(t)
	lines := make(chan string, 100)
	cfg := node.Config{Common: client, Client: node.ClientConfig{Address: s.Address()}}
	cfg.Output = func(text string) { lines <- text }
	c, err := node.NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	go func() { _ = c.Run(context.Background()) }()
	seen := map[string]bool{}
	for !seen["a beacon reaches 500 m"] || !seen["a crate holds 80 kg"] || !seen["it is fragile"] {
		for line := range strings.Lines(<-lines) { // the test ends at the time limit of go test
			seen[strings.TrimSpace(line)] = true
		}
	}
}

// TestCommand lists the beacons and changes them.
func TestCommand(t *testing.T) {
	s := newServer(t)
	exec := func(line string) (out string, err error) {
		require.NoError(t, s.Do(func() { out, err = s.Console().Exec(line) }))
		return out, err
	}
	out, err := exec("beacons 200")
	require.NoError(t, err)
	assert.Equal(t, "lighthouse: 200 m at 0 0 30", out)
	_, err = exec("beacons far")
	assert.EqualError(t, err, "REACH = far: must be a number of metres")
	_, err = exec("beacons 9999")
	assert.EqualError(t, err, "reach must be a number from 0 to 1024, got 9999")
}

// TestMod runs the tests of the mod, with the game's own classes.
func TestMod(t *testing.T) {
	results, err := modtrial.Run(modtrial.Options{Folders: []fs.FS{mods.FS(), rules.Mods()}, Mod: "lights", Register: rules.Register})
	require.NoError(t, err)
	require.Len(t, results, 2)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
}

// TestPage: the page has the game's name and its script.
func TestPage(t *testing.T) {
	folders, err := page.Folders()
	require.NoError(t, err)
	index, err := fs.ReadFile(folders[len(folders)-1], "index.html")
	require.NoError(t, err)
	for _, part := range []string{"<title>Lights</title>", "<h1>Lights</h1>", `src="./badge.js"`, `id="view"`} {
		assert.Contains(t, string(index), part)
	}
}
