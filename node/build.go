package node

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/admin"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/demos"
	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/journals"
	"github.com/torc-engine/torc/node/internal/meeting"
	"github.com/torc-engine/torc/node/internal/storage"
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/node/internal/tasks"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/store"
)

// builder makes the parts of a Server, and is gone afterwards. Its own parts are those that only
// services share: each is made before the service that gets it.
type builder struct {
	server   *Server
	recorder *journals.Service
	store    *storage.Service
	packing  *packing
	mods     *modServices
	lists    *fleetLists
}

// build opens the data folder, and makes the services and the side. The list has each service that
// holds a file from then on, so Close gives it back if a later step fails.
func (b *builder) build() (err error) {
	s := b.server
	c := s.core
	if c.Home, err = core.OpenHome(s.cfg.Data, true, c.Log); err != nil {
		return err
	}
	if b.recorder, err = b.openTape(); err != nil {
		return err
	}
	s.services = []core.Service{b.recorder}
	if err := b.openLists(); err != nil {
		return err
	}
	s.services = []core.Service{b.recorder, b.store, s.admin}
	if err := b.openRights(); err != nil {
		return err
	}
	b.packing, b.mods = newPacking(s), newModServices(s)
	if s.services, err = b.list(); err != nil {
		return err
	}
	if err := b.openSide(); err != nil {
		return err
	}
	c.Side.Console.Unregister("status") // of the host alone
	if err := core.Registered(c.Side.Console, b.throughTape()...); err != nil {
		return err
	}
	setup := script.Setup{Store: b.store, Fleet: s.fleet, Shared: s.fleet.Shared(), Carrier: s.fleet.Messages(), Rights: s.admin.Permits(), Audit: s.admin.Record, AnswerLater: c.Later}
	b.mods.setUp(&setup)
	if err := c.Side.AddScripts(setup); err != nil {
		return err
	}
	c.Side.Host.SetScripts(s.admin.Gate(c.Side.Scripts.Hooks()))
	return nil
}

// list returns all services of a server, in the order of Commands, Variables, Start and Close.
// Journals depend on it: a server and its replay must have the same commands. Close first ends the
// tests of mods and all that reaches the network. Then the scripts give their last values to the
// stores (flushing), the line to the fleet closes behind these values, and recordings end. The
// journal is closed behind them, because it has all inputs, then the store and the audit log
// (admin). The services after it hold nothing open.
func (b *builder) list() ([]core.Service, error) {
	s := b.server
	c := s.core
	scheduled, films := tasks.New(c), demos.New(c, s.cfg.Version, nil)
	s.meeting = meeting.New(c, meeting.Options{
		Listen: s.cfg.Server.Listen, Rendezvous: s.cfg.Server.Rendezvous, Own: s.own, Resolve: core.PickResolver(s.cfg.Resolve, c.Posts),
		MapPort: b.portMapper(),
	})
	if err := b.openFleet(); err != nil {
		return nil, err
	}
	players, operators, err := b.outside()
	return slices.Concat(
		[]core.Service{b.mods.trials, s.meeting}, players,
		[]core.Service{b.mods, b.packing}, operators,
		[]core.Service{&flushing{core: c}, s.fleet, b.lists, films, b.recorder, b.store, s.admin, s.admission, scheduled, &ownCommands{server: s}},
	), err
}

// Peer is another server. ParsePeer reads it from NAME=HOST:PORT#KEY.
type Peer = fleet.Peer

// ParsePeer reads NAME=HOST:PORT#KEY.
func ParsePeer(text string) (Peer, error) { return fleet.ParsePeer(text) }

// openFleet makes what knows the other servers.
func (b *builder) openFleet() (err error) {
	s := b.server
	b.lists = &fleetLists{admin: s.admin}
	opts := fleet.Options{
		Peers: s.cfg.Server.Peers, Own: s.own, Resolve: b.resolve(), Find: s.admin.Player, Joins: s.cfg.Server.Fleet, Addresses: s.Addresses, Reached: newReach(s.core.Now, ownAddresses).at, Machine: s.tape.Command,
		Heard: func(n *bus.News) func() { s.rec.News(s.core.Now(), n); return s.rec.Done },
		Told:  func(list []script.FleetServer) func() { s.rec.Fleet(list); return s.rec.Done },
	}
	if s.cfg.Server.Fleet != nil {
		if opts.Copy, opts.LoadCopy, err = b.openCopy(); err != nil {
			return err
		}
		opts.Lists = b.lists
	}
	if s.fleet, err = fleet.New(s.core, opts); err != nil {
		if opts.Copy != nil {
			err = errors.Join(err, opts.Copy.Close())
		}
		return &ConfigError{Field: "Server.Peers and Server.Fleet", Err: err}
	}
	s.meeting.Answered = s.fleet.Answered
	if opts.Lists != nil {
		b.lists.join(s.fleet)
	}
	return nil
}

// openCopy opens the copy of what the fleet keeps. A server without a data folder has none. The
// tape records what the server reads of it.
func (b *builder) openCopy() (fleet.CopyFile, func(string) (map[string][]byte, error), error) {
	s := b.server
	if !s.core.Home.HasFolder() {
		return nil, s.tape.Store(store.NewMemory()).Load, nil
	}
	file, err := openStore(s.core.Home.Path(fleet.CopyName), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, fmt.Errorf("%w (without the file %s, the server gets the values from the fleet)", err, fleet.CopyName)
	}
	return file, s.tape.Store(file).Load, nil
}

// openLists opens the lists of players and the stored values of mods.
func (b *builder) openLists() (err error) {
	s := b.server
	c := s.core
	s.admin = &admin.Admin{Now: func() time.Time { return c.Side.Date() }, Answer: c.Answer}
	s.admission = &admin.Admission{ReadFile: s.tape.ReadFile}
	c.Record = s.admin.Record
	if s.admin.Bans, err = c.Home.List("bans", b.editor()); err != nil {
		return err
	}
	if s.admin.Mutes, err = c.Home.List("mutes", b.editor()); err != nil {
		return err
	}
	if s.admin.Allowed, err = c.Home.List("allowed", b.editor()); err != nil {
		return err
	}
	s.admin.Recent, err = admin.OpenRecent(c.Home.Path("recent"), c.From.Began, func(err error) {
		c.Log.Warn("players who were here are known only until the server ends", "why", err)
	})
	if err != nil {
		return err
	}
	if b.store, err = storage.New(c, c.From.Store, openStore); err != nil {
		return err
	}
	b.store.Store = s.tape.Store(b.store.Store)
	return nil
}

// editor lets the server read lists that people change. Their wrong lines are warnings.
func (b *builder) editor() data.Editor {
	return data.Editor{Ask: b.server.tape.Edited, Wrong: func(err error) { b.server.core.Log.Warn(err.Error()) }}
}

// openRights opens the roles of players and the audit log.
func (b *builder) openRights() (err error) {
	s := b.server
	if s.admin.Rights, err = s.core.Home.Rights(b.editor()); err != nil {
		return err
	}
	s.admin.Audit, err = s.core.Home.Audit(s.core.From.Date, s.core.Log)
	return err
}

// webWatchers is the default of sv.maxWatchers with ServerConfig.Web.
const webWatchers = 16

// openSide makes the host and the console.
func (b *builder) openSide() error {
	s := b.server
	c := s.core
	cfg, err := b.hostConfig()
	if err != nil {
		return err
	}
	if c.Side, err = core.NewTapedSide("server", s.tape, s.cfg.Common, cfg, c.From, c.Print, c.Log); err != nil {
		return err
	}
	if s.cfg.Server.Web != nil {
		c.Side.Host.Settings.MaxWatchers = webWatchers
	}
	if t, ok := s.tape.(interface{ Inputs() *tape.Recorder }); ok {
		s.rec = t.Inputs()
		c.Side.Rec = s.rec
	}
	s.rec.Watch(c.Side.Console, c.By)
	c.Sides = append(c.Sides, c.Side)
	s.admin.Host, s.admin.Console = c.Side.Host, c.Side.Console
	s.admission.Admission = &c.Side.Host.Admission
	c.Side.Console.SetAudit(func(line string, err error) { s.admin.Record(c.By(), line, err) })
	return nil
}

// hostConfig returns the config of the host.
func (b *builder) hostConfig() (engine.Config, error) {
	s := b.server
	classes, err := core.NewClasses(s.cfg.Register)
	if err != nil {
		return engine.Config{}, err
	}
	passed, err := s.core.Home.Passed()
	if err != nil {
		return engine.Config{}, err
	}
	web := s.cfg.Server.Web
	cfg := engine.Config{
		Server: true, Name: s.cfg.Name, Password: s.cfg.Password, MaxClients: s.cfg.Server.MaxClients, Resolve: s.tape.Resolver(b.resolve()),
		Identity: s.tape.Identity(s.own), Classes: classes, Seed: core.DrawSeed(s.cfg.Seed, s.core.From.Entropy), Parallel: b.packing.parallel(),
		MayMove: s.admin.MayMove, Probe: s.core.Loop.Phases.Step, LocalWeb: web != nil && web.Local,
		Guessed: func(address string, pause time.Duration) {
			s.admin.Record("server", fmt.Sprintf("too many wrong passwords: %s pauses for %v", address, pause), nil)
		},
	}
	cfg.Known, cfg.MayTalk = s.admin.Knows, s.admin.MayTalk
	_, plain := s.tape.(tape.Untaped)
	cfg.Journaled = !plain // in a replay as in the journal
	if passed != nil {
		cfg.PassedKeys = passed.Keys
		cfg.Passed = func(k seal.Key) {
			if err := passed.Add(k); err != nil {
				s.core.Log.Warn("a key that gave the password is known only until the server ends", "why", err)
			}
		}
	}
	s.tape.Tickets(s.fleet.Tickets()).Config(&cfg)
	cfg.Onward = s.fleet.Onward
	if s.observe != nil {
		s.observe(&cfg)
	}
	return cfg, nil
}

// identity returns the key of the server: the one of the Config, or that of the data folder.
func (b *builder) identity() (seal.KeyPair, error) {
	s := b.server
	if s.cfg.Identity != nil {
		return *s.cfg.Identity, nil
	}
	return s.core.Home.Identity(s.core.From.Entropy)
}

// resolve returns what finds the addresses of names. A server without a socket reaches nobody.
func (b *builder) resolve() engine.Resolver {
	s := b.server
	switch {
	case s.stepped:
		return s.cfg.Resolve
	case s.cfg.Server.Listen == "":
		return nil
	}
	return core.PickResolver(s.cfg.Resolve, s.core.Posts)
}
