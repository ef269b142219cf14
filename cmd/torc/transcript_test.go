package main

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console/consoletest"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/data"
	"github.com/torc-engine/torc/engine/node/keys"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// TestTranscripts types into a server and its client, put together as the program does but on a
// simulated network. What both print is one transcript; "client" and "server" lead from one to the other.
func TestTranscripts(t *testing.T) {
	consoletest.Run(t, "testdata/*.txt", func(t *testing.T, out func(string)) consoletest.Console {
		return rehearse(t, out)
	})
}

// page is a terminal on which nobody types.
type page func(line string)

func (p page) Lines() <-chan prompt.Line { return nil }
func (p page) Asks() <-chan prompt.Ask   { return nil }
func (p page) Print(line string)         { p(line) }
func (p page) SetPrompt(string)          {}
func (p page) Close() error              { return nil }

// rehearsal is a loop whose time passes between the lines of a transcript.
type rehearsal struct {
	*loop
	net *netsim.Network
}

func rehearse(t *testing.T, out func(string)) *rehearsal {
	o, err := config.Parse([]string{"serve", "--mod", "hello", "--mod", "maps", "--mods", "testdata/mods", "--strict", "--seed", "1"},
		func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	r := &rehearsal{net: netsim.New(1), loop: &loop{epoch: time.Now(), term: page(out), log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	resolve := func(string) (netcore.Addr, error) { return netcore.SimAddr(1), nil }
	r.home = folder(t, 1)
	server, err := r.server(o, resolve)
	require.NoError(t, err)
	o.Name = "Ann"
	client, err := r.client(o, folder(t, 2), resolve)
	require.NoError(t, err)
	require.NoError(t, r.registerSides())
	require.NoError(t, client.load(o))
	require.NoError(t, server.load(o))
	r.net.Attach(netcore.SimAddr(1), server.host)
	r.net.Attach(netcore.SimAddr(2), client.host)
	link := netcore.LinkParams{Delay: 20 * time.Millisecond}
	r.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), link, link)
	require.NoError(t, client.host.Connect("torc.test:28000", engine.ConnectArgs{Name: o.Name}))
	return r
}

// folder is a data folder in which the key is always the same.
func folder(t *testing.T, n byte) *data.Folder {
	f, err := data.Open(t.TempDir(), false)
	require.NoError(t, err)
	_, err = keys.Identity(f.Path("identity"), rand.NewChaCha8([32]byte{n}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// Feed types a line and prints what it gives, and then what comes of it within half a second.
func (r *rehearsal) Feed(line string) (string, bool, error) {
	r.line(typed{Line: prompt.Line{Text: line}})
	r.net.Run(r.net.Now()+500*time.Millisecond, engine.TickTime)
	if r.end != nil {
		r.term.Print(fmt.Sprintf("(ends with status %d)", status(r.end.err)))
		r.end = nil
	}
	return "", r.typing.console.More(), nil
}

func (r *rehearsal) End() error { return r.typing.console.End() }
