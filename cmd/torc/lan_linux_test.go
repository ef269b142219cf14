package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// machines are network namespaces: each has networks of its own, like a machine.
type machines struct{ t *testing.T }

// ip runs commands of the program ip, one per line.
func (m machines) ip(lines string) {
	m.t.Helper()
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			m.sh("ip " + line)
		}
	}
}

func (m machines) sh(line string) {
	m.t.Helper()
	out, err := exec.Command("sh", "-c", line).CombinedOutput()
	require.NoError(m.t, err, "%s\n%s", line, out)
}

// add adds machines without networks.
func (m machines) add(names ...string) {
	m.t.Helper()
	for _, name := range names {
		m.ip("netns add " + name + "\n -n " + name + " link set lo up")
		m.sh("ip netns exec " + name + " sh -c 'echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad'")
	}
}

// link connects two machines by a cable. The interface of each has the name of the other machine.
func (m machines) link(a, addressA, b, addressB string) {
	m.t.Helper()
	m.ip("link add " + b + " netns " + a + " type veth peer name " + a + " netns " + b)
	for _, end := range [][3]string{{a, b, addressA}, {b, a, addressB}} {
		m.ip("-n " + end[0] + " address add " + end[2] + " dev " + end[1] + "\n -n " + end[0] + " link set " + end[1] + " up")
	}
}

// start starts torc on a machine.
func (m machines) start(machine string, args ...string) *process {
	m.t.Helper()
	return startWith(m.t, "", []string{"ip", "netns", "exec", machine}, args...)
}

// TestFindOnTheLocalNetwork: torc find lists the servers of the local network with all their
// addresses, and a client joins at each of them. A server with sv.lan off is not found, and nobody
// outside of its networks finds it.
func TestFindOnTheLocalNetwork(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	m := machines{t}
	m.add("here", "there", "far")
	m.link("here", "10.9.0.1/24", "there", "10.9.0.2/24")
	// The server can reach the third machine, but does not have its network.
	m.sh("ip netns exec far sh -c 'echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6'")
	m.link("far", "172.16.0.1/24", "there", "10.8.0.2/24")
	m.ip("-n far address add 10.8.0.1/24 dev there\n -n there route add 172.16.0.1 dev far")
	server := m.start("there", "serve", "--name", "Alpha", "--mod", "hello")
	server.expect("listening on ")

	stranger := m.start("far", "find")
	all := regexp.MustCompile(`^10\.9\.0\.2:28000 +0/128 +\d+  Alpha \(.*, also \[fe80::.*%\d+\]:28000\)$`)
	head, row, status := "", "", -1
	for limit := testenv.Limit(t); !all.MatchString(row); { // on a busy machine, an answer can come too late for one
		require.False(t, testenv.Expired(limit), row)
		finder := m.start("here", "find")
		head = <-finder.out
		for row = range finder.out {
		}
		status = finder.wait()
	}
	assert.Equal(t, ended, status)
	assert.Contains(t, head, "ADDRESS")

	stranger.ends(unconnected)

	_, six, _ := strings.Cut(row, "also ")
	for _, address := range []string{"10.9.0.2:28000", strings.TrimSuffix(six, ")")} {
		client := m.start("here", "join", address)
		client.expect("connected to ")
		if address == "10.9.0.2:28000" {
			for line := ""; !strings.HasPrefix(line, "10.9.0.2:28000 "); line = client.line() {
				if line == "" || strings.HasPrefix(line, "error: no server ") { // the answer came too late
					client.say("servers")
				}
			}
		}
		client.quits()
	}

	server.say("sv.lan false", `echo("off")`)
	server.expect("off")
	finder := m.start("here", "find")
	finder.ends(unconnected)
	assert.Contains(t, finder.err.String(), "no server answered on the local network")
}
