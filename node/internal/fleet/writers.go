package fleet

import (
	"container/heap"
	"container/list"
)

// writers are the servers that have written entries of the lists of a fleet, as far as that is
// true. The first one has the most of them.
type writers struct {
	byName map[string]*writer
	heap   []*writer
}

// A writer has written entries.
type writer struct {
	name    string
	entries []*admitted
	due     *list.List    // of *admitted: they wait for its turn
	turn    *list.Element // its place among those with a turn; nil: it has none
	at      int           // its index in the heap; -1: it has no entries
}

func newWriters() *writers { return &writers{byName: map[string]*writer{}} }

// named returns the writer with a name.
func (w *writers) named(name string) *writer {
	of := w.byName[name]
	if of == nil {
		of = &writer{name: name, due: list.New(), at: -1}
		w.byName[name] = of
	}
	return of
}

// most returns the writer with the most entries. There must be one.
func (w *writers) most() *writer { return w.heap[0] }

// enter gives an entry to a writer.
func (w *writers) enter(of *writer, e *admitted) {
	e.of, e.at = of, len(of.entries)
	of.entries = append(of.entries, e)
	if of.at < 0 {
		heap.Push(w, of)
		return
	}
	heap.Fix(w, of.at)
}

// tidy forgets a writer that has nothing.
func (w *writers) tidy(of *writer) {
	if len(of.entries) == 0 && of.due.Len() == 0 && w.byName[of.name] == of {
		delete(w.byName, of.name)
	}
}

// leave takes an entry away from its writer.
func (w *writers) leave(e *admitted) {
	of, last := e.of, e.of.entries[len(e.of.entries)-1]
	of.entries[e.at], last.at = last, e.at
	of.entries = of.entries[:len(of.entries)-1]
	e.of = nil
	if len(of.entries) > 0 {
		heap.Fix(w, of.at)
		return
	}
	heap.Remove(w, of.at)
	w.tidy(of)
}

// Len is part of heap.Interface.
func (w *writers) Len() int { return len(w.heap) }

// Less is part of heap.Interface. Of two with as many entries, the name decides.
func (w *writers) Less(i, j int) bool {
	a, b := w.heap[i], w.heap[j]
	return len(a.entries) > len(b.entries) || len(a.entries) == len(b.entries) && a.name < b.name
}

// Swap is part of heap.Interface.
func (w *writers) Swap(i, j int) {
	w.heap[i], w.heap[j] = w.heap[j], w.heap[i]
	w.heap[i].at, w.heap[j].at = i, j
}

// Push is part of heap.Interface.
func (w *writers) Push(x any) {
	of := x.(*writer)
	of.at = len(w.heap)
	w.heap = append(w.heap, of)
}

// Pop is part of heap.Interface.
func (w *writers) Pop() any {
	of := w.heap[len(w.heap)-1]
	w.heap = w.heap[:len(w.heap)-1]
	of.at = -1
	return of
}
