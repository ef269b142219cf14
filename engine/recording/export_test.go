package recording

// StateOf returns a state with any entries.
func StateOf(entries []byte) Chunk {
	var p packer
	return Chunk{State: true, First: 1, Last: 1, Body: p.pack(entries), size: len(entries)}
}

// MaxWaiting is how many bytes a player keeps that wait to be played.
const MaxWaiting = maxWaiting
