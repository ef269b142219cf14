package node

import (
	"errors"
	"log/slog"
	"net/netip"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/storage"
)

// In a browser there are no sockets and no data folder: a server serves its local client, and
// keeps everything in memory.

// outside returns no services: nobody reaches a server here.
func (b *builder) outside() (players, operators []core.Service, err error) {
	s := b.server
	cfg := &s.cfg.Server
	switch {
	case cfg.Metrics != "":
		err = errors.New("this platform serves no metrics: leave ServerConfig.Metrics empty")
	case cfg.SSH != "":
		err = errors.New("this platform has no data folder: leave ServerConfig.SSH empty")
	case cfg.Web != nil:
		err = errors.New("this platform serves no client for browsers: leave ServerConfig.Web empty")
	}
	return nil, nil, err
}

// portMapper returns nothing: there is no socket.
func (b *builder) portMapper() func(*core.Core) func() { return nil }

// finder returns a service without commands: a page finds no servers.
func (c *Client) finder() core.Service { return core.Passive{} }

func openStore(string, *slog.Logger) (storage.File, error) {
	return nil, errors.New("this platform has no data folder: leave Common.Data empty")
}

// hasModNetwork says that mods have no connections here.
const hasModNetwork = false

func newModNetwork() modNetwork { return nil }

// ownAddresses returns nothing: there is no socket.
func ownAddresses() []netip.Addr { return nil }
