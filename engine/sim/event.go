package sim

// MaxEvents is how many events may wait to be told.
const MaxEvents = 16384

// An Event is something that a class's objects tell of by World.Emit, as people read it: which arguments come after the
// object. A class that names an event anew has other arguments for it.
type Event struct {
	Name   string
	Params string // as a Method's: "amount: number, source: Object?"
	Doc    string // one sentence
}

// A happening is something that has happened to an object and scripts may care for.
type happening struct {
	object Object
	name   string
	args   []Value
}

// Emit notes that something has happened to o, as in "onCollision". Scripts are
// told after the ticks of all objects, in this order, so that nothing changes
// under those who are still moving. Nothing happens to ghosts, or while moves are
// replayed. What is more than MaxEvents is dropped and counted.
func (w *World) Emit(o Object, name string, args ...Value) {
	switch {
	case o.Ident().ghost || w.replaying:
	case len(w.events) >= MaxEvents:
		w.LostEvents++
	default:
		w.events = append(w.events, happening{o, name, args})
	}
}

// Deliver calls do with each event that waits, those that come meanwhile among
// them; where it returns false the event waits for the next call, in its place.
// Of objects that are dead by then nothing is told.
func (w *World) Deliver(do func(o Object, name string, args []Value) bool) {
	rest := 0
	for n := 0; n < len(w.events); n++ {
		if e := w.events[n]; e.object.Ident().Alive() && !do(e.object, e.name, e.args) {
			w.events[rest] = e
			rest++
		}
	}
	clear(w.events[rest:])
	w.events = w.events[:rest]
}

// Replay calls do while moves are done a second time: what they tell was told.
func (w *World) Replay(do func()) {
	w.replaying = true
	defer func() { w.replaying = false }()
	do()
}

// Replaying reports whether moves are being done a second time, so that sounds
// and shots, which happened, do not happen again.
func (w *World) Replaying() bool { return w.replaying }
