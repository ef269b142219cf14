package main

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/notify"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// serve runs a dedicated server. It returns node.ErrRestart if the process must start again.
func serve(o *config.Serve) error {
	cfg, err := serverConfig(&o.Server)
	if err != nil {
		return err
	}
	cfg.Server.MapPort = o.MapPort
	cfg.Server.Listen, cfg.Server.Rendezvous, cfg.Server.Restarts = o.Listen, o.Rendezvous, true
	cfg.Server.SSH, cfg.Server.SSHKeys, cfg.Server.Metrics = o.SSH, o.SSHKeys, o.Metrics
	cfg.Server.Web = serveWeb(o)
	p, err := newSession(&o.Node, &cfg)
	if err != nil {
		return err
	}
	manager := notify.New(p.log)
	l := p.live(&o.Server, &cfg)
	l.manager = manager
	status := func() string { return "" }
	cfg.Hooks.AfterRound = func(now, tick netcore.Time) {
		p.frame(now, tick)
		manager.Round(now, status)
	}
	s, err := node.NewServer(cfg)
	if err != nil {
		return explain(&o.Folder, err)
	}
	p.runs(s)
	p.restart, p.reload = s.Restart, l.reload
	defer p.close()
	if err := p.open(&o.Terminal, cfg.Data); err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return explain(&o.Folder, err)
	}
	l.runs(s)
	if o.Metrics != "" {
		p.term.Print(fmt.Sprintf("metrics at http://%s/metrics", s.Addresses().Metrics))
	}
	if o.SSH != "" {
		p.term.Print(fmt.Sprintf("ssh console at %s key %s", s.Addresses().SSH, s.Addresses().Fingerprint))
	}
	p.term.Print(fmt.Sprintf("listening on %s key %s", s.Addr(), s.Key()))
	status = func() string { return playersOf(s) }
	manager.Ready(status())
	err = p.run(namedConsole{"server", s.Console()})
	if errors.Is(err, node.ErrRestart) && !p.signalled {
		manager.Restarting()
		return err
	}
	manager.Stopping()
	if errors.Is(err, node.ErrRestart) {
		return nil // whoever sent the signal starts the server again
	}
	return err
}

// playersOf is the status of a server for systemd.
func playersOf(s *node.Server) string {
	now := s.Host().Status()
	return fmt.Sprintf("%d of %d players, listening on %s", now.Players, now.MaxPlayers, s.Addr())
}
