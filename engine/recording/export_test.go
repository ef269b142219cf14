package recording

// StateOf returns a state with any entries.
func StateOf(entries []byte) Chunk {
	var p packer
	return Chunk{State: true, First: 1, Last: 1, Body: p.pack(entries), size: len(entries)}
}
