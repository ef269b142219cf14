//go:build !js

package node

import (
	"log/slog"
	"net/netip"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/attach"
	"github.com/torc-engine/torc/node/internal/browsers"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/metrics"
	"github.com/torc-engine/torc/node/internal/modnet"
	"github.com/torc-engine/torc/node/internal/storage"
	"github.com/torc-engine/torc/node/internal/store"
	"github.com/torc-engine/torc/node/internal/web"
)

// outside returns the services of this platform through which players and operators reach a server.
func (b *builder) outside() (players, operators []core.Service, err error) {
	s := b.server
	c, cfg := s.core, &s.cfg.Server
	pages := browsers.New(c, browsers.Options{
		Web: cfg.Web, Listen: cfg.Listen, Version: s.cfg.Version,
		Plain:     func(is func(netcore.Addr) bool) { s.admin.Plain = s.tape.Plain(is) },
		NotePlain: s.Settings.notePlain,
	})
	s.meeting.SetPage(pages.Page)
	operators = []core.Service{metrics.New(c, cfg.Metrics, s.fleet.Name(), pages.Metrics, s.fleet.Metrics)}
	if !s.stepped {
		operators = append(operators, attach.New(c, attach.Options{
			Backup: b.store.Backup, SSH: cfg.SSH, SSHKeys: cfg.SSHKeys,
			Rights: func(role, command string) bool { return s.admin.Rights.May([]string{role}, command) },
		}))
	}
	return []core.Service{pages}, operators, nil
}

// portMapper returns what maps the port of the server; nil if nobody asked for it.
func (b *builder) portMapper() func(*core.Core) func() {
	s := b.server
	if !s.cfg.Server.MapPort {
		return nil
	}
	return mapPort
}

func openStore(path string, log *slog.Logger) (storage.File, error) { return store.Open(path, log) }

// hasModNetwork says that mods can have connections.
const hasModNetwork = true

func newModNetwork() modNetwork { return modnet.New() }

// ownAddresses returns the addresses of this machine.
func ownAddresses() []netip.Addr { return web.OwnAddresses() }
