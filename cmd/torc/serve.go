package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/notify"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// again is how a server ends that the process must start again.
type again struct{ flags []string } // added to those of the command line

func (again) Error() string { return "the server is to start again" }

// serve runs a dedicated server. It returns again if the process must start it again.
func (sys *system) serve(o *config.Serve) error {
	cfg, err := sys.serverConfig(&o.Server)
	if err != nil {
		return err
	}
	cfg.Server.MapPort, cfg.Server.Peers = o.MapPort, o.Peers
	cfg.Server.Fleet = serveFleet(o)
	cfg.Server.Listen, cfg.Server.Rendezvous, cfg.Server.Restarts = o.Listen, o.Rendezvous, true
	cfg.Server.SSH, cfg.Server.SSHKeys, cfg.Server.Metrics = o.SSH, o.SSHKeys, o.Metrics
	cfg.Server.Web = serveWeb(o)
	p, err := newSession(sys, &o.Node, &cfg)
	if err != nil {
		return err
	}
	if cfg.Server.Fleet != nil {
		p.log = p.log.With("server", o.As)
		cfg.Log = p.log
	}
	if cfg.Server.Web != nil {
		cfg.Server.Web.Tell = p.tellPage
	}
	manager := notify.New(p.log)
	l := p.live(&o.Server, &cfg)
	l.manager = manager
	status := func() string { return "" }
	var d signalDrain
	var s *node.Server
	agones, err := notify.NewAgones(p.log, func(annotations map[string]string) { s.Allocated(annotations) })
	if err != nil {
		return err
	}
	if f := cfg.Server.Fleet; f != nil && f.Advertise == "" {
		f.Advertise = agones.Address()
	}
	cfg.Hooks.AfterRound = func(now, tick netcore.Time) {
		p.frame(now, tick)
		manager.Round(now, status)
		manager.Draining(now, d.until)
		agones.Round(now, func() (count, most int) { return placesOf(s) })
	}
	s, err = node.NewServer(cfg)
	if err != nil {
		return explain(&o.Folder, err)
	}
	p.runs(s)
	p.restart, p.reload = s.Restart, l.reload
	if most := cmp.Or(o.Drain, agones.Drain()); most > 0 {
		d = signalDrain{server: s, most: most}
		p.drain = d.begin
	}
	if id, _ := sys.lookup("INVOCATION_ID"); o.Supervised || id != "" { // of systemd
		p.supervised = true
	}
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
	agones.Ready()
	addresses := s.Addresses()
	err = p.run(namedConsole{"server", s.Console})
	if errors.Is(err, node.ErrRestart) && !p.signalled {
		manager.Restarting()
		agones.Restarting()
		return again{samePorts(o, addresses)}
	}
	manager.Stopping()
	agones.Stopping()
	if errors.Is(err, node.ErrRestart) {
		return nil // whoever sent the signal starts the server again
	}
	return err
}

// signalDrain is the drain of a server that a signal begins.
type signalDrain struct {
	server *node.Server
	most   time.Duration
	until  netcore.Time // the manager is asked for more time until then; 0: no signal has come
}

// begin begins the drain. It returns false if a signal has begun it before, or the server cannot
// drain.
func (d *signalDrain) begin() bool {
	if d.until > 0 || d.server.Drain(d.most) != nil {
		return false
	}
	d.until = d.server.Now() + d.most
	return true
}

// playersOf is the status of a server for systemd.
func playersOf(s *node.Server) string {
	now := s.Host().Status()
	if now.Drain != nil {
		return now.Drain.String()
	}
	return fmt.Sprintf("%d of %d players, listening on %s", now.Players, now.MaxPlayers, s.Addr())
}

// placesOf returns how many players a server has and can have, for Agones. One that drains has no
// free place.
func placesOf(s *node.Server) (count, most int) {
	now := s.Host().Summary()
	if now.Draining {
		return now.Players, now.Players
	}
	return now.Players, now.MaxPlayers
}

// samePorts returns the flags that keep the ports which the system picked: clients and links try
// these again.
func samePorts(o *config.Serve, now node.Addresses) (flags []string) {
	for _, f := range []struct {
		name, asked string
		got         netip.AddrPort
	}{{"listen", o.Listen, now.Game}, {"web", o.Web, now.Web}, {"metrics", o.Metrics, now.Metrics}, {"ssh", o.SSH, now.SSH}} {
		if host, port, err := net.SplitHostPort(f.asked); err == nil && port == "0" {
			flags = append(flags, "--"+f.name, net.JoinHostPort(host, strconv.Itoa(int(f.got.Port()))))
		}
	}
	return flags
}
