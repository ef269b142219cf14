// Package bitstream packs values into bits and back.
//
// A [Writer] fills a buffer of fixed size. A [Reader] reads values from bytes.
// Both embed a [Codec]. The methods of Codec take pointers and work in both
// directions, so one function describes an item for writing and reading:
//
//	func (d *damage) serialize(s *bitstream.Codec) {
//		if s.Flag(&d.updated) {
//			s.Int(&d.state, 0, 2)
//			s.Float(&d.level, 6)
//		}
//	}
//
// # Layout
//
// The first value is in the lowest bits of the first byte. The lowest bit of a
// value comes first. There is no padding between values.
//
// # Errors
//
// Errors stick. A description can run to its end, and its caller checks Err
// once. After an error nothing is written, and reads return the values of zero
// bits, so a loop over "more" flags ends. A loop over a count that was read must
// check Err in each round.
//
// # Writing what fits
//
// To fill a packet, write an item first and check for an error afterwards:
//
//	m := w.Mark()
//	item.serialize(&w.Codec)
//	if w.Err() != nil {
//		w.Rewind(m) // undo the item
//	}
//
// Limit reserves room for later items.
//
// # Untrusted bytes
//
// A Reader never panics. It compares each length with a maximum and with the
// bits that are left before it allocates. An invalid value fails with ErrRange:
// a ranged integer outside its range, an infinite coordinate, an overlong Var.
//
// # Where to read
//
//	stream.go             the contract of a primitive, and errors
//	writer.go, reader.go  the two directions
//	int.go, golomb.go     integers: of a range, of any size, small ones
//	float.go, vector.go   numbers of a range; directions
//	bytes.go              bytes with a length
//	text.go, code.go      text, as a difference from the previous one, and its code
//	splice.go             bits copied from one buffer to another
package bitstream
