package replay

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/journals"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/store"
)

// A Replay runs a server again from its journal. It has no socket, and nothing of it reaches a
// network or the stored values of mods. It belongs to one goroutine.
type Replay struct {
	server *node.Server
	parts  node.Taped
	player *tape.Player
	clock  func() time.Duration // of Config
	other  string               // says that another build wrote the journal; "" if this one did
	folder string               // a temporary data folder; "" for none
}

// Config is what a Replay does not take from the journal.
type Config struct {
	Version  string                                // like Common.Version
	Register func(classes *sim.Classes) error      // like Common.Register
	Events   []engine.CustomKind                   // like Common.Events
	Mods     fs.FS                                 // replaces mods of the journal; nil: the mods are those of the journal
	Log      *slog.Logger                          // nil discards
	Output   func(text string)                     // gets the console's output; nil discards
	Said     func(by, line, out string, err error) // gets each line of the console when it has run; nil discards
	Clock    func() time.Duration                  // measures the ticks and scripts of the replay; nil: nothing is measured
}

// New makes a server from the header of a journal. Step runs it. The caller must call Close.
func New(in io.Reader, cfg Config) (*Replay, error) {
	p, err := newPlayer(in, &cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Mods != nil {
		p.Replace(cfg.Mods)
	}
	if cfg.Said != nil {
		p.Said = func(by string, g *console.Given, out string, err error) { cfg.Said(by, g.Line, out, err) }
	}
	p.Clock = cfg.Clock
	head := p.Header()
	replay := &Replay{player: p, clock: cfg.Clock, other: journals.OtherBuild(head.Program, head.Build, cfg.Version)}
	if err := replay.open(cfg); err != nil {
		return nil, errors.Join(err, replay.Close())
	}
	return replay, nil
}

// newPlayer reads the header of a journal that this program can play.
func newPlayer(in io.Reader, cfg *Config) (*tape.Player, error) {
	r, err := journal.NewReader(in)
	if err != nil {
		return nil, err
	}
	if err := fits(r.Header, cfg); err != nil {
		return nil, err
	}
	return tape.NewPlayer(r)
}

// fits reports whether this program can play a journal.
func fits(h journal.Header, cfg *Config) error {
	if h.Protocol != netcore.ProtocolVersion {
		return fmt.Errorf("the journal has protocol version %d, and this program has %d: replay it with torc %s", h.Protocol, netcore.ProtocolVersion, h.Program)
	}
	classes, err := core.NewClasses(cfg.Register)
	if err != nil {
		return err
	}
	own := fmt.Sprintf("%016x", classes.Hash())
	what := ""
	switch {
	case h.Prints != nil:
		what = differing("class", h.Prints, classes.NamedFingerprints())
	case own != h.Classes: // an earlier program wrote it
		what = "other classes than this program"
	}
	if what == "" {
		what = differing("event", h.Events, engine.EventPrints(cfg.Events))
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("the journal has %s: replay it with torc %s", what, h.Program)
}

// differing names the first class or event in which a journal differs from this program, "" for
// none. Both have fingerprints by name.
func differing(what string, journal, own map[string]uint32) string {
	for _, name := range slices.Sorted(maps.Keys(journal)) {
		switch print, has := own[name]; {
		case !has:
			return fmt.Sprintf("the %s %s, which this program lacks", what, name)
		case print != journal[name]:
			return fmt.Sprintf("another %s %s than this program", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if _, has := journal[name]; !has {
			return fmt.Sprintf("no %s %s, which this program has", what, name)
		}
	}
	return ""
}

// open makes the server.
func (r *Replay) open(cfg Config) (err error) {
	p := r.player
	c := &p.Config
	own := node.Config{
		Common: node.Common{Name: c.Name, Password: c.Password, Strict: c.Strict, Register: cfg.Register, Events: cfg.Events, Seed: &c.Seed, Log: cfg.Log, Output: cfg.Output, Commands: commandsOf(p)},
		Server: node.ServerConfig{Load: c.Load, Mission: c.Mission, MaxClients: c.MaxClients, Restarts: c.Restarts},
	}
	for _, v := range c.Vars {
		own.Vars = append(own.Vars, node.Var(v))
	}
	for _, s := range c.Scripts {
		own.Scripts = append(own.Scripts, node.Script(s))
	}
	for _, p := range c.Peers {
		key, err := seal.ParseKey(p.Key)
		if err != nil {
			return err
		}
		own.Server.Peers = append(own.Server.Peers, node.Peer{Name: p.Name, Address: p.Address, Key: key})
	}
	if c.Fleet != "" {
		own.Server.Fleet = &node.Fleet{Name: c.Fleet}
	}
	if c.Web {
		own.Server.Web = &node.Web{Local: c.LocalWeb}
	}
	if own.Data, err = r.data(); err != nil {
		return err
	}
	from := core.Stepped(node.Edge{
		Clock: func() time.Duration { return p.Now }, Date: func() time.Time { return p.Date }, Entropy: rand.Reader,
		Send: func(netcore.Addr, []byte) {}, Store: store.NewMemory(),
	})
	r.server, r.parts, err = node.NewTaped(own, p, from)
	if err != nil {
		return err
	}
	if r.clock != nil {
		r.parts.Core.Loop.Phases.Now = r.clock
	}
	side := r.parts.Core.Side
	p.Attach(played{r.parts, side, r.clock}, side.Host, side.Scripts.Runtime, side.Console)
	return nil
}

// data makes the data folder of a server that had one, with the small files of that.
func (r *Replay) data() (folder string, err error) {
	if !r.player.Config.Store {
		return "", nil
	}
	if r.folder, err = os.MkdirTemp("", "torc-replay-"); err != nil {
		return "", err
	}
	for _, name := range tape.ListNames {
		if text, ok := r.player.Config.Lists[name]; ok {
			if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o600); err != nil {
				return "", err
			}
		}
	}
	return r.folder, nil
}

// Close gives all back.
func (r *Replay) Close() (err error) {
	if r.server != nil {
		err = r.server.Close()
	}
	if r.folder != "" {
		err = errors.Join(err, os.RemoveAll(r.folder))
	}
	return err
}

// Step makes the next call of the journal to the server. The error is io.EOF after the last one,
// and says which block cannot be used if the rest cannot be read. ErrCut is in it if the file ends
// in that block.
func (r *Replay) Step() error { return r.player.Step() }

// Tick returns the number of the newest tick.
func (r *Replay) Tick() uint64 { return r.player.Tick }

// Now returns the time of the server.
func (r *Replay) Now() time.Duration { return r.player.Now }

// Difference describes the first difference from the journal, "" if there is none so far.
func (r *Replay) Difference() string { return r.player.Difference() }

// OtherBuild says in a sentence that another build of the program wrote the journal; "" if this one
// did.
func (r *Replay) OtherBuild() string { return r.other }

// Ended returns why the journal ends before its server, "" if it does not.
func (r *Replay) Ended() string { return r.player.End }

// Whole reports whether the journal has an end. The journal of a killed process has none.
func (r *Replay) Whole() bool { return r.player.Whole() }

// Marks returns the places of the journal to look at, as far as it was read.
func (r *Replay) Marks() []Mark { return marks(r.player.Marks) }

// Faults returns the faults of scripts in this replay so far.
func (r *Replay) Faults() []Mark { return marks(r.player.Faults) }

// Host returns the world and the connections.
func (r *Replay) Host() *engine.Host { return r.parts.Core.Side.Host }

// Console returns the console of the server. Its lines are not in the journal, so the replay can
// differ from there.
func (r *Replay) Console() *console.Console { return r.parts.Core.Side.Console }

// marks reads the texts of marks.
func marks(all []tape.Mark) (list []Mark) {
	for _, m := range all {
		list = append(list, markOf(m.Tick, m.Why))
	}
	return list
}

// played is a server as a Player sees it.
type played struct {
	parts node.Taped
	side  *core.Side
	clock func() time.Duration // nil: nothing is measured
}

func (s played) Start() error                      { return s.parts.Start() }
func (s played) Ending(restart bool)               { s.side.TellEnding(restart) }
func (s played) Close(restart bool, reason string) { s.side.Shutdown(0, restart, reason) }
func (s played) NotePlain()                        { s.parts.NotePlain() }
func (s played) Reread()                           { s.parts.Reread() }
func (s played) Fleet(list []script.FleetServer)   { s.parts.Fleet(list) }
func (s played) News(n *bus.News)                  { s.parts.News(n) }
func (s played) Set(name, value string)            { s.parts.Set(name, value) }

// Tick runs a tick. Its beginning counts by the time of the journal, and its length by the clock of
// this machine.
func (s played) Tick(now time.Duration) {
	if s.clock == nil {
		s.side.Tick(now)
		return
	}
	began := s.clock()
	s.parts.Core.Loop.Phases.Start()
	s.side.Tick(now)
	s.parts.Core.Loop.Pulse.Tick(now, s.clock()-began)
}

func (s played) Receive(at time.Duration, from netcore.Addr, b []byte) {
	s.parts.Core.Loop.Phases.Start()
	s.side.Receive(at, from, b)
	s.parts.Core.Loop.Phases.End(pulse.Receive)
}

func (s played) Send(now time.Duration, out func(to netcore.Addr, b []byte)) {
	s.parts.Core.Loop.Phases.Start()
	s.side.Send(now, out)
	s.parts.Core.Loop.Phases.End(pulse.Send)
}

// commandsOf returns the commands of the program in a replay.
func commandsOf(p *tape.Player) (list []console.Command) {
	for _, c := range p.Config.Given() {
		list = append(list, p.Command(c))
	}
	return list
}
