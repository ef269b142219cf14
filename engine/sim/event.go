package sim

// MaxEvents is the most events that can wait for Deliver.
const MaxEvents = 16384

// An EventDoc documents an event that objects of a class emit with World.Emit: the arguments after
// the object. A subclass can name the event again with other arguments.
type EventDoc struct {
	Name   string
	Params string // as a Method's: "amount: number, source: Object?"
	Doc    string // one sentence
}

// A queuedEvent is an emitted event that waits for delivery to scripts.
type queuedEvent struct {
	object Object
	name   string
	args   []Value
}

// Emit queues an event of o, for example "onCollision". Scripts receive the events in this order
// after the ticks of all objects, so no state changes while objects still move. Emit does nothing
// for ghosts and while moves are replayed. Events beyond MaxEvents are dropped and counted.
func (w *World) Emit(o Object, name string, args ...Value) {
	switch {
	case o.Ident().ghost || w.replaying:
	case len(w.events) >= MaxEvents:
		w.DroppedEvents++
	default:
		w.events = append(w.events, queuedEvent{o, name, args})
	}
}

// Deliver calls do with each queued event, including events emitted meanwhile. If do returns false,
// the event keeps its place in the queue for the next call. Events of dead objects are dropped.
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

// Replay calls do while moves are applied again. Events that they emit are dropped, because the
// first run emitted them.
func (w *World) Replay(do func()) {
	w.replaying = true
	defer func() { w.replaying = false }()
	do()
}

// Replaying reports whether moves are being applied again. Sounds and shots of the first run must
// not repeat.
func (w *World) Replaying() bool { return w.replaying }
