package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// serveLink starts a server with a page, and returns the link of the page and its form for
// programs.
func serveLink(t *testing.T) (p *process, link, native string) {
	t.Helper()
	p, address, key := serveOn(t, "--web", "127.0.0.1:0", "--console", "line")
	p.say("link")
	link = p.expect("http://127.0.0.1:")
	native = address + "#" + key
	assert.Equal(t, "in a terminal: torc join "+native, p.expect("in a terminal: "), "beside the link")
	return p, link, native
}

// TestJoinByLink: the pasted link of a page joins. The key is then known at the address of the
// server, and other programs take the link, too.
func TestJoinByLink(t *testing.T) {
	t.Parallel()
	server, link, native := serveLink(t)
	data := t.TempDir()
	address, key, _ := strings.Cut(native, "#")
	client := joinTo(t, link, "--data", data)
	client.say("connect " + strings.TrimSuffix(link, "#"+key) + "?line=ws")
	client.expect("connected to " + address)
	client.quits()
	p := start(t, "query", link)
	p.expect("key " + key)
	p.ends(ended)
	p = start(t, "swarm", link, "--count", "3", "--for", "10ms")
	p.expect("connected 3 of 3")
	p.ends(ended)

	server.quits()
	start(t, "serve", "--listen", address).expect("listening on ")
	refused(t, "has CHANGED", address, "--data", data)
}

// TestJoinByWrongLink: a link that cannot join says so in one sentence.
func TestJoinByWrongLink(t *testing.T) {
	t.Parallel()
	_, link, _ := serveLink(t)
	site, key, _ := strings.Cut(link, "/#")
	other := seal.Key{}.String()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, free.Close())
	for link, says := range map[string]string{
		site + "/#" + other:                           "could not connect to " + site + ": the page is of a server with another key than the link",
		"http://" + free.Addr().String() + "/#" + key: "could not connect to http://" + free.Addr().String() + ": the page does not answer (",
		site + "/net#" + key:                          "is no link to a game",
		site + "/#" + key[1:]:                         "a key must have 52 characters",
	} {
		p := start(t, "join", link)
		p.ends(map[bool]int{true: unconnected, false: misused}[strings.HasPrefix(says, "could not")])
		assert.Contains(t, p.err.String(), says, link)
	}
}

// TestJoinByLinkWithoutUDP: the page answers, and a firewall drops the UDP port that it names. The
// end says so.
func TestJoinByLinkWithoutUDP(t *testing.T) {
	t.Parallel()
	dropped, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer dropped.Close()
	id, err := seal.NewIdentity(rand.Reader)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(dropped.LocalAddr().String())
	require.NoError(t, err)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"key": %q, "port": %s}`, id.Public, port)
	}))
	defer page.Close()
	refused(t, "(its page answers, so a firewall or a router drops UDP port "+port+": open the link in a browser meanwhile)", page.URL+"/#"+id.Public.String(), "--timeout", "3s")
}

// TestPlayNamesNoNativeForm: torc play opens no UDP port. Its link says so to programs, and link to
// its operator.
func TestPlayNamesNoNativeForm(t *testing.T) {
	t.Parallel()
	p := start(t, "play", "--web", "127.0.0.1:0", "--console", "line")
	p.say("server link")
	link := p.expect("http://127.0.0.1:")
	p.expect("in a terminal: nobody can join, because the server opens no UDP port")
	refused(t, "the server takes only browsers from here, because no UDP port of it is open to you", link)
	p.quits()
}
