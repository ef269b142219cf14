package voice

import "time"

const (
	// keep is how long a talker keeps its place without a frame.
	keep = 400 * time.Millisecond
	// closer is how much nearer, or louder, a talker must be to take the place of another one.
	// Without it two talkers of the same distance would take turns.
	closer = 1.25
)

// An Offer is a frame that a listener may hear.
type Offer struct {
	Talker   uint32 // of the server
	Owner    string // who pays for the place: the address of the talker
	Channel  Channel
	Distance float32 // metres; counts for Proximity
	Level    int     // Intake.Level
	Size     int     // bytes of the frame
}

// rank returns the class of an offer and its place in the class: lower is more important.
func (o *Offer) rank() (class int, value float32) {
	switch o.Channel {
	case Proximity:
		return 0, o.Distance
	case Team:
		return 1, 1 / float32(1+o.Level)
	}
	return 2, 1 / float32(1+o.Level)
}

// above reports whether an offer is more important than another one. By a margin, it is so by more
// than a little.
func (o *Offer) above(other *Offer, margin float32) bool {
	class, value := o.rank()
	than, old := other.rank()
	return class < than || class == than && margin*value < old
}

// place is the place of a talker at a listener.
type place struct {
	offer Offer // the newest
	at    time.Duration
}

// A Hearing is the talkers that one listener hears, and the share of voices in its line. The zero
// value is ready for use.
type Hearing struct {
	line   Line
	places [Places]place
	n      int
}

// Again reports whether a listener who hears a talker gets so many bytes of it once more.
func (h *Hearing) Again(now time.Duration, bits float64, talker uint32, size int) bool {
	return h.find(talker) >= 0 && h.line.again(now, bits, size)
}

// Admit decides whether a listener hears an offered frame, over a line that carries so many bits/s.
func (h *Hearing) Admit(now time.Duration, bits float64, o *Offer) Drop {
	room := places(bits)
	h.expire(now)
	for h.n > room {
		h.remove(h.worst(func(*Offer) bool { return true }))
	}
	if room == 0 {
		return Narrow
	}
	at := h.find(o.Talker)
	switch {
	case at >= 0:
	case h.n < room:
		at = h.n
		h.n++
	default:
		if at = h.yield(o); at < 0 {
			if room < Places {
				return Narrow
			}
			return Crowded
		}
	}
	h.places[at] = place{*o, now}
	if !h.line.take(now, bits, o.Size, h.n == 1) {
		return Narrow
	}
	return Kept
}

// Talkers returns how many talkers have a place at a time.
func (h *Hearing) Talkers(now time.Duration) int {
	h.expire(now)
	return h.n
}

// expire frees the places of talkers that have stopped.
func (h *Hearing) expire(now time.Duration) {
	for i := h.n - 1; i >= 0; i-- {
		if now-h.places[i].at >= keep {
			h.remove(i)
		}
	}
}

func (h *Hearing) remove(i int) {
	h.n--
	h.places[i] = h.places[h.n]
	h.places[h.n] = place{}
}

func (h *Hearing) find(talker uint32) int {
	for i := range h.n {
		if h.places[i].offer.Talker == talker {
			return i
		}
	}
	return -1
}

// count returns how many places an owner has.
func (h *Hearing) count(owner string) (n int) {
	for i := range h.n {
		if h.places[i].offer.Owner == owner {
			n++
		}
	}
	return n
}

// yield returns the place that a new talker gets, or -1. An owner with two places more makes room
// in any case. Otherwise the less important talker makes room, but never one of an owner with fewer
// places than the new one then has: two owners would take the place from each other for ever.
func (h *Hearing) yield(o *Offer) int {
	own := h.count(o.Owner)
	if at := h.worst(func(p *Offer) bool { return h.count(p.Owner) >= own+2 }); at >= 0 {
		return at
	}
	at := h.worst(func(p *Offer) bool { return p.Owner == o.Owner || h.count(p.Owner) > own })
	if at < 0 || !o.above(&h.places[at].offer, closer) {
		return -1
	}
	return at
}

// worst returns the place of the least important talker among some, or -1.
func (h *Hearing) worst(of func(*Offer) bool) int {
	at := -1
	for i := range h.n {
		if p := &h.places[i].offer; of(p) && (at < 0 || h.places[at].offer.above(p, 1)) {
			at = i
		}
	}
	return at
}
