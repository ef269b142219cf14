//go:build !js

package node

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModsUseTheNetwork checks that a mod of a running server gets a page and accepts a connection,
// with the permissions that the operator has granted, and that the end of the server ends all of
// it.
func TestModsUseTheNetwork(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a page") }))
	defer page.Close()
	host := strings.TrimPrefix(page.URL, "http://")
	mod := fstest.MapFS{
		"m/mod.toml": {Data: fmt.Appendf(nil, "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"net:%s\", \"listen:0\"]\n", host)},
		"m/server/init.lua": {Data: fmt.Appendf(nil, `
			http.get(%q, function(r, err) echo("page " .. (err or r.body)) end)
			tcpListen(0, { onListening = function(l) echo("port " .. l.port) end, onLine = function(c, line) c:send(line:upper() .. "\n") end })`, page.URL)},
	}
	lines := make(chan string, 100)
	s, err := NewServer(Config{
		Common: Common{Mods: []fs.FS{mod}, Strict: true, Output: func(line string) { lines <- line }},
		Server: ServerConfig{Load: []string{"m"}},
	})
	require.NoError(t, err)
	for _, line := range []string{"mod.grant m net:" + host, "mod.grant m listen:0"} {
		_, err := s.Console().Exec(line)
		require.NoError(t, err)
	}
	ended := make(chan error)
	go func() { ended <- s.Run(context.Background()) }()
	port := ""
	for seen := 0; seen < 2; {
		line := <-lines
		if line == "page a page" {
			seen++
		}
		if rest, ok := strings.CutPrefix(line, "port "); ok {
			port = rest
			seen++
		}
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(c, "hello\n")
	require.NoError(t, err)
	answer := make([]byte, 6)
	_, err = io.ReadFull(c, answer)
	require.NoError(t, err)
	assert.Equal(t, "HELLO\n", string(answer))
	asker, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer func() { _ = asker.Close() }()
	_, err = io.WriteString(asker, "question\n")
	require.NoError(t, err)
	require.NoError(t, asker.(*net.TCPConn).CloseWrite())
	all, err := io.ReadAll(asker)
	require.NoError(t, err)
	assert.Equal(t, "QUESTION\n", string(all), "a peer that has closed its side")
	require.NoError(t, s.Close())
	require.NoError(t, <-ended)
	_, err = c.Read(answer)
	require.Error(t, err)
	_, err = net.Dial("tcp", "127.0.0.1:"+port)
	require.Error(t, err)
}

func TestNetworksVariable(t *testing.T) {
	s, err := NewServer(Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	c := s.Console()
	require.NoError(t, c.Set("mod.networks", "10.0.0.0/8, 127.0.0.1 ::1 fd00::/8"))
	assert.Equal(t, []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fd00::/8"),
	}, s.core.Side.Scripts.Sockets().Allowed())
	out, err := c.Exec("mod.networks")
	require.NoError(t, err)
	assert.Equal(t, `10.0.0.0/8 127.0.0.1/32 ::1/128 fd00::/8`, strings.Trim(out, `"`))
	for _, wrong := range []string{"localhost", "10.0.0.1/8", "10.0.0.0/33", "::ffff:10.0.0.0/104", "fe80::1%lo", "*"} {
		assert.ErrorContains(t, c.Set("mod.networks", wrong), "must be an address or a network, as in 10.0.0.0/8", wrong)
	}
	assert.Len(t, s.core.Side.Scripts.Sockets().Allowed(), 4)
	require.NoError(t, c.Set("mod.networks", ""))
	assert.Empty(t, s.core.Side.Scripts.Sockets().Allowed())
}
