package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
)

// standIn notes its process and its command line, and goes on until a signal or the end of the
// tests: file 3 is the pipe of testenv.Start. It stands for torc, nats-server and nginx.
const standIn = `#!/bin/sh
kind=$(basename "$0")
case $kind in
nats-server) name=$(basename "$2" .conf) ;;
torc) name=$3 ;;
*) name=$kind ;;
esac
echo $$ >"$NOTES/$name.pid"
printf '%s\n' "$@" >"$NOTES/$name.args"
case $kind in
nginx) echo $$ >"$2/nginx.ready" ;;
nats-server) echo "Server is ready" >&2 ;;
torc) echo "listening on 127.0.0.1:1 key key-of-$name" ;;
esac
exec cat <&3
`

// systemPath is a PATH without Go: with Go, the first server would build the client for browsers.
const systemPath = "/usr/bin:/bin:/usr/sbin:/sbin"

// runNetwork runs network.sh with its data in a folder until all programs are there. The script and
// its programs end with the test. torc is the program; "": this one.
func runNetwork(t *testing.T, data, torc string, env ...string) *process {
	t.Helper()
	with := append([]string{"env"}, env...)
	run := `exec env TORC="${2:-$3}" sh "$0" "$1"`
	p := startWith(t, "", append(with, "sh", "-c", run, filepath.Join(networkDir, "network.sh"), data, torc))
	t.Cleanup(func() { // before the script is killed: it ends nginx
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.wait()
	})
	p.expect("Ctrl-C stops all")
	return p
}

// stopNetwork ends network.sh.
func stopNetwork(t *testing.T, p *process) {
	t.Helper()
	p.signal(syscall.SIGTERM)
	p.ends(ended)
}

// TestNetworkInContainers holds that compose.yml has the programs, flags, ports and volumes of
// network.sh. It also holds that the script leaves no process.
func TestNetworkInContainers(t *testing.T) {
	t.Parallel()
	bin, data, notes := t.TempDir(), t.TempDir(), t.TempDir()
	for _, name := range []string{"torc", "nats-server", "nginx"} {
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
		s := services[name]
		require.NotNil(t, s, name)
		assert.Equal(t, strings.Split(strings.TrimSpace(want), "\n"), s.command, name)
		assert.Equal(t, "host", s.network, "%s: the ports are those of the script", name)
		assert.Equal(t, "always", s.restart, "%s: the script starts again what has died", name)
		switch {
		case name == "nginx":
			assert.Equal(t, service{"nginx", "nginx", "host", "always", []string{"./run:/data"}, s.command}, *s)
		case strings.HasPrefix(name, "n"):
			assert.Equal(t, service{"nats:2.15.3", "/nats-server", "host", "always", []string{"./run:/data"}, s.command}, *s)
		default:
			assert.Equal(t, service{"torc", "/torc", "host", "always", []string{"./run:/data", ".:/network:ro"}, s.command}, *s)
		}
		pid, err := os.ReadFile(filepath.Join(notes, name+".pid"))
		require.NoError(t, err)
		number, err := strconv.Atoi(strings.TrimSpace(string(pid)))
		require.NoError(t, err)
		assert.ErrorIs(t, syscall.Kill(number, 0), syscall.ESRCH, "%s still runs", name)
	}
	env, err := os.ReadFile(filepath.Join(data, "compose.env"))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("OWNER=%d:%d\n", os.Getuid(), os.Getgid()), string(env))
}

// tenPorts returns the first of ten ports that are free, below those that the system picks.
func tenPorts(t *testing.T) int {
	t.Helper()
	for limit := testenv.Limit(t); ; {
		require.False(t, testenv.Expired(limit), "no free ports")
		first := 20_000 + 10*rand.IntN(1_000)
		used := 0
		for i := range 10 {
			if !free(first + i) {
				used++
			}
		}
		if used == 0 {
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

// endingNATS returns a program that becomes nats-server, and ends with the tests, too.
func endingNATS(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nats-server")
	text := fmt.Sprintf("#!/bin/sh\n(cat <&3; kill -9 $$) >/dev/null 2>&1 &\nexec %s \"$@\"\n", natstest.Program(t))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// TestNetworkNeedsNATS: without nats-server, the script says what is missing, and starts nothing.
func TestNetworkNeedsNATS(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "run")
	p := startWith(t, "", []string{"env", "NATS=/nowhere/nats-server", "sh", "-c", `TORC="$2" exec sh "$0" "$1"`, filepath.Join(networkDir, "network.sh"), data})
	p.ends(1)
	assert.Equal(t, "network.sh: there is no program /nowhere/nats-server: the servers share coins over it (https://nats.io). "+
		"Name it, for example: NATS=/opt/bin/nats-server sh network.sh\n", p.err.String())
	assert.NoDirExists(t, data)
}

// TestPageFleetNetwork types the commands of a section of docs/fleet.md: it starts the network, and
// a player goes to a game through a portal, earns coins, and goes back. Another one is banned at
// one server, and cannot join the next. A server and a node of NATS are killed, and the coins are
// still there. The network starts a second time, with the same coins.
func TestPageFleetNetwork(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("starts twelve servers: TORC_LONG=1")
	}
	data, first := shortDir(t), tenPorts(t)
	env := []string{"PORT=" + strconv.Itoa(first), "NATS=" + endingNATS(t), "PATH=" + systemPath}
	var network, player, bob *process
	types := func(text string) {
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			if typed, found := strings.CutPrefix(line, "client> "); found {
				player.say(typed)
			} else {
				player.expect(line)
			}
		}
	}
	for _, b := range sectionOf(t, "fleet.md", "Try it on one machine") {
		text := b.text
		for i := range 4 {
			text = strings.ReplaceAll(text, fmt.Sprint("127.0.0.1:", 28_000+i), fmt.Sprint("127.0.0.1:", first+i))
		}
		words := strings.Fields(text)
		switch {
		case b.text == "cd examples/network\nsh network.sh\n":
			network = runNetwork(t, data, "", env...)
			operator := start(t, "console", "--data", data+"/hub")
			untilListed(t, operator, "fleet", "\narena ", "\nvalley ") // a portal sends nobody to a server that the hub does not know
			require.NoError(t, operator.in.Close())
			operator.ends(ended)
		case b.lang == "sh" && words[0] == "torc" && slices.Contains(words, "Bob"):
			args := append(words[1:len(words)-1], data+"/bob")
			if bob == nil {
				bob = joinTo(t, args[1], args[2:]...)
				break
			}
			bob = start(t, args...)
			bob.ends(unconnected)
			assert.Contains(t, bob.err.String(), "banned: spam (forever)")
		case strings.HasPrefix(text, "disconnected: "):
			bob.expect(strings.TrimSpace(text))
			bob.ends(failed)
		case b.lang == "sh" && words[0] == "torc" && words[1] == "join":
			player = joinTo(t, words[2], append(words[3:], "--data", data+"/ann")...)
			player.until("server and server.controlObject ~= nil", "true")
		case b.lang == "sh":
			startWith(t, "", []string{"sh", "-ec", `PATH=$(dirname "$0"):$PATH; ` + strings.ReplaceAll(text, "run/", data+"/")}).ends(ended)
		default:
			types(text)
		}
	}
	require.NotNil(t, player)
	for _, name := range []string{"valley", "n1"} {
		network.expect(name + " has died: it starts again")
	}
	if _, err := os.Stat("/usr/sbin/nginx"); err == nil {
		direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := direct.Get(fmt.Sprintf("http://127.0.0.1:%d/", first))
		require.NoError(t, err)
		_ = answer.Body.Close()
		assert.Equal(t, fmt.Sprintf("http://127.0.0.1:%d/s/hub/", first), answer.Header.Get("Location"))
	}
	stopNetwork(t, network)
	player.ends(ended)
	for i := range 10 {
		assert.True(t, free(first+i), "a program still has port %d", first+i)
	}
	network = runNetwork(t, data, "", env...)
	player = joinTo(t, fmt.Sprint("127.0.0.1:", first+1), "--name", "Ann", "--data", data+"/ann")
	types("client> say /coins\nYou have 6 coins.")
	stopNetwork(t, network)
}
