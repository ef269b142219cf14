package picture

import (
	"fmt"
	"slices"
)

// A Shelf has the pictures that a server has promised to a client, and those that it has sent. The
// zero value is an empty one.
type Shelf struct {
	items []*item // in the order of their numbers
	last  uint32  // the newest number
	uses  uint64  // counts calls of Name
	gone  []uint32
	waits bool              // Next has something to do
	turns map[string]uint64 // by mod: its bytes that have been sent, on the clock of all mods
	turn  uint64            // the value of turns of the mod that was served last
}

// item is a picture of a mod.
type item struct {
	mod     string
	picture *Picture
	number  uint32
	sent    int    // bytes
	used    uint64 // when it was named last
}

func (it *item) done() bool { return it.sent == len(it.picture.Data) }

// Name promises a picture of a mod to the client and returns its number. If there is no room,
// pictures go for which open is false: those of the mod with the most bytes first, and of these the
// one that was named longest ago. The error says that those in open forms alone are too many.
func (s *Shelf) Name(mod string, p *Picture, open func(number uint32) bool) (number uint32, err error) {
	s.uses++
	for _, it := range s.items {
		if it.mod == mod && it.picture.Hash == p.Hash {
			it.used = s.uses
			return it.number, nil
		}
	}
	for {
		bytes := s.Bytes()
		if len(s.items) < MaxCount && bytes+len(p.Data) <= MaxAll {
			break
		}
		it := s.idle(mod, len(p.Data), open)
		if it == nil {
			return 0, fmt.Errorf("the open forms of the client have %d pictures with %d bytes already: must be at most %d with %d bytes", len(s.items), bytes, MaxCount, MaxAll)
		}
		s.remove(it)
	}
	s.last++
	s.waits = true
	s.items = append(s.items, &item{mod: mod, picture: p, number: s.last, used: s.uses})
	return s.last, nil
}

// Bytes returns the size of all promised pictures.
func (s *Shelf) Bytes() (n int) {
	for _, it := range s.items {
		n += len(it.picture.Data)
	}
	return n
}

// idle returns the picture that makes room for another one of a mod, or nil.
func (s *Shelf) idle(mod string, more int, open func(uint32) bool) (best *item) {
	bytes := map[string]int{mod: more}
	for _, it := range s.items {
		bytes[it.mod] += len(it.picture.Data)
	}
	for _, it := range s.items {
		if open(it.number) {
			continue
		}
		if best == nil || bytes[it.mod] > bytes[best.mod] || bytes[it.mod] == bytes[best.mod] && it.used < best.used {
			best = it
		}
	}
	return best
}

// remove removes a picture. The client hears of it if it has a part.
func (s *Shelf) remove(it *item) {
	s.items = slices.DeleteFunc(s.items, func(other *item) bool { return other == it })
	if it.sent > 0 {
		s.gone, s.waits = append(s.gone, it.number), true
	}
}

// Next returns the next piece, of at most size bytes, or nil. First comes what the client can
// forget. A picture that is in no open form is not begun. The mods take turns by bytes, and a mod's
// pictures come in the order in which it has named them.
func (s *Shelf) Next(size int, open func(number uint32) bool) *Piece {
	if len(s.gone) > 0 {
		p := &Piece{Number: s.gone[0], Use: Forgotten}
		s.gone = s.gone[1:]
		return p
	}
	s.items = slices.DeleteFunc(s.items, func(it *item) bool { return it.sent == 0 && !open(it.number) })
	it := s.turnOf()
	if it == nil {
		s.turns, s.waits = nil, false // an idle mod collects no credit
		return nil
	}
	data := it.picture.Data[it.sent:]
	data = data[:min(len(data), max(size, 1), MaxPiece)]
	p := &Piece{Number: it.number, Use: More, Data: data}
	if it.sent == 0 {
		p.Use, p.Size, p.Hash = First, len(it.picture.Data), it.picture.Hash
	}
	it.sent += len(data)
	s.serve(it.mod, len(data))
	return p
}

// Waits reports whether Next has something to do.
func (s *Shelf) Waits() bool { return s.waits }

// turnOf returns the picture to send from: of the mod with the fewest bytes sent.
func (s *Shelf) turnOf() (best *item) {
	for _, it := range s.items {
		if !it.done() && (best == nil || s.turns[it.mod] < s.turns[best.mod]) {
			best = it
		}
	}
	return best
}

// serve counts the bytes of a mod. A mod that has just begun to send is as far as the others.
func (s *Shelf) serve(mod string, bytes int) {
	if s.turns == nil {
		s.turns, s.turn = map[string]uint64{}, 0
	}
	s.turn = max(s.turn, s.turns[mod])
	s.turns[mod] = s.turn + uint64(bytes)
}
