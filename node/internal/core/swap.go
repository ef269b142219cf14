package core

import "github.com/torc-engine/torc/netcore"

// A client that goes to another server has a second side for a while. The first of its Sides plays:
// the program shows its world, and its console gets the lines. Those behind join a server, or have
// left one and tell it. All of them are on the socket of the client, and each has a world, a
// console and mods of its own.

// AddSide adds a side that joins a server while the first one plays.
func (o *Owner) AddSide(s *Side) { o.Sides = append(o.Sides, s) }

// RemoveSide removes a side that does not play, and closes it.
func (o *Owner) RemoveSide(s *Side) {
	o.takeOut(s)
	if s.Closed != nil {
		s.Closed()
	}
}

// takeOut removes a side from those behind the first.
func (o *Owner) takeOut(s *Side) {
	kept := o.Sides[:1:1]
	for _, other := range o.Sides[1:] {
		if other != s {
			kept = append(kept, other)
		}
	}
	o.Sides = kept
}

// Swap lets another side play. The one that has played has left its server. Call it between two
// ticks.
func (o *Owner) Swap(to *Side) {
	from := o.Sides[0]
	o.takeOut(to)
	from.Left = true
	o.Sides = append([]*Side{to}, append(o.Sides[1:], from)...)
}

// removeLeft removes the sides that have told their servers all.
func (o *Owner) removeLeft(now netcore.Time) {
	for _, s := range o.Sides[1:] {
		if s.Left && s.Host.Due(now) == netcore.Never {
			o.RemoveSide(s)
		}
	}
}
