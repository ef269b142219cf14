package nodetest

import (
	"context"
	"fmt"
	"hash"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// oracles check the rules of the system. Their names are those of the rules:
//
//	V1, V2     each packet has one fate, and the fate is true
//	V3, V4     guaranteed commands arrive exactly once, ordered ones in order, others at most once
//	V5         ghosts become equal to their objects, and no field of a ghost gets older
//	V6         nothing is sent again without a loss, and in the end nothing is owed
//	V7         a client has exactly the ghosts of its scope, and no ghost stands for another object
//	V8         moves are applied in order, at most once, and no faster than time passes
//	V9         a ghost's datablock is there before the ghost, and is up to date in the end
//	V10        tags have the right texts
//	V11        queues keep to their limits
//	V12        nobody is sent more than they can receive
//	V13        no panic; tests check that no goroutine stays
//	V14        the same plan gives the same run (checked by the test)
//	storage    stored values survive as acknowledged
//	rights     banned players are never in, and no command runs without its role
//	timer      no timer is early
//	log        no error is logged
//	honest     no program of a player or of the server ends a connection because the other one breaks a rule
//	join       after the storm everybody gets into the game
type oracles struct {
	system  *system
	printed hash.Hash64
	streams streamOracle
	ghosts  ghostOracle
	rate    rateOracle
	storage storageOracle

	sent        map[string][2]int // commands to and from a player at the server, by their texts
	ticks       []uint64          // of the clients, when they were checked last
	clientTime  time.Duration
	enters      int
	convergence time.Duration
}

// step checks everything that can be checked at any time.
func (o *oracles) step() {
	s := o.system
	s.operator.check(s)
	o.caps()
	o.streams.step(s)
	for i, p := range s.players {
		if len(o.ticks) <= i {
			o.ticks = append(o.ticks, 0)
		}
		if p.node == nil {
			continue
		}
		o.clientTime += step
		if n := p.node.Host().TickNumber(); n != o.ticks[i] {
			o.ticks[i] = n
			o.ghosts.sees(s, p)
		}
	}
	o.rate.step(s)
}

// ticked checks the world of the server. It runs after each tick.
func (o *oracles) ticked(w *sim.World) {
	o.ghosts.look(w)
	o.streams.look(o.system, w)
}

// booted notes that a process of the server begins.
func (o *oracles) booted() { o.ghosts.booted() }

// disturbed notes that a machine stood still or that its clock jumped. 0 is the server.
func (o *oracles) disturbed(who int) { o.rate.disturbed(o.system, who) }

// caps checks the limits that are visible from outside. caps_test.go in the root folder has all of
// them, with their tests.
func (o *oracles) caps() {
	v := o.system.server.node
	if v == nil {
		return
	}
	n := 0
	for _, c := range v.Host().Connections() {
		if !c.Inbound() || c.Bot() {
			continue
		}
		n++
		if q := c.Events().Queued(); q > 3*8192 {
			o.system.fail("V11", "%d events wait for %s", q, c.PlayerName)
		}
		if f := c.Net().InFlight(); f > maxWindow {
			o.system.fail("V11", "%d packets to %s are in flight", f, c.PlayerName)
		}
	}
	if n > 16+len(o.system.players) { // a connection that is replaced may end a tick later
		o.system.fail("V11", "%d connections, with at most 16 clients", n)
	}
}

// maxWindow is the number of packets in flight that the protocol allows.
const maxWindow = 1024

// serverPrinted takes a line of the server's console.
func (o *oracles) serverPrinted(line string) {
	o.printed.Write([]byte(line))
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "probe" {
		return
	}
	switch words[1] {
	case "fault":
		o.system.fail(words[2], "the server says: %s", line)
	case "enters":
		o.enters++
		o.ghosts.groups[words[2]] = number(words, 3)
	case "secret":
		o.system.operator.secret(o.system, words[2])
	case "count":
		o.sent[words[2]] = [2]int{number(words, 3), number(words, 4)}
	default:
		o.storage.said(o.system, words[1:])
	}
}

// playerPrinted takes a line of a client's console.
func (o *oracles) playerPrinted(p *player, line string) {
	o.printed.Write([]byte(line))
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "probe" {
		return
	}
	switch words[1] {
	case "fault":
		o.system.fail(words[2], "player %d says: %s", p.number, line)
	case "count":
		p.ordered, p.sure, p.up = number(words, 2), number(words, 3), number(words, 4)
	}
}

// number returns a word as a number, 0 if it is none.
func number(words []string, i int) int {
	if i >= len(words) {
		return 0
	}
	n, _ := strconv.Atoi(words[i])
	return n
}

// logOf returns the log of a program. An error is a failure.
func (o *oracles) logOf(program string) *slog.Logger {
	return slog.New(&logHandler{o: o, program: program})
}

type logHandler struct {
	o       *oracles
	program string
}

func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }
func (h *logHandler) WithAttrs([]slog.Attr) slog.Handler           { return h }
func (h *logHandler) WithGroup(string) slog.Handler                { return h }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	h.o.system.fail("log", "%s: %s", h.program, text)
	return nil
}

var errDisk = fmt.Errorf("the disk has failed, as the plan says")

// settle waits until the system has recovered from the storm, and checks that it has.
func (s *system) settle() {
	if s.failure != nil {
		return
	}
	if !s.until(joinTime, s.allIn) {
		s.fail("join", "not all players are in the game %v after the storm: %s", joinTime, s.absent())
		return
	}
	s.server.exec("probe.quiet")
	for _, p := range s.players {
		p.exec("probe.quiet")
	}
	s.until(time.Second, func() bool { return false }) // the last changes leave
	began := s.net.Now()
	why := ""
	if !s.until(convergeTime, func() bool { why = s.oracles.different(); return why == "" }) {
		rule, text, _ := strings.Cut(why, ": ")
		s.fail(rule, "%v after the last change: %s", convergeTime, text)
		return
	}
	s.oracles.convergence = s.net.Now() - began
	s.server.exec("pause on")
	if !s.until(convergeTime, func() bool { why = s.oracles.unequal(); return why == "" }) {
		rule, text, _ := strings.Cut(why, ": ")
		s.fail(rule, "%v after the server was paused: %s", convergeTime, text)
	}
}

// unequal returns the first difference between the paused world and the ghosts of a player, as
// RULE: TEXT, or "".
func (o *oracles) unequal() string {
	for _, p := range o.system.players {
		if why := o.ghosts.compareAll(p.peer(), p.connection()); why != "" {
			rule, text, _ := strings.Cut(why, ": ")
			return fmt.Sprintf("%s: player %d: %s", rule, p.number, text)
		}
		if p.peer().Ghosts().Due(o.system.net.Now()) != netcore.Never {
			return fmt.Sprintf("V6: the server owes ghosts to player %d although nothing changes", p.number)
		}
	}
	return ""
}

const (
	joinTime     = 90 * time.Second // a client waits up to 30 s between two tries, and an ended connection is noticed late
	convergeTime = 10 * time.Second
)

// until runs the system until done returns true, or for a time. It reports whether done did.
func (s *system) until(most time.Duration, done func() bool) bool {
	for end := s.net.Now() + most; s.failure == nil && s.net.Now() < end; {
		s.operator.lift(s)
		s.round()
		if s.failure == nil && done() {
			return true
		}
	}
	return s.failure != nil
}

// allIn reports whether everybody is in the game.
func (s *system) allIn() bool {
	for _, p := range s.players {
		if !p.inGame() {
			return false
		}
	}
	return s.server.node != nil && s.server.node.Ready()
}

// absent describes the players who are not in the game.
func (s *system) absent() string {
	var all []string
	for _, p := range s.players {
		if p.inGame() {
			continue
		}
		state := "no client"
		if p.node != nil {
			state = "connecting"
		}
		if c := p.connection(); c != nil {
			state = c.Join.Phase().String()
		}
		if v := p.peer(); v != nil {
			state += ", at the server " + v.Join.Phase().String()
		}
		all = append(all, fmt.Sprintf("player %d: %s", p.number, state))
	}
	return strings.Join(all, "; ")
}

// different returns the first difference between the world of the server and those of the clients,
// as RULE: TEXT, or "".
func (o *oracles) different() string {
	o.sent = map[string][2]int{}
	o.system.server.exec("probe.count")
	for _, p := range o.system.players {
		if !p.inGame() {
			return fmt.Sprintf("join: player %d has left the game", p.number)
		}
		if why := o.ghosts.compare(o.system, p.peer(), p.connection()); why != "" {
			rule, text, _ := strings.Cut(why, ": ")
			return fmt.Sprintf("%s: player %d: %s", rule, p.number, text)
		}
		if why := o.streams.settled(p); why != "" {
			return why
		}
		if why := o.arrived(p); why != "" {
			return why
		}
	}
	return ""
}

// arrived returns which commands of a player have not come, or "".
func (o *oracles) arrived(p *player) string {
	p.exec("probe.count")
	sent := o.sent[p.key.Public.String()]
	if p.ordered != sent[0] || p.sure != sent[0] || p.up != sent[1] {
		return fmt.Sprintf("V3: player %d has %d ordered and %d guaranteed commands of %d; %d of its %d have come", p.number, p.ordered, p.sure, sent[0], sent[1], p.up)
	}
	return ""
}

// ended reports whether a connection is over.
func ended(c *engine.Connection) bool {
	_, over := c.Net().Closed()
	return over
}
