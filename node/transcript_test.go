package node

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/consoletest"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

// TestTranscripts types into a server and its client, which a simulated network connects. One
// transcript has the output of both. "client" and "server" switch between them.
func TestTranscripts(t *testing.T) {
	consoletest.Run(t, "testdata/*.txt", func(t *testing.T, out func(string)) consoletest.LineRunner {
		return rehearse(t, out)
	})
}

// rehearsal is a server and a client. Simulated time passes between the lines of a transcript.
type rehearsal struct {
	net    *netsim.Network
	owners []*core.Owner
	typing *console.Console
	out    func(string)
}

func rehearse(t *testing.T, print func(string)) *rehearsal {
	out := func(line string) { print(clockTimes.ReplaceAllString(line, "N ms")) }
	r := &rehearsal{net: netsim.New(1), out: out}
	seed := uint64(1)
	cfg := Config{
		Common: Common{Name: "torc", Data: keyFolder(t, 1), Mods: []fs.FS{os.DirFS("testdata/mods")}, Strict: true, Seed: &seed, Output: out, Resolve: engine.ResolveTo(netcore.SimAddr(1))},
		Server: ServerConfig{Load: []string{"hello", "maps"}},
	}
	server, err := NewServer(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	cfg.Data, cfg.Name, cfg.Client.Address = keyFolder(t, 2), "Ann", "torc.test:28000"
	client, err := NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	r.owners, r.typing = []*core.Owner{server.core.Owner, client.core.Owner}, server.Console()
	for _, at := range []*console.Console{server.Console(), client.Console()} {
		require.NoError(t, at.Register(r.to("server", server.Console())))
		require.NoError(t, at.Register(r.to("client", client.Console())))
	}
	r.net.Attach(netcore.SimAddr(1), server.Host())
	r.net.Attach(netcore.SimAddr(2), client.Host())
	link := netcore.LinkParams{Delay: 20 * time.Millisecond}
	r.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), link, link)
	require.NoError(t, client.Start())
	require.NoError(t, server.Start())
	return r
}

// to returns a command that runs a line on a console or switches to it.
func (r *rehearsal) to(name string, c *console.Console) console.Command {
	line := func(text string) (string, error) {
		if text == "" {
			r.typing = c
			return "", nil
		}
		return c.Exec(text)
	}
	return console.Command{
		Name: name, Params: "[LINE]", Help: "runs a line on the " + name + ", or switches the prompt to it",
		Run: func(args []string) (string, error) { return line(strings.Join(args, " ")) }, Line: line,
	}
}

// clockTimes matches times of the machine's clock.
var clockTimes = regexp.MustCompile(`\d+\.\d+ ms`)

// keyFolder returns a data folder with a fixed key.
func keyFolder(t *testing.T, n byte) string {
	dir := shortDir(t)
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{n}))
	require.NoError(t, err)
	text, err := id.MarshalText()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "identity"), append(text, '\n'), 0o600))
	return dir
}

// shortDir returns a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "torc")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Feed types a line and returns its result and the output of the next half second.
func (r *rehearsal) Feed(line string) (string, bool, error) {
	r.typing.Enter(line)
	r.net.Run(r.net.Now()+500*time.Millisecond, engine.TickTime)
	for _, o := range r.owners {
		if o.Ending() {
			r.out(fmt.Sprintf("(ends with status %d)", status(o.Err())))
			o.Stay()
		}
	}
	return "", r.typing.More(), nil
}

// status returns torc's exit status for an error of Run.
func status(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(*ConnectError)):
		return 3
	}
	return 1
}

func (r *rehearsal) End() error { return r.typing.End() }
