package main

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/demo"
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

// TestClientSeesOwnClasses joins a server: the client gets the replicated fields of its classes,
// and its events.
func TestClientSeesOwnClasses(t *testing.T) {
	s, next := play(t, rules.Client())
	assert.Equal(t, "sent to 1 of 1 clients", enter(t, s, "flare 70"))
	prints(next, "the lighthouse flares at 70%")
}

// TestStockClientSeesDescribedClasses joins a server with a client that lacks its classes, such as
// torc join: the client gets their fields, too. It gets no event that it lacks.
func TestStockClientSeesDescribedClasses(t *testing.T) {
	stock := rules.Client()
	stock.Register, stock.Events = nil, nil
	s, _ := play(t, stock)
	assert.Equal(t, "sent to 0 of 1 clients", enter(t, s, "flare 70"))
}

// enter runs a line of the console of a server.
func enter(t *testing.T, s *Server, line string) (out string) {
	t.Helper()
	require.NoError(t, s.Do(func() {
		var err error
		out, err = s.Console().Exec(line)
		assert.NoError(t, err)
	}))
	return out
}

// play joins a server until the client knows a beacon, a crate and its datablock. next returns more
// of what the client prints.
func play(t *testing.T, client node.Common) (s *Server, next func() string) {
	s = newServer(t)
	lines := make(chan string, 100)
	cfg := node.Config{Common: client, Client: node.ClientConfig{Address: s.Address()}}
	cfg.Output = func(text string) { lines <- text }
	c, err := node.NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	go func() { _ = c.Run(context.Background()) }()
	// The test ends at the time limit of go test.
	next = func() string { return <-lines }
	prints(next, "a beacon reaches 500 m", "a crate holds 80 kg", "it is fragile")
	return s, next
}

// prints reads the output of a client until it has all of some lines, in any order.
func prints(next func() string, want ...string) {
	missing := map[string]bool{}
	for _, line := range want {
		missing[line] = true
	}
	for len(missing) > 0 {
		for line := range strings.Lines(next()) {
			delete(missing, strings.TrimSpace(line))
		}
	}
}

// TestTorcJoin joins a server with the program torc, which lacks the classes: code for the client
// gets their fields, and the console shows their objects. torc records a demo, and shows it.
func TestTorcJoin(t *testing.T) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/torc-engine/torc").Output()
	require.NoError(t, err)
	folder := t.TempDir()
	build := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "./cmd/torc")
	build.Dir = strings.TrimSpace(string(root))
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	code := filepath.Join(folder, "prints.lua")
	require.NoError(t, os.WriteFile(code, []byte(rules.Client().Scripts[0].Code), 0o600))

	s := newServer(t)
	join := exec.CommandContext(t.Context(), filepath.Join(folder, "torc"), "join", s.Address(), "--no-reconnect", "--exec", code, "--data", folder)
	in, err := join.StdinPipe()
	require.NoError(t, err)
	pipe, err := join.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, join.Start())
	t.Cleanup(func() { _ = join.Wait() }) // the end of the context kills it; without its server, it ends by itself
	out := bufio.NewScanner(pipe)
	next := func() string {
		require.True(t, out.Scan(), "torc join has ended")
		return out.Text()
	}
	prints(next, "a beacon reaches 500 m", "a crate holds 80 kg", "it is fragile")
	_, err = io.WriteString(in, "ghosts\nfind(\"CrateKind\").fragile\n")
	require.NoError(t, err)
	for _, class := range []string{"Beacon", "Crate"} {
		for !strings.Contains(next(), " "+class+" ") { // NUMBER CLASS ID
		}
	}
	prints(next, "true")

	// A program without the classes shows the demo that torc records, with their fields.
	_, err = io.WriteString(in, "record game\n")
	require.NoError(t, err)
	for !strings.HasSuffix(next(), " 1s") { // FILE: SIZE, TIME
		_, err = io.WriteString(in, "record\n")
		require.NoError(t, err)
	}
	_, err = io.WriteString(in, "record stop\n")
	require.NoError(t, err)
	for !strings.HasPrefix(next(), "recorded ") {
	}
	_, err = io.WriteString(in, "quit\n")
	require.NoError(t, err)
	require.NoError(t, join.Wait())
	film := filepath.Join(folder, "demos", "game.torc")
	text, err = exec.CommandContext(t.Context(), filepath.Join(folder, "torc"), "replay", film, "--headless").CombinedOutput()
	require.NoError(t, err, "%s", text)
	shows(t, film)
}

// shows shows a demo without the classes: the objects have all fields.
func shows(t *testing.T, film string) {
	file, err := os.Open(film)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	v, err := demo.Open(demo.Config{}, file, info.Size())
	require.NoError(t, err)
	defer func() { _ = v.Close() }()
	require.NoError(t, v.PlayAll(func() {}))
	fields := map[string]string{}
	v.Host().World().Each(nil, func(o sim.Object) bool {
		for _, f := range o.Ident().Class().Fields {
			fields[o.Ident().Class().Name+"."+f.Name] = f.Get(o).String()
		}
		return true
	})
	assert.Equal(t, "500", fields["Beacon.reach"])
	assert.Equal(t, "80", fields["Crate.load"])
	assert.Equal(t, "true", fields["CrateData.fragile"])
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
