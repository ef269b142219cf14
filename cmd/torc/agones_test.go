package main

import (
	"net"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/agonestest"
	"github.com/torc-engine/torc/internal/testenv"
)

// TestServerInAPod runs a server beside the sidecar of Agones: it is ready, counts its players,
// tells its mods of an allocation, drains at SIGTERM, and says that it ends.
func TestServerInAPod(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs SIGTERM")
	}
	sidecar := agonestest.New("players")
	http := httptest.NewServer(sidecar)
	defer http.Close()
	_, port, err := net.SplitHostPort(http.Listener.Addr().String())
	require.NoError(t, err)
	p := startWith(t, "", []string{"env", "AGONES_SDK_HTTP_PORT=" + port}, "serve", "--listen", "127.0.0.1:0", "--mod", "ctf")
	address := strings.Fields(p.expect("listening on "))[2]
	until := func(what string, met func() bool) {
		t.Helper()
		for limit := testenv.Limit(t); !met(); testenv.Pause() {
			require.False(t, testenv.Expired(limit), "%s: %v", what, sidecar.Calls())
		}
	}
	until("ready", func() bool { return sidecar.State() == "Ready" && sidecar.Count("POST /health") > 0 })
	p.say(`function onAllocated(match) print("allocated for " .. match.mode) end`, `echo "defined"`)
	p.expect("defined")
	sidecar.Allocate("2026-01-02T03:04:05Z", map[string]string{"mode": "duel"})
	p.expect("allocated for duel")
	player := joinTo(t, address)
	until("counted", func() bool { count, most := sidecar.Counter("players"); return count == 1 && most > 1 })
	p.signal(syscall.SIGTERM)
	until("full while it drains", func() bool { count, most := sidecar.Counter("players"); return count == 1 && most == 1 })
	assert.Zero(t, sidecar.Count("POST /shutdown"), "a player is left")
	player.quits()
	p.ends(ended)
	assert.Equal(t, "Shutdown", sidecar.State())
	calls := sidecar.Calls()
	assert.Equal(t, []string{"GET /gameserver", "POST /ready"}, calls[:2])
	assert.Equal(t, 1, sidecar.Count("POST /shutdown"))
}
