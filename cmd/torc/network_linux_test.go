package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// standIn notes its process and its command line, and goes on until a signal or the end of the tests: file 3
// is the pipe of testenv.Start. It stands for torc and nginx.
const standIn = `#!/bin/sh
name=$(basename "$0")
if [ "$name" = nginx ]; then
  echo $$ >"$2/nginx.pid"
else
  name=$3
  echo "listening on 127.0.0.1:1 key key-of-$name"
fi
echo $$ >"$NOTES/$name.pid"
printf '%s\n' "$@" >"$NOTES/$name.args"
exec cat <&3
`

// systemPath is a PATH without Go: with Go, the first server would build the client for browsers.
const systemPath = "/usr/bin:/bin:/usr/sbin:/sbin"

// runNetwork runs network.sh with its data in a folder until all programs are there. The script and its
// programs end with the test. torc is the program; "": this one.
func runNetwork(t *testing.T, data, torc string, env ...string) *process {
	t.Helper()
	with := append([]string{"env"}, env...)
	run := `exec env TORC="${2:-$3}" sh "$0" "$1"`
	p := startWith(t, "", append(with, "sh", "-c", run, filepath.Join(networkDir, "network.sh"), data, torc))
	t.Cleanup(func() { // before the script is killed: it ends nginx
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		_ = p.cmd.Wait()
	})
	p.expect("Ctrl-C stops all")
	return p
}

// stopNetwork ends network.sh.
func stopNetwork(t *testing.T, p *process) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.ends(ended)
}

// TestNetworkInContainers holds that compose.yml has the programs, flags, ports and volumes of network.sh.
// It also holds that the script leaves no process.
func TestNetworkInContainers(t *testing.T) {
	t.Parallel()
	bin, data, notes := t.TempDir(), t.TempDir(), t.TempDir()
	for _, name := range []string{"torc", "nginx"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(standIn), 0o700))
	}
	p := runNetwork(t, data, filepath.Join(bin, "torc"), "NOTES="+notes, "PATH="+bin+":"+systemPath)
	stopNetwork(t, p)

	here, err := filepath.Abs(networkDir)
	require.NoError(t, err)
	services := composeServices(t)
	found, err := filepath.Glob(filepath.Join(notes, "*.args"))
	require.NoError(t, err)
	assert.Len(t, services, len(found))
	for _, path := range found {
		name := strings.TrimSuffix(filepath.Base(path), ".args")
		args, err := os.ReadFile(path)
		require.NoError(t, err)
		want := strings.NewReplacer(data, "/data", here, "/network").Replace(string(args))
		for _, server := range []string{"hub", "arena", "valley"} {
			want = strings.ReplaceAll(want, "key-of-"+server, "${"+server+"}")
		}
		s := services[name]
		require.NotNil(t, s, name)
		assert.Equal(t, strings.Split(strings.TrimSpace(want), "\n"), s.command, name)
		assert.Equal(t, "host", s.network, "%s: the ports are those of the script", name)
		if name == "nginx" {
			assert.Equal(t, service{"nginx", "nginx", "host", []string{"./run:/data"}, s.command}, *s)
		} else {
			assert.Equal(t, service{"torc", "/torc", "host", []string{"./run:/data", ".:/network:ro"}, s.command}, *s)
		}
		pid, err := os.ReadFile(filepath.Join(notes, name+".pid"))
		require.NoError(t, err)
		number, err := strconv.Atoi(strings.TrimSpace(string(pid)))
		require.NoError(t, err)
		assert.ErrorIs(t, syscall.Kill(number, 0), syscall.ESRCH, "%s still runs", name)
	}
	env, err := os.ReadFile(filepath.Join(data, "compose.env"))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("OWNER=%d:%d\nhub=key-of-hub\narena=key-of-arena\nvalley=key-of-valley\n", os.Getuid(), os.Getgid()), string(env))
}

// fourPorts returns the first of four ports that are free, below those that the system picks.
func fourPorts(t *testing.T) int {
	t.Helper()
	for limit := testenv.Limit(t); ; {
		require.False(t, testenv.Expired(limit), "no free ports")
		first := 20_000 + 4*rand.IntN(2_500)
		if free(first) && free(first+1) && free(first+2) && free(first+3) {
			return first
		}
	}
}

// free reports whether a port of this machine is free for UDP and TCP.
func free(port int) bool {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return false
	}
	defer l.Close()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return false
	}
	return c.Close() == nil
}

// TestPageFleetNetwork types the commands of a section of docs/fleet.md: it starts the network, and a
// player goes to a game through a portal, and back. The network starts a second time.
func TestPageFleetNetwork(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("starts nine servers: TORC_LONG=1")
	}
	data, first := t.TempDir(), fourPorts(t)
	port := "PORT=" + strconv.Itoa(first)
	var network, player *process
	for _, b := range blocksOf(t, "fleet.md") {
		text := b.text
		for i := range 4 {
			text = strings.ReplaceAll(text, fmt.Sprint("127.0.0.1:", 28_000+i), fmt.Sprint("127.0.0.1:", first+i))
		}
		words := strings.Fields(text)
		switch {
		case b.text == "cd examples/network\nsh network.sh\n":
			network = runNetwork(t, data, "", port, "PATH="+systemPath)
		case network != nil && player == nil && b.lang == "sh" && words[1] == "join":
			player = joinTo(t, words[2], words[3:]...)
			player.until("server and server.controlObject ~= nil", "true")
		case player != nil && strings.HasPrefix(text, "client> "):
			for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
				if typed, found := strings.CutPrefix(line, "client> "); found {
					player.say(typed)
				} else {
					player.expect(line)
				}
			}
		}
	}
	require.NotNil(t, player)
	if _, err := os.Stat("/usr/sbin/nginx"); err == nil {
		direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := direct.Get(fmt.Sprintf("http://127.0.0.1:%d/", first))
		require.NoError(t, err)
		_ = answer.Body.Close()
		assert.Equal(t, fmt.Sprintf("http://127.0.0.1:%d/s/hub/", first), answer.Header.Get("Location"))
	}
	stopNetwork(t, network)
	player.ends(ended)
	for i := range 4 {
		assert.True(t, free(first+i), "a program still has port %d", first+i)
	}
	stopNetwork(t, runNetwork(t, data, "", port, "PATH="+systemPath))
}
