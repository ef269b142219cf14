//go:build !js

package serverjson

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
)

// page serves answers by path.
func page(t *testing.T, answer http.HandlerFunc) engine.Link {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	link, _, err := engine.ParseLink(s.URL + "/#" + testKey.String())
	require.NoError(t, err)
	return link
}

// TestAsk asks pages of all kinds. Each failure is one line.
func TestAsk(t *testing.T) {
	t.Parallel()
	good := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(Server{Key: testKey, Port: 5}.JSON()) }
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string // "" joins
	}{
		"good": {good, ""},
		"moved on the same host": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == Path {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			good(w, r)
		}, ""},
		"another host": {redirect("http://localhost.invalid/server.json"), "it sends us to another host"},
		"a circle":     {redirect(Path), "it sends us on too often"},
		"none":         {http.NotFound, "there is no torc server, or an old one: the page has no server.json"},
		"forbidden":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "refuses to say where the server is (HTTP status 403)"},
		"too long": {func(w http.ResponseWriter, r *http.Request) {
			good(w, r)
			_, _ = w.Write([]byte(strings.Repeat(" ", MaxSize)))
		}, "the page has a malformed server.json"},
		"long headers": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 2*maxHeader))
			good(w, r)
		}, "the page does not answer ("},
		"cut off": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			good(w, r)
		}, "the page broke off its answer ("},
		"hostile location": {redirect("http://h\x1b[2J/"), "the page does not answer ("},
		"another server":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(Server{Port: 5}.JSON()) }, "a server with another key than the link"},
		"no port":          {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(Server{Key: testKey}.JSON()) }, "open the link in a browser"},
	} {
		at, err := Ask(t.Context(), page(t, c.answer))
		if c.says == "" {
			assert.NoError(t, err, name)
			assert.Equal(t, "127.0.0.1:5", at, name)
			continue
		}
		assert.Empty(t, at, name)
		require.ErrorContains(t, err, c.says, name)
		assert.NotContains(t, err.Error(), "\n", name)
		assert.NotContains(t, err.Error(), "\x1b", name)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, port, _ := net.SplitHostPort(closed.Addr().String())
	_, err = Ask(t.Context(), engine.Link{Site: "http://127.0.0.1:" + port, Host: "127.0.0.1"})
	assert.ErrorContains(t, err, "refused), so check the link and whether the server runs. Without a page, join HOST:PORT#KEY")
}

// TestAskKeepsHTTPS: a page over HTTPS sends nobody on to plain HTTP.
func TestAskKeepsHTTPS(t *testing.T) {
	first, err := http.NewRequest(http.MethodGet, "https://h/server.json", nil)
	require.NoError(t, err)
	for to, says := range map[string]string{"https://h:8443/x": "", "http://h/x": "it sends us away from HTTPS", "https://H2/x": "it sends us to another host"} {
		next, err := http.NewRequest(http.MethodGet, to, nil)
		require.NoError(t, err)
		err = sameHost(next, []*http.Request{first})
		assert.Equal(t, says == "", err == nil, to)
		assert.Contains(t, fmt.Sprint(err), says, to)
	}
}

// TestAskEnds: the end of the context ends a request that a page never answers.
func TestAskEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	link := page(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := Ask(ctx, link)
	assert.ErrorContains(t, err, "canceled")
}

// TestCauseIsCut: the reason of a network ends with a whole character.
func TestCauseIsCut(t *testing.T) {
	assert.Equal(t, "a"+strings.Repeat("é", (maxCause-1)/2), cause(errors.New("a"+strings.Repeat("é", maxCause))))
}
