package engine

import "github.com/torc-engine/torc/engine/sim"

// Scripts may deny a peer the knowledge of an object (Scripts.InScope). They
// are asked by the owner, when an object comes near and then every scopeStay
// ticks at most, and their answer is kept as a bit of the entry. What they
// have not been asked about yet, for want of time, stays as it is: unknown to
// the peer if it is new.

// questionShare is how many questions of a connection are asked in a row, so
// that one with many does not keep the others waiting.
const questionShare = 64

// A kind is a class as far as questions go. Of most no script has anything to
// say, which need not be found out object by object.
type kind struct {
	silent uint32 // no script has anything to say before this tick
	sample uint32 // number of an object of the class
}

// kind finds the kind of an object, which is the number of its class on the
// wire, and makes the object its sample.
func (s *scope) kind(n uint32, o sim.Object) uint16 {
	at := s.host.world.Classes().WireID(o.Ident().Class())
	for at >= len(s.kinds) {
		s.kinds = append(s.kinds, kind{})
	}
	s.kinds[at].sample = n
	return uint16(at)
}

// listen finds out, for the classes that no script had anything to say about,
// whether that is so still.
func (s *scope) listen() {
	for i := range s.kinds {
		k := &s.kinds[i]
		if k.silent == 0 || k.silent > s.tick || len(s.host.conns) == 0 {
			continue
		}
		n := k.sample
		if b := &s.bodies[n]; b.flags&bodyHere == 0 || int(b.kind) != i {
			continue
		}
		if _, asked := s.host.scripts.InScope(s.sources[n].object, s.host.conns[0]); !asked {
			s.kinds[i].silent = s.tick + scopeStay
		}
	}
}

// mustAsk reports whether the scripts' answer about an entry is missing or old.
func (v *sight) mustAsk(e *entry) bool {
	s := v.scope
	if s.kinds[e.kind].silent > s.tick {
		e.hidden = false
		return false
	}
	return (e.asked == 0 || s.tick-e.asked >= scopeStay) && !v.isCamera(e.number)
}

// hides reports whether the scripts' answer about an entry was no, and matters.
func (v *sight) hides(e *entry) bool { return e.hidden && !v.isCamera(e.number) }

// unasked reports whether scripts may want to hide an entry and were not asked
// yet.
func (v *sight) unasked(e *entry) bool {
	return e.asking && e.asked == 0 && !v.isCamera(e.number)
}

// question puts an entry on the list of what scripts are to be asked about.
func (v *sight) question(e *entry) {
	if !e.asking {
		e.asking = true
		v.asks = append(v.asks, e.number)
	}
}

// ask asks the scripts, as far as there is time for it in this tick, each
// connection a little in its turn.
func (s *scope) ask() {
	conns := s.host.conns
	if len(conns) == 0 {
		return
	}
	s.turn = (s.turn + 1) % len(conns)
	questions, glances := scopeQuestions, scopeGlances
	for more := true; more; {
		more = false
		for i := range conns {
			v := &conns[(s.turn+i)%len(conns)].sight
			if v.askSome(&questions, &glances); questions <= 0 || glances <= 0 || s.host.scripts.Busy() {
				return
			}
			more = more || len(v.asks) > 0
		}
	}
}

// askSome asks the connection's oldest questions, and takes what that costs
// from what is left.
func (v *sight) askSome(questions, glances *int) {
	n := 0
	for ; n < min(questionShare, len(v.asks)) && *questions > 0 && *glances > 0; n++ {
		*glances--
		if v.askAbout(v.asks[n]) {
			*questions--
		}
	}
	n = min(n, len(v.asks)) // a script may have reset the connection
	v.asks = v.asks[:copy(v.asks, v.asks[n:])]
}

// askAbout asks about one object and reports whether a script had to think.
// Scripts may do anything meanwhile, so no entry is held across the question.
func (v *sight) askAbout(n uint32) (thought bool) {
	s := v.scope
	if at := v.where(n); at < 0 || !v.entries[at].asking {
		return false
	}
	visible := true
	if kind := s.bodies[n].kind; s.kinds[kind].silent <= s.tick {
		visible, thought = s.host.scripts.InScope(s.sources[n].object, v.conn)
		if !thought {
			s.kinds[kind].silent = s.tick + scopeStay
		}
	}
	at := v.where(n)
	if at < 0 {
		return thought
	}
	e := &v.entries[at]
	e.asked, e.asking, e.hidden = s.tick, false, thought && !visible
	if e.seen == v.serial {
		v.settle(at)
	}
	return thought
}
