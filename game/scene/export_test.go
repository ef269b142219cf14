package scene

// Decoded returns the number of decoded looks that a reader keeps.
func Decoded(r *Reader) int { return len(r.looks) }
