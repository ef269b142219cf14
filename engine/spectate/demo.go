package spectate

import (
	"errors"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
)

// A Demo records a host for a file: of a server all of its world, of a client all that it sees.
// Every tick has all values, also those that ghosts compute by themselves, so a playback computes
// none. The methods of a nil Demo do nothing.
type Demo struct {
	*Recorder
	sink   Sink
	ghosts *ghosts // of a client; nil: the world is the host's own
	failed error   // why it must end
	begun  bool
	reader groupReader
}

// A Sink takes the recording of a Demo.
type Sink struct {
	// Begun is called in the first tick: from now on Keep works. It can be nil.
	Begun func()
	// Chunk takes the next bytes. They belong to the sink. An error ends the recording.
	Chunk func(data []byte) error
	// Ended is called when the recording has ended. why is nil if that was asked for.
	Ended func(why error)
}

var (
	errLarge = errors.New("the world is too large for a recording")
	errLeft  = errors.New("the connection has ended")
)

// NewDemo begins a recording of a server with the next tick.
func NewDemo(w *sim.World, s Source, sink Sink) *Demo {
	d := &Demo{sink: sink}
	d.Recorder = NewRecorder(w, everything{s, d})
	d.Recorder.sink = d.take
	return d
}

// NewClientDemo begins a recording of the ghosts in a group with the next tick.
func NewClientDemo(w *sim.World, group *sim.Group, sink Sink) *Demo {
	g := newGhosts(group)
	d := &Demo{Recorder: NewRecorder(w, g), sink: sink, ghosts: g}
	d.Recorder.sink = d.take
	return d
}

// take passes a chunk to the sink.
func (d *Demo) take(c recording.Chunk) {
	if d.failed == nil {
		d.failed = d.sink.Chunk(c.Bytes())
	}
}

// Of reports whether it records the ghosts in a group.
func (d *Demo) Of(group *sim.Group) bool {
	return d != nil && d.ghosts != nil && d.ghosts.group == group
}

// Told records a command that a server has sent to a client. group has the ghosts of the server.
func (d *Demo) Told(group *sim.Group, name string, args []sim.Value) {
	if d.Of(group) {
		_ = d.Command(sim.Tag(name), args) // what the server could send is within the limits
	}
}

// Heard records a frame of voice of the player who controls o, or of nobody whom the client sees.
func (d *Demo) Heard(group *sim.Group, v recording.Voice, o sim.Object) {
	if !d.Of(group) {
		return
	}
	if o != nil {
		v.Object = d.ghosts.NumberOf(o)
	}
	d.Voice(v, false)
}

// Drift records groups of an object of a server that ghosts compute by themselves.
func (d *Demo) Drift(number uint32, o sim.Object, groups uint32) {
	if d != nil && d.ghosts == nil && d.log != nil {
		d.groups(number, o, groups)
	}
}

// groups records the present values of groups.
func (d *Demo) groups(number uint32, o sim.Object, groups uint32) {
	for g := range o.Ident().Class().Groups() {
		if groups>>g&1 == 0 {
			continue
		}
		if v, ok := d.reader.read(o, g, d.number); ok {
			d.Group(number, o, g, true, v)
		}
	}
}

// number returns the number of the object with an id, or 0.
func (d *Demo) number(id sim.ID) uint32 {
	if o := d.world.Find(id); o != nil {
		return d.source.NumberOf(o)
	}
	return 0
}

// Gone handles an object that leaves the world of a client.
func (d *Demo) Gone(o sim.Object) {
	if d != nil && d.ghosts != nil {
		if n := d.ghosts.remove(o); n != 0 {
			d.Removed(n)
		}
	}
}

// Record records a tick of a client. own is the object that it controls, or nil. It sees it in
// first person or not, with a field of view in degrees. Record returns false if the recording must
// end.
func (d *Demo) Record(tick uint64, own sim.Object, firstPerson bool, fov int) (more bool) {
	if d == nil {
		return true
	}
	d.ghosts.eachNew(d.Review)
	d.BeginTick(tick)
	for n, o := range d.ghosts.objects {
		if o != nil {
			d.groups(uint32(n), o, 1<<32-1)
		}
	}
	v := recording.View{FirstPerson: firstPerson, FOV: fov}
	if own != nil {
		v.Object = d.idOf(uint64(d.ghosts.NumberOf(own)))
	}
	d.log.View(v)
	return d.Complete(tick)
}

// Complete completes a tick. It returns false if the recording must end.
func (d *Demo) Complete(tick uint64) (more bool) {
	if d == nil {
		return true
	}
	if !d.begun {
		d.begun = true
		if d.sink.Begun != nil {
			d.sink.Begun()
		}
	}
	if !d.EndTick(tick, 0, 0) {
		d.failed = errLarge
	}
	return d.failed == nil
}

// End ends the recording, because the connection of a client has ended, because somebody has asked
// for it, or because it must end.
func (d *Demo) End(left bool) {
	if d.log != nil && !d.due && d.log.Ticks() > 0 {
		if c, ok := d.log.Cut(); ok {
			d.take(c)
		}
	}
	d.Stop()
	if d.failed == nil && left {
		d.failed = errLeft
	}
	d.sink.Ended(d.failed)
}

// everything is a world with all that is hidden from clients.
type everything struct {
	Source
	demo *Demo
}

func (everything) Public(sim.Object) bool            { return true }
func (everything) Secret(sim.Object) (groups uint32) { return 0 }

// Refresh records all groups. So a change that nobody has marked is in the next state.
func (e everything) Refresh(number uint32) {
	if o := e.ObjectOf(number); o != nil {
		e.demo.groups(number, o, 1<<32-1)
	}
}
