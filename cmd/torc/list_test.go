package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// startList starts a rendezvous with a public list by another command, or alone. It returns the
// address of the rendezvous and the URL of the list.
func startList(t *testing.T, with ...string) (r *process, at, url string) {
	t.Helper()
	r = startWith(t, "", with, "rendezvous", "--listen", "127.0.0.1:0", "--list", "--web", "127.0.0.1:0", "--console", "line", "--data", t.TempDir())
	at = strings.TrimPrefix(r.expect("listening on "), "listening on ")
	return r, at, strings.TrimPrefix(r.expect("list at "), "list at ")
}

// TestListOfServers: torc find --list shows a server that wants to be in the list of its
// rendezvous, and no longer shows it when it does not. The end of a registration takes 30 s: see
// the tests of node/internal/serverlist.
func TestListOfServers(t *testing.T) {
	t.Parallel()
	r, at, url := startList(t)
	s, _, key := serveOn(t, "--rendezvous", at, "--public", "--name", "Älpha")
	s.expect("in the public list of " + at)
	until := func(listed bool) {
		t.Helper()
		for limit := testenv.Limit(t); ; time.Sleep(20 * time.Millisecond) {
			a, err := http.Get(url + "/servers.json")
			require.NoError(t, err)
			text, err := io.ReadAll(a.Body)
			require.NoError(t, err)
			require.NoError(t, a.Body.Close())
			if strings.Contains(string(text), key) == listed {
				return
			}
			require.False(t, testenv.Expired(limit))
		}
	}
	until(true)
	f := start(t, "find", "--list", url)
	f.expect("PLAYERS")
	require.Contains(t, f.line(), " Älpha (")
	require.Contains(t, f.line(), "via:"+at+",127.0.0.1:")
	f.ends(0)
	s.say("sv.public false")
	until(false)
	s.quits()
	r.quits()
}
