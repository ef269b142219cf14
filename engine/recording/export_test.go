package recording

// StateOf returns a state with any entries.
func StateOf(entries []byte) Chunk {
	var p packer
	return Chunk{State: true, First: 1, Last: 1, Body: p.pack(entries), size: len(entries)}
}

// MaxWaiting is how many bytes a player keeps that wait to be played.
const MaxWaiting = maxWaiting

// Keeps returns the number of objects that a log knows, and the size of its buffer in bytes.
func (l *Log) Keeps() (objects, buffer int) { return len(l.objects), cap(l.entries) }

// Chunks returns the number of chunks that a history holds, and those that are left behind their
// end.
func (h *History) Chunks() (n, behind int) {
	for _, c := range h.chunks[len(h.chunks):cap(h.chunks)] {
		if c.Body != nil {
			behind++
		}
	}
	return len(h.chunks), behind
}
