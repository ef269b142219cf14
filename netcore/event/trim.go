package event

// A burst of events makes the memory of a stream grow. trim frees what was not needed since the
// last trim, so that the many connections of a server hold little. A stream with steady traffic
// keeps its memory, and allocates nothing.
func (e *Stream) trim() {
	for i := range e.channel {
		e.channel[i].trim()
	}
	for i := range e.unordered {
		e.unordered[i].trim()
	}
	if e.mortal != nil {
		for i := range e.mortal {
			e.mortal[i].trim()
		}
	}
	for i := range e.incoming {
		e.incoming[i].trim()
	}
	e.packets.carriers.Trim()
	e.packets.ordered.Trim()
	e.packets.unordered.trim()
	e.free.trim()
}
