//go:build !js

package main

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/netcore"
)

// policy is the strictest policy with which the page works.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'"

// bridge serves the page, and carries datagrams between WebSockets and the UDP port of a server.
type bridge struct {
	files  http.Handler
	server string // HOST:PORT
}

// newBridge builds the program and serves the page. It returns the URL.
func newBridge(t *testing.T, server string) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "torc.wasm"), ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o600))
	b := &bridge{files: http.FileServerFS(both{www.FS, os.DirFS(dir)}), server: server}
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	return s.URL
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ws" {
		b.carry(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	b.files.ServeHTTP(w, r)
}

// carry carries the datagrams of one page until either side closes.
func (b *bridge) carry(w http.ResponseWriter, r *http.Request) {
	page, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"torc"}})
	if err != nil {
		return
	}
	defer page.CloseNow()
	page.SetReadLimit(netcore.MaxDatagram)
	line, err := net.Dial("udp", b.server)
	if err != nil {
		return
	}
	defer line.Close()
	go func() {
		datagram := make([]byte, netcore.MaxDatagram)
		for {
			n, err := line.Read(datagram)
			if err != nil || page.Write(context.Background(), websocket.MessageBinary, datagram[:n]) != nil {
				return
			}
		}
	}()
	for {
		_, datagram, err := page.Read(r.Context())
		if err != nil {
			return
		}
		_, _ = line.Write(datagram)
	}
}

// both is two file systems as one.
type both [2]fs.FS

func (b both) Open(name string) (fs.File, error) {
	f, err := b[0].Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return b[1].Open(name)
	}
	return f, err
}
