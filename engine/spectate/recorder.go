package spectate

import (
	"slices"
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
	// ObjectOf returns the object with a number, or nil. NumberOf returns the number of an object,
	// or 0.
	ObjectOf(number uint32) sim.Object
	NumberOf(o sim.Object) uint32
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
	// Repeat passes groups in this tick, or the next one, whether they change or not.
	Repeat(number uint32, groups uint32)
	// EachReferrer calls do with each group that refers to an object.
	EachReferrer(number uint32, do func(by uint32, group int))
}

// A Recorder records what spectators of a world may see, or all of a world for a file.
type Recorder struct {
	source  Source
	world   *sim.World
	log     *recording.Log
	sink    func(recording.Chunk) // gets the chunks of a demo; nil: the history does
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
	calls   []call // of this tick
	failed  bool   // the last state was too large
	short   bool   // the history is shorter than the delay
}

// A call is a command to all spectators.
type call struct {
	name sim.Value
	args []sim.Value
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

// NewRecorder begins a recording with the next tick.
func NewRecorder(w *sim.World, s Source) *Recorder {
	return &Recorder{source: s, world: w, history: recording.NewHistory(historySize), due: true, room: make([]byte, maxBlock)}
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

// BeginTick records what the groups of a tick can refer to. It precedes the snapshots of the tick.
func (r *Recorder) BeginTick(tick uint64) {
	if r.log == nil {
		r.log = recording.NewLog(tick - 1)
		for n := range r.source.Numbers() {
			r.Review(n)
		}
	}
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
		w, data := bitstream.NewWriter(r.room), b.(sim.Datablock).Data()
		if r.world.Blocks.Pack(w, b, nil); w.Err() == nil {
			r.log.Block(int(data.Index()), w.Bytes())
		}
		r.key = data.Key() // a client can have known higher ones of another server
	}
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
			r.source.EachReferrer(n, r.repeat)
		}
	case public && e.fresh&^r.source.Secret(o) != 0:
		r.source.Repeat(n, e.fresh)
	case !public && e.id != 0:
		r.log.Delete(e.id)
		*e = recorded{}
		r.source.Unwatch(n)
	}
}

// repeat records a group again.
func (r *Recorder) repeat(n uint32, group int) {
	if r.idOf(uint64(n)) != 0 {
		r.objects[n].fresh |= 1 << group
		r.source.Repeat(n, 1<<group)
	}
}

// idOf returns the id of an object by its number, 0 if it is not recorded. A number can have
// belonged to another object, and an id cannot.
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
	switch {
	case !changed && e.fresh&bit == 0:
		return
	case r.source.Secret(o)&bit != 0:
		e.fresh |= bit // until it is shown
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

// Command records a command to all spectators, at the end of the tick. Objects that they do not see
// are nil for them.
func (r *Recorder) Command(name sim.Value, args []sim.Value) error {
	if err := checkCommand(name, args); err != nil {
		return err
	}
	c := call{name, slices.Clone(args)}
	r.world.OnCommit(func() { r.calls = append(r.calls, c) })
	return nil
}

// Keep records a command whose effect lasts until the next one with its key: a playback that begins
// later runs it too. It does nothing before the first tick.
func (r *Recorder) Keep(key string, name sim.Value, args []sim.Value) {
	if r.log != nil && checkCommand(name, args) == nil {
		r.log.Keep(key, r.pack(name, args))
	}
}

// Voice records a frame of a player's voice. v.Object is the number of the object that the player
// controls, or 0. A frame with near is heard only where that object is seen, so it is not recorded
// without the object.
func (r *Recorder) Voice(v recording.Voice, near bool) {
	v.Object = r.idOf(uint64(v.Object))
	if r.log != nil && (v.Object != 0 || !near) {
		r.log.Voice(&v)
	}
}

// EndTick completes a tick after its snapshots. Spectators get it when it is delay old. It returns
// false, once, if the world is too large for a recording of that length.
func (r *Recorder) EndTick(tick uint64, now, delay time.Duration) (ok bool) {
	for _, c := range r.calls {
		r.log.Command(r.pack(c.name, c.args))
	}
	r.calls = clearOf(r.calls)
	state := r.due && !r.failed && (r.sink != nil || r.log.Ticks()+1 >= chunkTicks) || tick >= r.stateAt+stateTicks
	if state {
		r.refresh()
	}
	r.log.Tick(tick)
	if !state && r.log.Ticks() < chunkTicks {
		return true
	}
	failed := r.failed
	dropped := r.cut(tick, state)
	if r.sink != nil {
		return !r.failed || failed
	}
	r.cuts = append(r.cuts, cut{tick, now})
	until, n := r.until(now, delay)
	if n > 1 {
		// Spectators who follow have the chunks up to the cut before, and get the newest one after
		// this tick.
		r.history.Forget(r.cuts[n-2].tick)
		r.cuts = append(r.cuts[:0], r.cuts[n-1:]...)
	}
	short := dropped && !r.history.Covers(until)
	ok = !(r.failed && !failed || short && !r.short)
	r.short = r.short && dropped || short
	return ok
}

// refresh records what viewers predict by themselves, for those who begin with the next state.
// Rules of scripts may have changed, too.
func (r *Recorder) refresh() {
	for n := range r.objects {
		r.review(uint32(n))
		if r.objects[n].id != 0 {
			r.source.Refresh(uint32(n))
		}
	}
}

// cut ends a chunk, and adds a state if one is wanted. It reports whether the history has dropped
// chunks for them.
func (r *Recorder) cut(tick uint64, state bool) (dropped bool) {
	if r.due && !state {
		r.log.Drop() // nobody could play it
		return false
	}
	c, ok := r.log.Cut()
	if ok && !r.due {
		dropped = r.add(c)
	}
	r.due = r.due || !ok
	if !state && !r.due {
		return dropped
	}
	r.stateAt = tick
	s, ok := r.log.State()
	if r.failed = !ok; ok {
		dropped = r.add(s) || dropped
		r.due = false
	}
	return dropped
}

// add passes a chunk on. It reports whether the history has dropped chunks for it.
func (r *Recorder) add(c recording.Chunk) (dropped bool) {
	if r.sink != nil {
		r.sink(c)
		return false
	}
	return r.history.Add(c)
}

// until returns the newest tick that spectators may see, 0 for none, and the number of cuts up to
// it.
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
