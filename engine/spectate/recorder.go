package spectate

import (
	"time"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

const (
	chunkTicks  = 16        // ticks of a chunk
	stateTicks  = 312       // ticks between two states: about 10 s
	historySize = 32 << 20  // bytes of all chunks
	maxBlock    = 256 << 10 // bytes of a datablock or class on the wire
)

// A Source is a host whose world is recorded. Its objects have numbers, which can be given again.
type Source interface {
	// Numbers returns one more than the highest number.
	Numbers() uint32
	// ObjectOf returns the object with a number, or nil.
	ObjectOf(number uint32) sim.Object
	// Public reports whether an object is kept from no client.
	Public(o sim.Object) bool
	// Secret returns the groups of an object that are hidden from any client.
	Secret(o sim.Object) (groups uint32)
	// Watch begins to pass an object's groups to Recorder.Group, in this tick all of them. Unwatch
	// ends that.
	Watch(number uint32)
	Unwatch(number uint32)
	// Refresh passes the groups that clients predict.
	Refresh(number uint32)
}

// A Recorder records what spectators of a world may see.
type Recorder struct {
	source  Source
	world   *sim.World
	log     *recording.Log
	history *recording.History
	objects []recorded // by number
	last    uint32     // the newest id
	pending []uint32   // objects that are new or have new rules
	classes int        // declared classes in the log
	key     uint64     // of the newest datablock in the log
	stateAt uint64     // tick of the newest state
	due     bool       // a state must follow, because a chunk is missing
	cuts    []cut      // of the chunks in the history, oldest first
	values  recording.Values
	room    []byte // for descriptions
}

// recorded is an object in a recording.
type recorded struct {
	id    uint32 // in the recording, 0 if it is not there
	fresh uint32 // groups that are not in the log yet
}

// A cut is when a chunk ended.
type cut struct {
	tick uint64
	at   time.Duration
}

// NewRecorder begins a recording after a tick.
func NewRecorder(w *sim.World, s Source, tick uint64) *Recorder {
	r := &Recorder{
		source: s, world: w, log: recording.NewLog(tick), history: recording.NewHistory(historySize), due: true,
		room: make([]byte, maxBlock),
	}
	for n := range s.Numbers() {
		r.Review(n)
	}
	return r
}

// Stop ends the recording.
func (r *Recorder) Stop() {
	for n, e := range r.objects {
		if e.id != 0 {
			r.source.Unwatch(uint32(n))
		}
	}
}

// Review handles an object that is new or has new rules. Nothing is recorded before the end of the
// tick, because a transaction can be rolled back.
func (r *Recorder) Review(number uint32) { r.pending = append(r.pending, number) }

// BeginTick records what the groups of this tick can refer to. It precedes the snapshots of the tick.
func (r *Recorder) BeginTick() {
	r.describe()
	for _, n := range r.pending {
		r.review(n)
	}
	r.pending = r.pending[:0]
}

// describe records new classes and datablocks.
func (r *Recorder) describe() {
	for declared := r.world.Classes().Declared(); r.classes < len(declared); r.classes++ {
		w := bitstream.NewWriter(r.room)
		r.world.Classes().PackClass(w, declared[r.classes])
		r.log.Class(w.Bytes())
	}
	if r.world.Blocks.Newest() == r.key {
		return
	}
	for _, b := range r.world.Blocks.Newer(r.key) {
		w := bitstream.NewWriter(r.room)
		if r.world.Blocks.Pack(w, b, nil); w.Err() == nil {
			r.log.Block(int(b.(sim.Datablock).Data().Index()), w.Bytes())
		}
	}
	r.key = r.world.Blocks.Newest()
}

// review records an object if everybody may see it, and forgets it if not.
func (r *Recorder) review(n uint32) {
	for int(n) >= len(r.objects) {
		r.objects = append(r.objects, recorded{})
	}
	o, e := r.source.ObjectOf(n), &r.objects[n]
	if o == nil {
		return
	}
	class, public := o.Ident().Class(), r.source.Public(o)
	switch {
	case public && e.id == 0:
		if r.last++; r.log.Create(r.last, r.world.Classes().WireID(class)) {
			*e = recorded{r.last, 1<<class.Groups() - 1}
			r.source.Watch(n)
		}
	case !public && e.id != 0:
		r.log.Delete(e.id)
		*e = recorded{}
		r.source.Unwatch(n)
	}
}

// idOf returns the id of an object by its number, 0 if it is not recorded. A number can have belonged to
// another object, and an id cannot.
func (r *Recorder) idOf(n uint64) uint32 {
	if n >= uint64(len(r.objects)) {
		return 0
	}
	return r.objects[n].id
}

// Removed handles an object that leaves the world.
func (r *Recorder) Removed(number uint32) {
	if id := r.idOf(uint64(number)); id != 0 {
		r.objects[number] = recorded{}
		r.log.Delete(id)
	}
}

// Group records a group of an object. References in v are numbers.
func (r *Recorder) Group(number uint32, o sim.Object, group int, changed bool, v recording.Values) {
	if r.idOf(uint64(number)) == 0 {
		return
	}
	e, bit := &r.objects[number], uint32(1)<<group
	if !changed && e.fresh&bit == 0 || r.source.Secret(o)&bit != 0 {
		return
	}
	e.fresh &^= bit
	cells := append(r.values.Cells[:0], v.Cells...)
	if class := o.Ident().Class(); class.Refers(group) {
		for i, c := range class.Cells(group) {
			if c.Kind == sim.CellRef {
				cells[i] = uint64(r.idOf(cells[i]))
			}
		}
	}
	v.Cells = cells
	r.values = v
	r.log.Group(e.id, group, &r.values)
}

// Command records a command to all spectators. Objects that they do not see are nil for them.
func (r *Recorder) Command(name sim.Value, args []sim.Value) error {
	data, err := r.pack(name, args)
	if err == nil {
		r.world.OnCommit(func() { r.log.Command(data) })
	}
	return err
}

// EndTick completes a tick after its snapshots. Spectators get it when it is delay old. It returns false if
// the world is too large for a recording.
func (r *Recorder) EndTick(tick uint64, now, delay time.Duration) (ok bool) {
	state := r.due && r.log.Ticks()+1 >= chunkTicks || tick >= r.stateAt+stateTicks
	if state {
		r.refresh()
	}
	r.log.Tick(tick)
	if !state && r.log.Ticks() < chunkTicks {
		return true
	}
	ok = r.cut(tick, state)
	r.cuts = append(r.cuts, cut{tick, now})
	if until, n := r.until(now, delay); n > 1 {
		r.history.Forget(until)
		r.cuts = append(r.cuts[:0], r.cuts[n-1:]...)
	}
	return ok
}

// refresh records what viewers predict by themselves, for those who begin with the next state. Rules of
// scripts may have changed, too.
func (r *Recorder) refresh() {
	for n := range r.objects {
		r.review(uint32(n))
		if r.objects[n].id != 0 {
			r.source.Refresh(uint32(n))
		}
	}
}

// cut ends a chunk, and adds a state if one is wanted.
func (r *Recorder) cut(tick uint64, state bool) (ok bool) {
	c, ok := r.log.Cut()
	if ok && !r.due {
		r.history.Add(c)
	}
	r.due = r.due || !ok
	if !state && !r.due {
		return true
	}
	r.stateAt = tick
	s, ok := r.log.State()
	if ok {
		r.history.Add(s)
		r.due = false
	}
	return ok
}

// until returns the newest tick that spectators may see, 0 for none, and the number of cuts up to it.
func (r *Recorder) until(now, delay time.Duration) (tick uint64, n int) {
	for n < len(r.cuts) && now-r.cuts[n].at >= delay {
		tick = r.cuts[n].tick
		n++
	}
	return tick, n
}

// Next returns the next chunk for a spectator, if there is one that is old enough.
func (r *Recorder) Next(at *recording.Cursor, now, delay time.Duration) (c recording.Chunk, ok bool) {
	until, _ := r.until(now, delay)
	return r.history.Next(at, until)
}

// Bytes returns the size of the recording.
func (r *Recorder) Bytes() int { return r.history.Bytes() }
