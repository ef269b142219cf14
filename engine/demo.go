package engine

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/netcore"
)

// The functions for programs and scripts that record games and show recordings.

// Demos are the recordings of a host: for its spectators, and for a file.
type Demos struct {
	host      *Host
	recorder  *spectate.Recorder   // for spectators; nil: nothing is recorded
	demo      *spectate.Demo       // a recording for a file; nil: there is none
	recorders []*spectate.Recorder // of this server: recorder, and that of demo
	elements  elements             // of a server: the HUD of the spectators
	recorded  recordedElements
}

var (
	errRecording  = errors.New("a recording is under way: record stop ends it")
	errNothing    = errors.New("there is nothing to record: this client is not in a game")
	errDemoOfDemo = errors.New("this is a demo already")
)

// Record begins a recording with the next tick: of a server all of its world, of a client all that
// it sees.
func (d *Demos) Record(sink spectate.Sink) error {
	h := d.host
	if d.demo != nil {
		return errRecording
	}
	d.recorded.anew = true
	if h.serves() {
		d.demo = spectate.NewDemo(h.world, recorded{h.snapshots}, sink)
		d.recorders = append(d.recorders, d.demo.Recorder)
		return nil
	}
	c := h.Server()
	switch {
	case c == nil || c.Join.phase != PhaseGame:
		return errNothing
	case c.Watching.film != nil:
		return errDemoOfDemo
	}
	d.demo = spectate.NewClientDemo(h.world, &c.Group, sink)
	return nil
}

// Stop ends the recording. It reports whether there was one.
func (d *Demos) Stop() bool {
	was := d.demo != nil
	if was {
		d.end(false)
	}
	return was
}

// Header returns the header of a recording of this host, as far as the host knows it.
func (d *Demos) Header() recording.Header {
	h := d.host
	classes := h.world.Classes() // those of the server
	out := recording.Header{Protocol: netcore.ProtocolVersion, Classes: classes.Hash(), List: classes.PackList(), Server: h.Admission.Name}
	mods := h.cfg.Mods
	if c := h.Server(); c != nil && !h.serves() {
		out.Server, out.Player, mods = c.Server.Name, h.cfg.Name, c.Server.Mods
	}
	for _, m := range mods {
		out.Mods = append(out.Mods, recording.Mod(m))
	}
	return out
}

// Keep records a command whose effect lasts until the next one with its key. It does nothing while
// there is no recording.
func (d *Demos) Keep(key string, name sim.Value, args ...sim.Value) {
	if d.demo != nil {
		d.demo.Keep(key, name, args)
	}
}

// Command records a command for the spectators of a server, and for the demo that it records. They
// receive it when they see its tick. Objects that they do not see are nil for them.
func (d *Demos) Command(name sim.Value, args []sim.Value) error {
	var sent []sim.Value
	for i, v := range args {
		v, err := d.host.outgoing(v)
		if err != nil {
			return fmt.Errorf("command argument %d is %w", i+1, err)
		}
		if len(d.recorders) > 0 {
			sent = append(sent, v)
		}
	}
	for _, r := range d.recorders {
		if err := r.Command(name, sent); err != nil {
			return err
		}
	}
	return nil
}

// Bytes returns how many bytes of recordings this server keeps for spectators.
func (d *Demos) Bytes() int {
	if r := d.recorder; r != nil {
		return r.Bytes()
	}
	return 0
}

// Tick returns the tick of the server that a spectator sees, 0 before the first.
func (w *Watching) Tick() uint64 {
	if w.playback == nil {
		return 0
	}
	return w.playback.Tick()
}

// The slowest and the fastest pace of a film that is not paused, in percent.
const (
	MinFilmPace = 10
	MaxFilmPace = 1600
)

// Play shows a demo, through a connection without a peer, in the world of a client that is
// connected to no server. It begins with the next tick. Commands to the server go nowhere. reset is
// called whenever a state replaces all that was shown.
func (d *Demos) Play(f *recording.File, reset func()) (*Connection, error) {
	h := d.host
	if h.serves() || h.Server() != nil {
		return nil, errNoPlayback
	}
	if err := d.prepare(&f.Header); err != nil {
		return nil, err
	}
	c := h.newConnection(false)
	c.bot, c.spectator, c.address = true, true, "a demo"
	c.Server.Name = f.Header.Server
	for _, m := range f.Header.Mods {
		c.Server.Mods = append(c.Server.Mods, ModInfo(m))
	}
	c.Watching.playback = c.Watching.newPlayback(reset)
	c.Watching.film = spectate.NewFilm(f, c.Watching.playback)
	h.world.CompleteGhosts = true
	h.world.Add(c)
	h.conns.add(c)
	h.inbox = append(h.inbox, func() { h.scripts.Accepted(c) })
	return c, nil
}

// prepare prepares this host for a demo. It takes over the classes of another program.
func (d *Demos) prepare(of *recording.Header) error {
	if of.Protocol != netcore.ProtocolVersion {
		return fmt.Errorf("the demo is of torc %q with protocol %d, and this torc plays protocol %d", of.Program, of.Protocol, netcore.ProtocolVersion)
	}
	classes := d.host.world.Classes()
	if of.Classes == classes.Hash() {
		return nil
	}
	if len(of.List) == 0 {
		return fmt.Errorf("the demo is of torc %q with other classes of objects, and does not describe them: play it with that program", of.Program)
	}
	err := classes.TakeList(of.List)
	if lack := (*sim.LackError)(nil); errors.As(err, &lack) {
		return fmt.Errorf("the demo is of torc %q with the class %s, and this torc lacks it or has another one: play it with that program", of.Program, lack.Class)
	}
	if err != nil {
		return fmt.Errorf("the demo has classes of objects that this torc cannot read: %w", err)
	}
	return nil
}

// Film returns the demo that a connection shows, or nil.
func (w *Watching) Film() *spectate.Film { return w.film }

// SetPace changes the speed of a film: 100 is normal, 0 is a pause.
func (w *Watching) SetPace(percent int) {
	if percent > 0 {
		percent = min(max(percent, MinFilmPace), MaxFilmPace)
	}
	if w.film != nil {
		w.conn.Server.pace = max(percent, 0)
	}
}

// Seek shows a tick of a film, or the nearest one that there is. It runs all ticks since the newest
// state before, so do not call it in a tick.
func (w *Watching) Seek(tick uint64) {
	c := w.conn
	f, pace := w.film, c.Server.pace
	if f == nil || c.ended {
		return
	}
	tick = min(max(tick, f.File().First()), f.File().Last())
	f.Turn(tick)
	w.forgetTalkers()
	for c.Server.pace = 100; f.Tick() < tick && !f.Over() && !c.ended; {
		c.host.Tick(c.host.now)
	}
	c.Server.pace = pace
}
