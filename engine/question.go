package engine

// Scripts may deny a peer the knowledge of an object (Scripts.InScope). They
// are asked by the owner, when an object comes near and then every scopeStay
// ticks at most, and their answer is kept as a bit of the entry. What they
// have not been asked about yet, for want of time, stays as it is: unknown to
// the peer if it is new.

// questionShare is how many questions of a connection are asked in a row, so
// that one with many does not keep the others waiting.
const questionShare = 64

// mustAsk reports whether the scripts' answer about an entry is missing or old.
func (v *sight) mustAsk(e *entry) bool {
	s := v.scope
	return s.bodies[e.number].silent <= s.tick && !v.isCamera(e.number) &&
		(e.asked == 0 || s.tick-e.asked >= scopeStay)
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
	if s.bodies[n].silent <= s.tick {
		visible, thought = s.host.scripts.InScope(s.sources[n].object, v.conn)
		if !thought {
			s.bodies[n].silent = s.tick + scopeStay
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
