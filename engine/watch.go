package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// Spectators. A client with the role of a spectator does not join the game. The server sends it a
// recording of the game instead, and everything in it is at least sv.watchDelay old.

// roleSpectator is the role of a spectator in the introduction.
const roleSpectator = 1

// Watching is the part of a connection of a spectator: the recording on its way.
type Watching struct {
	conn     *Connection
	cursor   recording.Cursor   // on the server
	rest     []byte             // of the chunk being sent
	playback *spectate.Playback // on the client
	film     *spectate.Film     // a demo; nil: the connection shows none
}

var errNoPlayback = errors.New("this host cannot play recordings: it has objects of its own")

const noWatchers = "this server has no places for spectators"

const (
	watchAhead = 8 << 10 // bytes that wait to be sent
	watchPiece = 1 << 10 // most bytes of an event
)

// checkWatcher returns why a spectator is refused, or "". If all places are taken, old is a
// spectator who must make room.
func (d *Demos) checkWatcher(r *netcore.ConnectRequest) (old *Connection, refuse string) {
	h := d.host
	var all []*Connection
	for _, c := range h.conns {
		if c.spectator && c.inbound && !c.over() && c.key != r.Key {
			all = append(all, c)
		}
	}
	switch {
	case h.Settings.MaxWatchers == 0:
		return nil, noWatchers
	case h.Drain.on:
		return nil, DrainText
	case !h.Admission.Accepting:
		return nil, ClosedText
	case len(all) < h.Settings.MaxWatchers:
		return nil, ""
	}
	if old = d.crowded(all, r); old == nil {
		refuse = fmt.Sprintf("all places for spectators are taken (%d)", len(all))
	}
	return old, refuse
}

// crowded returns the spectator who makes room for another, or nil: the newest of the address with
// the most, for an address with fewer. For a player who was here before, a stranger makes room, but
// never the other way round.
func (d *Demos) crowded(all []*Connection, r *netcore.ConnectRequest) (old *Connection) {
	q, limits := &d.host.requests, d.host.Limits()
	counts := map[netcore.Addr]int{}
	count := func(of netcore.Addr) int {
		if limits.Exempt(of) {
			return 1 // each for itself
		}
		return counts[of.Host()]
	}
	for _, c := range all {
		counts[c.Line.from.Host()]++
	}
	counts[r.From.Host()]++
	known := q.knows(r.From, r.Key)
	for _, c := range all {
		stranger := known && !q.knows(c.Line.from, c.key)
		if !known && q.knows(c.Line.from, c.key) || !stranger && count(c.Line.from) <= count(r.From) {
			continue
		}
		if old == nil || count(c.Line.from) >= count(old.Line.from) {
			old = c
		}
	}
	return old
}

// watchDelay is how far spectators are behind.
func (s *Settings) watchDelay() time.Duration {
	return time.Duration(s.WatchDelay * float64(time.Second))
}

// start starts or ends the recording for spectators. It precedes the snapshots of a tick.
func (d *Demos) start() {
	h := d.host
	switch wanted := h.cfg.Server && h.Settings.MaxWatchers > 0; {
	case wanted && d.recorder == nil:
		d.recorder = spectate.NewRecorder(h.world, recorded{h.snapshots})
		d.recorders = append(d.recorders, d.recorder)
		d.recorded.anew = true
	case !wanted && d.recorder != nil:
		d.recorder.Stop()
		d.forget(d.recorder)
		d.recorder = nil
		for _, c := range h.conns {
			if c.spectator && c.inbound {
				c.Disconnect(noWatchers)
			}
		}
	}
}

func (d *Demos) forget(r *spectate.Recorder) {
	d.recorders = slices.DeleteFunc(d.recorders, func(other *spectate.Recorder) bool { return other == r })
}

// recordTick completes the record of a tick.
func (d *Demos) recordTick() {
	h := d.host
	if len(d.recorders) > 0 {
		d.recordElements(d.serverElements())
	}
	r := d.recorder
	if r != nil && !r.EndTick(h.tick, h.now, h.Settings.watchDelay()) {
		h.cfg.Log.Warn("the world is too large for spectators", "limit", recording.MaxChunk)
	}
	if !d.demo.Complete(h.tick) {
		d.end(false)
	}
}

// recordGhosts records a tick of a client.
func (d *Demos) recordGhosts() {
	if d.demo == nil {
		return
	}
	c := d.host.Server()
	first, fov := c.Camera.View()
	if !d.demo.Record(d.host.tick, c.Control.Object(), first, fov) {
		d.end(false)
		return
	}
	d.recordElements(c.Forms().Elements())
}

// end ends the recording for a file. left means that its connection has ended.
func (d *Demos) end(left bool) {
	demo := d.demo
	d.demo = nil
	d.forget(demo.Recorder)
	demo.End(left)
}

// recorded is the world of a server for a recorder.
type recorded struct{ *snapshots }

func (s recorded) Numbers() uint32                { return uint32(len(s.objects)) }
func (s recorded) ObjectOf(n uint32) sim.Object   { return s.host.ObjectOf(n) }
func (s recorded) NumberOf(o sim.Object) uint32   { return o.Ident().Number() }
func (s recorded) Secret(o sim.Object) (m uint32) { return s.host.Rules.hidden.Secret(o) }

func (s recorded) Public(o sim.Object) bool {
	return s.host.scope.rule(o).groups == 0 && !s.host.scripts.Checks(o, "inScope")
}

func (s recorded) Watch(n uint32) {
	s.unpark(n)
	m := &s.objects[n]
	m.watchers++
	m.stale = 1<<m.object.Ident().Class().Groups() - 1
	m.object.Ident().Mark(m.stale)
}

func (s recorded) Unwatch(n uint32) { s.watch(n, -1) }

func (s recorded) Refresh(n uint32) {
	s.objects[n].stale |= s.objects[n].drift
	s.refresh(n)
}

func (s recorded) Repeat(n uint32, groups uint32) {
	s.objects[n].stale |= groups
	s.objects[n].object.Ident().Mark(groups)
}

// send posts the next pieces of the recording to a spectator.
func (w *Watching) send() {
	c := w.conn
	r := c.host.Demos.recorder
	if !c.spectator || !c.inbound || r == nil || c.over() {
		return
	}
	for c.events.QueuedBulk() < watchAhead {
		if len(w.rest) == 0 {
			chunk, ok := r.Next(&w.cursor, c.host.now, c.host.Settings.watchDelay())
			if !ok {
				return
			}
			w.rest = chunk.Bytes()
		}
		n := min(len(w.rest), watchPiece)
		if !c.post(&recordingPiece{data: w.rest[:n]}, bulk) {
			return
		}
		w.rest = w.rest[n:]
	}
}

// A recordingPiece carries the next bytes of a recording to a spectator.
type recordingPiece struct{ data []byte }

func (p *recordingPiece) KindID() event.KindID { return recordingID }

func (p *recordingPiece) Serialize(s *event.Codec) { s.Bytes(&p.data, watchPiece) }

func (p *recordingPiece) Process(n *netcore.Conn) error {
	c := owner(n)
	if !c.spectator || c.inbound {
		return netcore.Reason{Code: netcore.Violation, Text: "a recording for a player"}
	}
	return c.Watching.receive(p.data)
}

// receive handles the next bytes of a recording on the client.
func (w *Watching) receive(data []byte) error {
	if w.conn.host.serves() {
		return errNoPlayback
	}
	if w.playback == nil {
		w.playback = w.newPlayback(func() {})
	}
	_, err := w.playback.Write(data)
	return err
}

// newPlayback makes a playback in the world of this side. reset is called when a state replaces
// everything.
func (w *Watching) newPlayback(reset func()) *spectate.Playback {
	c := w.conn
	return spectate.NewPlayback(c.host.world, &c.Group, spectate.Hooks{
		Reset: func() {
			w.forgetTalkers()
			c.Forms().clearElements()
			reset()
		},
		Command: w.recordedCommand,
		Added:   func(o sim.Object) { c.host.scripts.GhostAdded(c, o) },
		Removed: func(o sim.Object) { c.host.scripts.GhostRemoved(c, o) },
		Voice:   w.recordedVoice,
	})
}

// recordedCommand runs a command of a recording.
func (w *Watching) recordedCommand(name string, args []sim.Value) {
	c := w.conn
	if name == recordedElement {
		w.playElement(args)
		return
	}
	c.host.Demos.demo.Told(&c.Group, name, args)
	c.host.expander.expandTags(args, c.host)
	c.Commands.Stats.Commands++
	if !c.host.scripts.Command(c, name, args) {
		c.Commands.Stats.UnknownCommands++
	}
}

// step plays the ticks that are due on the client of a spectator.
func (w *Watching) step() {
	c := w.conn
	switch {
	case w.playback == nil || c.ended:
		return
	case w.film != nil && !c.host.Pace.Paused():
		w.film.Step()
	case w.film == nil:
		if err := w.playback.Step(); err != nil {
			c.fail("bad recording: " + err.Error())
			return
		}
	}
	if c.Join.phase != PhaseGame && w.playback.Tick() > 0 {
		c.Join.phase = PhaseGame
		c.host.lifetimes.entered(c)
	}
}
