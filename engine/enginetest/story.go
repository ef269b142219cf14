package enginetest

import (
	"fmt"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// A Story implements engine.Scripts. It runs the join sequence of mods/base and records the
// callbacks that it receives.
type Story struct {
	engine.NopScripts
	host    *engine.Host
	Lines   []string
	Quiet   bool                                         // Lines get no datablocks, commands and ghosts
	Refuse  string                                       // the result of ConnectRequest
	Stall   bool                                         // the server does not continue the join
	Handler func(c *engine.Connection, args []sim.Value) // called for every command that is not part of the join
	PerTick int                                          // limit of commands per tick; 0 is no limit, -1 allows none
	used    int
	Blocks  int                                           // number of datablocks received
	Hide    func(o sim.Object, c *engine.Connection) bool // reports whether to hide an object from a connection
}

func (s *Story) note(format string, args ...any) {
	s.Lines = append(s.Lines, fmt.Sprintf(format, args...))
}

func (s *Story) BeginTick()             { s.used = 0 }
func (s *Story) Busy() bool             { return s.PerTick != 0 && s.used >= max(0, s.PerTick) }
func (s *Story) OverBudget(string) bool { return s.Busy() }

func (s *Story) ConnectRequest(c *engine.Connection, args []string) string {
	s.note("request from %s %q", c.PlayerName, args)
	return s.Refuse
}

func (s *Story) Connected(c *engine.Connection, args []string) {
	s.note("connected %s %q", c.PlayerName, args)
	if !s.Stall {
		s.Lead(c, 1)
	}
}

// Lead starts the join of a connection again.
func (s *Story) Lead(c *engine.Connection, seq uint32) {
	_ = c.Commands.Send(engine.CommandOptions{}, sim.Tag("Phase1"), []sim.Value{sim.Number(float64(seq))})
	c.Blocks.Transmit(seq)
}

func (s *Story) Dropped(c *engine.Connection, reason string) {
	s.note("dropped %s: %s", c.PlayerName, reason)
}

func (s *Story) Arrived(c *engine.Connection) {
	s.note("arrived %s from %s", c.PlayerName, c.Arrival().From)
}

func (s *Story) Accepted(c *engine.Connection) { s.note("accepted by %s", c.Server.Name) }
func (s *Story) Entered(*engine.Connection)    { s.note("in the game") }

func (s *Story) ConnectionEnded(_ *engine.Connection, reason string, timedOut bool) {
	s.note("ended: %s (timed out %v)", reason, timedOut)
}

func (s *Story) ConnectFailed(address, reason string) { s.note("%s: %s", address, reason) }

func (s *Story) DataBlocksDone(c *engine.Connection, seq uint32) {
	s.note("datablocks done %d", seq)
	if c.Join.Phase() == engine.PhaseDataBlocks {
		c.Ghosting.Activate()
	}
}

func (s *Story) DataBlockReceived(_ *engine.Connection, index, total int) {
	s.Blocks++
	if !s.Quiet {
		s.note("datablock %d of %d", index, total)
	}
}

func (s *Story) GhostAlwaysDone(c *engine.Connection) {
	s.note("always-ghosts done")
	c.Join.Enter()
}

func (s *Story) EnteredGame(c *engine.Connection)     { s.note("plays: %s", c.PlayerName) }
func (s *Story) InitialControlSet(*engine.Connection) { s.note("control set") }

func (s *Story) Event(o sim.Object, name string, args []sim.Value) bool {
	if s.Busy() {
		return false
	}
	s.used++
	s.note("event %s of %s(%s)", name, o.Ident(), literals(args))
	return true
}

func (s *Story) GhostAdded(_ *engine.Connection, o sim.Object)   { s.ghost("added", o) }
func (s *Story) GhostRemoved(_ *engine.Connection, o sim.Object) { s.ghost("removed", o) }
func (s *Story) GhostAcked(_ *engine.Connection, o sim.Object)   { s.ghost("acked", o) }
func (s *Story) WatchesAcks() bool                               { return true }

// ghost records a ghost event with the ghost's label, if it has one.
func (s *Story) ghost(what string, o sim.Object) {
	if s.Quiet {
		return
	}
	label := ""
	if f := o.Ident().Class().Lookup("label"); f != nil {
		label = " " + f.Get(o).Text()
	}
	s.note("ghost %s: %s%s", what, o.Ident().Class().Name, label)
}

func (s *Story) InScope(o sim.Object, c *engine.Connection, _ bool) (visible, asked bool) {
	if s.Hide == nil {
		return true, false
	}
	return !s.Hide(o, c), true
}

func (s *Story) Command(c *engine.Connection, name string, args []sim.Value) bool {
	s.used++
	switch {
	case name == "Phase1":
		_ = c.Commands.Send(engine.CommandOptions{}, sim.Tag("Phase1Ack"), args)
	case name == "Phase1Ack":
	case name == "Nobody":
		return false
	default:
		if s.Handler != nil {
			s.Handler(c, args)
		}
		if !s.Quiet {
			s.note("%s(%s)", name, literals(args))
		}
	}
	return true
}

func literals(args []sim.Value) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Kind().String() + " " + a.Literal()
	}
	return strings.Join(words, ", ")
}
