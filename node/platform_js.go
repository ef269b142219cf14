package node

import (
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script/vm"
)

// In a browser there are no sockets and no data folder: a server serves its local client, and
// keeps everything in memory.

const (
	storeName    = "store.db"
	backupFolder = "backups"
	remoteName   = "console.sock"
)

var (
	errNoFolder = errors.New("this platform has no data folder: leave Common.Data empty")
	errNoHTTP   = errors.New("this platform serves no metrics: leave ServerConfig.Metrics empty")
	errNoWeb    = errors.New("this platform serves no client for browsers: leave ServerConfig.Web empty")
)

// portKeeper never runs here.
type portKeeper struct{}

func (*portKeeper) Stop() {}

func (*Server) mapPort() {}

func (c *Client) findCommands() []console.Command { return nil }

func openStore(string, *slog.Logger) (storeFile, error) { return nil, errNoFolder }

// requestQueue is never opened here.
type requestQueue struct{ running bool }

func openRequests(*core.Owner, *console.Console, func(string, func(string, error))) *requestQueue {
	return nil
}

func (*requestQueue) listen(string) error { return errNoFolder }
func (*requestQueue) by() string          { return "console" }
func (*requestQueue) close() error        { return nil }

func (*requestQueue) later() func(string, error) { return nil }

// debugging never begins here.
type debugging struct {
	loop    *core.Loop
	runtime func() *vm.Runtime
	record  func(by, did string, err error)
	silence time.Duration
}

const maxSilence = 0

func (*requestQueue) debug(*debugging) {}

// Mods have no network here.
func newModNetwork() modNetwork { return nil }

// scrapes are never served here.
type scrapes struct{}

func openScrapes(*core.Posts, string, func() string) (*scrapes, error) { return nil, errNoHTTP }

func (*Server) metricsText() string                { return "" }
func (*Server) metricsCommands() []console.Command { return nil }

func (*scrapes) addr() netip.AddrPort { return netip.AddrPort{} }
func (*scrapes) close()               {}

// netView is never served here.
type netView struct{}

func (*Server) netCommands() []console.Command { return nil }
func (*Server) netVariables() []console.Var    { return nil }

// browsers are never served here.
type browsers struct{}

func (*Server) openWeb() error                 { return errNoWeb }
func (*Server) linkCommand() []console.Command { return nil }

func (*browsers) addr() netip.AddrPort { return netip.AddrPort{} }
func (*browsers) site() string         { return "" }
func (*browsers) close()               {}

// sshConsole is never served here.
type sshConsole struct{}

func (*Server) openSSH() (*sshConsole, error) { return nil, errNoFolder }

func (*sshConsole) addr() netip.AddrPort { return netip.AddrPort{} }
func (*sshConsole) fingerprint() string  { return "" }
func (*sshConsole) close()               {}
