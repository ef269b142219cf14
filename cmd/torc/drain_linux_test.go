package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestSignalDrains: with --drain, SIGTERM lets a server end without its players. systemd is asked
// for more time, others see that it drains, and nobody joins. It ends with status 0 as soon as the
// last player has gone.
func TestSignalDrains(t *testing.T) {
	t.Parallel()
	p, message := serveInUnit(t, "--metrics", "127.0.0.1:0", "--drain", "1h")
	at := strings.TrimSuffix(strings.TrimPrefix(p.expect("metrics at "), "metrics at "), "/metrics")
	address := strings.Fields(p.expect("listening on "))[2]
	client := joinTo(t, address, "--name", "Ann")
	p.signal(syscall.SIGTERM)
	extended := false
	for stopping := false; !stopping || !extended; {
		m := message()
		require.True(t, !strings.HasPrefix(m, "EXTEND_TIMEOUT_USEC=") || stopping, "more time before %s", m)
		stopping = stopping || m == "STOPPING=1"
		extended = extended || m == "EXTEND_TIMEOUT_USEC=20000000"
	}
	r, err := http.Get(at + "/healthz")
	require.NoError(t, err)
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	r.Body.Close()
	assert.Equal(t, 200, r.StatusCode)
	assert.Equal(t, "draining\n", string(text))
	query := start(t, "query", address)
	query.expect("state draining")
	query.ends(ended)
	refused(t, "the server drains: it takes nobody in before it ends", address)
	client.quits()
	p.ends(ended)
}

// TestSecondSignalEndsADrain: a second signal waits for nobody. The player is told to come back, as
// at a restart.
func TestSecondSignalEndsADrain(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--drain", "1h")
	client := joinTo(t, strings.Fields(p.expect("listening on "))[2])
	p.signal(syscall.SIGUSR1)
	p.complains("draining: a second signal ends the server at once")
	p.say("drain off")
	p.expect("error: a signal has told the server to end")
	p.signal(syscall.SIGUSR1)
	p.ends(ended)
	client.expect("disconnected: the server restarts")
	client.expect("reconnecting…")
}

// TestDrainEndsInARestart: the commands drain and restart together are an upgrade without a player
// who is cut off.
func TestDrainEndsInARestart(t *testing.T) {
	t.Parallel()
	p := child(t, "serve", "--listen", "127.0.0.1:0")
	address := p.expect("listening on ")
	client := joinTo(t, strings.Fields(address)[2])
	p.say("drain 1h", "restart")
	p.expect("draining, 1 player is left, ends in 3600 s at the latest")
	assert.Regexp(t, `in 3[3-6]\d\d s at the latest \(restart again does not wait\)$`, p.expect("draining, 1 player is left, starts again in "))
	client.quits()
	assert.Equal(t, address, p.expect("listening on "), "it starts again")
	p.quits()
}

// drainingPeers starts two servers that are peers, and drain on a signal. It returns their
// addresses, too.
func drainingPeers(t *testing.T, args ...string) (servers [2]*process, at [2]string) {
	t.Helper()
	var keys, data [2]string
	for i := range servers {
		data[i], at[i] = t.TempDir(), freeAddress(t)
		keys[i] = newKey(t, data[i])
	}
	for i := range servers {
		peer := "arena-" + strconv.Itoa(1-i) + "=" + at[1-i] + "#" + keys[1-i]
		args := append([]string{"serve", "--listen", at[i], "--data", data[i], "--peer", peer, "--drain", "1h"}, args...)
		if i == 0 {
			servers[i] = startWith(t, "", nil, args...) // it can start again
		} else {
			servers[i] = start(t, args...)
		}
		servers[i].expect("listening on ")
	}
	return servers, at
}

// TestDrainSendsClientsOn: a server with a peer drains on a signal. Its clients go to the peer
// without a disconnect, and the server ends with status 0 when the last one has gone. The command
// restart makes that an upgrade, and nobody is sent back.
func TestDrainSendsClientsOn(t *testing.T) {
	t.Parallel()
	for _, upgrade := range []bool{false, true} {
		servers, at := drainingPeers(t)
		var clients []*process
		for _, name := range []string{"Ann", "Ben", "Eve"} {
			clients = append(clients, joinTo(t, at[0], "--name", name))
		}
		if upgrade {
			servers[0].say("drain 1h", "restart")
		} else {
			servers[0].signal(syscall.SIGTERM)
		}
		for _, c := range clients {
			c.expect("connected to " + at[1])
			for _, line := range c.seen {
				assert.False(t, strings.HasPrefix(line, "disconnected:"), line)
			}
		}
		if upgrade {
			servers[0].expect("listening on " + at[0])
		} else {
			servers[0].ends(ended)
		}
		servers[1].until("#players()", "3")
	}
}

// TestDrainOfASwarm ends a server with many clients by a signal: 8, or 64 in the long form. None of
// them is lost: all play at the peer. A swarm that has lost a client ends with an error.
func TestDrainOfASwarm(t *testing.T) {
	t.Parallel()
	n := strconv.Itoa(testenv.Length(8, 64))
	servers, at := drainingPeers(t, "--mod", "deathmatch", "--log-level", "warn")
	swarm := start(t, "swarm", at[0], "--count", n, "--bot", "wander")
	swarm.expect("connected " + n + " of " + n)
	servers[0].until("#players()", n)
	servers[0].until(`fleet.servers()[2].state`, `"ready"`)
	began := time.Now()
	servers[0].signal(syscall.SIGTERM)
	servers[0].ends(ended)
	t.Logf("%s clients in %v", n, time.Since(began))
	servers[1].until("#players()", n)
	swarm.quits()
}
