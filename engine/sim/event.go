package sim

// MaxEvents is the most events that can wait for Deliver.
const MaxEvents = 16384

// An EventDoc documents an event that objects of a class emit with World.Emit: the arguments after
// the object. A subclass can name the event again with other arguments.
type EventDoc struct {
	Name   string
	Params string // as a Method's: "amount: number, source: Object?", with results for a check
	Doc    string // one sentence
}

// A queuedEvent is an emitted event that waits for delivery to scripts.
type queuedEvent struct {
	object Object
	name   string
	args   []Value
	decide func(verdict Value) // of a check, nil for other events
}

// A Checker lets scripts check something before it happens.
type Checker interface {
	// Checks reports whether scripts have a callback of this name for an object.
	Checks(o Object, name string) bool
	// Check runs that callback. verdict is nil if it agrees, false if it refuses or fails, or a
	// value that it puts in place. told is false if there was no time; the check then waits.
	Check(o Object, name string, args []Value) (verdict Value, told bool)
}

// Check calls decide with the verdict of scripts on something that is about to happen to o. Without
// a callback, decide runs at once with nil. Otherwise the check is queued as an event, because
// scripts do not run while objects move. It is dropped, and decide never runs, when Emit would drop
// it and when o is deleted before.
func (w *World) Check(o Object, name string, decide func(verdict Value), args ...Value) {
	if w.Checker == nil || !w.Checker.Checks(o, name) {
		decide(Nil())
		return
	}
	w.emit(queuedEvent{o, name, args, decide})
}

// Emit queues an event of o, for example "onCollision". Scripts receive the events in this order
// after the ticks of all objects, so no state changes while objects still move. Emit does nothing
// for ghosts and while moves are replayed. Events beyond MaxEvents are dropped and counted.
func (w *World) Emit(o Object, name string, args ...Value) { w.emit(queuedEvent{o, name, args, nil}) }

func (w *World) emit(e queuedEvent) {
	switch {
	case e.object.Ident().ghost || w.replaying:
	case len(w.events) >= MaxEvents:
		w.DroppedEvents++
	default:
		e.object = whole(e.object)
		w.events = append(w.events, e)
	}
}

// Deliver calls do with each queued event, including events emitted meanwhile. If do returns false,
// the event keeps its place in the queue for the next call. Events of dead objects are dropped.
// Checks run in their place between the events.
func (w *World) Deliver(do func(o Object, name string, args []Value) bool) {
	rest := 0
	for n := 0; n < len(w.events); n++ {
		e := w.events[n]
		if !e.object.Ident().Alive() {
			continue
		}
		told := false
		if e.decide == nil {
			told = do(e.object, e.name, e.args)
		} else {
			told = w.check(e)
		}
		if !told {
			w.events[rest] = e
			rest++
		}
	}
	clear(w.events[rest:])
	w.events = w.events[:rest]
}

// check runs a queued check. It reports false if the check has to wait.
func (w *World) check(e queuedEvent) bool {
	verdict, told := w.Checker.Check(e.object, e.name, e.args)
	if told && e.object.Ident().Alive() {
		e.decide(verdict)
	}
	return told
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
