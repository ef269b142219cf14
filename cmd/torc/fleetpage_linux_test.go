package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
)

// A fleetWalk types the commands of a section of docs/fleet.md. The machines 10.0.0.1 to 10.0.0.3
// are 127.0.0.1 to 127.0.0.3.
type fleetWalk struct {
	t       *testing.T
	program string // nats-server
	dir     string
	address *strings.Replacer
	nodes   []*exec.Cmd
	servers map[string]*process // by --as
	player  *process
	printed []string // the output that the next block shows
}

// TestFleetPageOneToThree walks from one machine to three: the coins that a player had on the first
// are there. Then one of the three dies, and the player earns another coin.
func TestFleetPageOneToThree(t *testing.T) {
	t.Parallel()
	w := &fleetWalk{t: t, program: natstest.Program(t), dir: shortDir(t), servers: map[string]*process{}}
	require.NoError(t, os.CopyFS(filepath.Join(w.dir, "mods"), os.DirFS(filepath.Join(networkDir, "mods"))))
	var pairs []string
	for _, port := range []string{"4222", "6222", "28001", "28002"} {
		pairs = append(pairs, port, fmt.Sprint(w.free()))
	}
	w.address = strings.NewReplacer(append(pairs, "10.0.0.", "127.0.0.", "--listen :", "--listen 127.0.0.1:", "/var/lib/nats", w.dir+"/nats")...)
	t.Cleanup(w.stop)
	for _, b := range sectionOf(t, "fleet.md", "From one machine to three") {
		for _, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
			if b.lang == "sh" {
				w.command(strings.Fields(line))
			} else {
				w.types(line)
			}
		}
	}
	require.NoError(t, w.nodes[0].Process.Kill())
	w.servers["hub"].say("pay Ann 1")
	w.player.expect("You have 6 coins.")
	w.player.say("quit")
	for _, name := range []string{"hub", "arena"} {
		w.servers[name].quits()
	}
}

// free returns a port that is free at all three machines.
func (w *fleetWalk) free() int {
	for limit := testenv.Limit(w.t); ; {
		require.False(w.t, testenv.Expired(limit), "no free ports")
		port, taken := 20_000+rand.IntN(10_000), false
		for i := 1; i <= 3; i++ {
			l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.%d:%d", i, port))
			if taken = taken || err != nil; err == nil {
				_ = l.Close()
			}
		}
		if !taken && free(port) {
			return port
		}
	}
}

// command runs a command of the page.
func (w *fleetWalk) command(words []string) {
	w.t.Helper()
	line := strings.Fields(w.address.Replace(strings.Join(words, " ")))
	switch {
	case words[0] == "nats-server":
		w.startNodes()
	case words[1] == "serve":
		p := startWith(w.t, w.dir, nil, line[1:]...)
		p.expect("listening on ")
		w.servers[line[len(line)-1]] = p
	case words[1] == "join":
		w.player = joinIn(w.t, w.dir, line[2], append(line[3:], "--data", filepath.Join(w.dir, "ann"))...)
		w.player.until("server and server.controlObject ~= nil", "true")
	default:
		w.restores(line[1:])
	}
}

// startNodes starts one node, and the second time three.
func (w *fleetWalk) startNodes() {
	w.t.Helper()
	names, heading := []string{"n0"}, "### One node"
	if w.nodes != nil {
		w.stop()
		names, heading = []string{"n1", "n2", "n3"}, "### Three nodes"
	}
	page, err := os.ReadFile("../../docs/fleet.md")
	require.NoError(w.t, err)
	_, rest, _ := strings.Cut(string(page), heading)
	config := blocksIn(rest)[0].text
	w.nodes = nil
	for i, name := range names {
		first, routes, _ := strings.Cut(config, "routes: ")
		first = strings.NewReplacer("server_name: n1", "server_name: "+name, "10.0.0.1", fmt.Sprint("10.0.0.", i+1), "/var/lib/nats", "/var/lib/nats/"+name).Replace(first)
		if routes != "" {
			first += "routes: " + routes
		}
		file := filepath.Join(w.dir, name+".conf")
		require.NoError(w.t, os.WriteFile(file, []byte(w.address.Replace(first)), 0o600))
		node := exec.Command(w.program, "-c", file, "-l", filepath.Join(w.dir, name+".log"))
		node.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		require.NoError(w.t, node.Start())
		w.nodes = append(w.nodes, node)
	}
}

// stop ends all nodes.
func (w *fleetWalk) stop() {
	for _, n := range w.nodes {
		_ = n.Process.Kill()
		_ = n.Wait()
	}
}

// restores runs torc fleet restore, again while the cluster has no leader.
func (w *fleetWalk) restores(args []string) {
	w.t.Helper()
	for limit := testenv.Limit(w.t); ; testenv.Pause() {
		p := startWith(w.t, w.dir, nil, args...)
		for line := range p.out {
			w.printed = append(w.printed, line)
		}
		if p.wait() == ended {
			return
		}
		require.False(w.t, testenv.Expired(limit), "%s", p.err)
	}
}

// types types a line at the console that it names, or expects it.
func (w *fleetWalk) types(line string) {
	w.t.Helper()
	at, typed, is := strings.Cut(line, "> ")
	switch {
	case is && typed == "fleet":
		untilListed(w.t, w.servers[at], typed, "\nhub ", " ready ")
	case is:
		p := w.servers[at]
		if at == "client" {
			p = w.player
		}
		if p.say(typed); typed == "quit" {
			p.ends(ended)
		}
	case len(w.printed) > 0:
		assert.Equal(w.t, line, w.printed[0])
		w.printed = w.printed[1:]
	default:
		w.player.expect(line)
	}
}
