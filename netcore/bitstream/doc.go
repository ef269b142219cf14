// Package bitstream packs values into bits and back.
//
// A [Writer] fills a buffer of fixed size, a [Reader] takes bytes apart. Both
// embed a [Stream], whose methods take pointers and go either way, so an item
// is described once:
//
//	func (d *damage) serialize(s *bitstream.Stream) {
//		if s.Flag(&d.updated) {
//			s.Int(&d.state, 0, 2)
//			s.Float(&d.level, 6)
//		}
//	}
//
// # Layout
//
// The first value is in the lowest bits of the first byte; a value's lowest bit
// comes first. There is no padding between values.
//
// # Errors
//
// Errors stick: a description runs to its end whatever happens, and whoever
// called it looks at Err once. After an error nothing is written, and reads
// give what zero bits would give, so a loop over "more" flags ends with the bits.
// A count that was read is no bound for a loop: look at Err in it.
//
// # Writing what fits
//
// The way to fill a packet is to write first and look afterwards:
//
//	m := w.Mark()
//	item.serialize(&w.Stream)
//	if w.Err() != nil {
//		w.Rewind(m) // as if it had not been tried
//	}
//
// Limit keeps room for what must follow.
//
// # Untrusted bytes
//
// A Reader never panics and never allocates by a number it was told: lengths
// are held against a maximum and against the bits that are left. What is no value
// of the kind (a ranged integer outside its range, an infinite coordinate, an
// overlong Var) fails with ErrRange.
package bitstream
