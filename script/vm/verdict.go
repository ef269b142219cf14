package vm

import (
	"hash/fnv"
	"slices"
)

// A Verdict is a decision that the meter made by the machine: by a clock, or by the size of the
// heap. Everything else in a Runtime follows from its inputs. So a Runtime with Config.Foretold
// that learns all verdicts of another one, and gets the same inputs, does the same. It needs no
// clock. With one, it has the usage of time on its own machine.
type Verdict struct {
	Kind VerdictKind
	At   int64 // an instruction count, or the number of a question
	N    int64
}

// A VerdictKind says what a Verdict decides.
type VerdictKind uint8

const (
	VerdictLate  VerdictKind = iota + 1 // elapsed time postpones work; At is the number of the question
	VerdictSlow                         // slow instructions raise the count from At to N
	VerdictTime                         // the limit of N ns ends an entry at the count At
	VerdictHeap                         // the limit of N bytes ends an entry at the count At
	VerdictRoot                         // a limit of the caller is also broken when a nested entry ends at the count At
	VerdictHeld                         // the process holds more heap than it may; At is the number of the fault
	VerdictShare                        // a mod used N percent of a core for a long time; At is the number of the question
	VerdictLarge                        // a result takes more than half of the heap that its entry had left; At is the number of the question
)

// verdicts passes on the verdicts of a meter, or has those of another one.
type verdicts struct {
	report   func(Verdict) // nil: nobody wants them
	foretold bool
	next     []Verdict // not taken yet, oldest first
	late     int64     // questions for the time so far
	held     int64     // faults of memory so far
	judged   int64     // questions for the share of a mod so far
	sized    int64     // questions for the size of a result so far
}

// Foretell adds a verdict, between two calls of scripts. Only a Runtime with Config.Foretold takes
// it.
func (h *Runtime) Foretell(v Verdict) {
	h.meter.verdicts.next = append(h.meter.verdicts.next, v)
}

// Untold returns the foretold verdicts that were not taken, oldest first. There are none after a
// faithful repetition.
func (h *Runtime) Untold() []Verdict { return slices.Clone(h.meter.verdicts.next) }

// decide returns yes, and reports the verdict if it is. A meter with foretold verdicts returns
// whether this one is the next of them.
func (m *meter) decide(kind VerdictKind, at int64, yes bool) bool {
	if m.foretold {
		_, yes = m.take(kind, at)
	} else if yes {
		m.tell(Verdict{Kind: kind, At: at})
	}
	return yes
}

func (d *verdicts) tell(v Verdict) {
	if d.report != nil {
		d.report(v)
	}
}

// take takes the next foretold verdict if it is of this kind and place.
func (m *meter) take(kind VerdictKind, at int64) (v Verdict, ok bool) {
	d := &m.verdicts
	if len(d.next) == 0 || d.next[0].Kind != kind || d.next[0].At != at {
		return v, false
	}
	v, d.next = d.next[0], d.next[1:]
	m.tell(v)
	if m.mod != nil && m.spent == nil {
		m.arm() // the next one can be due soon
	}
	return v, true
}

// checkAt returns the instruction count of the next foretold verdict that a check takes, or
// unlimited. A verdict that was passed waits for ever: this run is not that of its meter.
func (m *meter) checkAt() int64 {
	next := m.verdicts.next
	if len(next) > 0 && next[0].Kind >= VerdictSlow && next[0].Kind <= VerdictHeap && next[0].At >= m.n {
		return next[0].At
	}
	return unlimited
}

// raise raises the instruction count to n because instructions were slow.
func (m *meter) raise(n int64) {
	if n > m.n {
		m.tell(Verdict{VerdictSlow, m.n, n})
		m.lift(n)
	}
}

// followVerdicts does at a check what another meter did at this instruction.
func (m *meter) followVerdicts() *Exhausted {
	if v, ok := m.take(VerdictSlow, m.n); ok {
		m.lift(v.N)
	}
	if v, ok := m.take(VerdictTime, m.n); ok {
		return timeExceeded(v.N)
	}
	if v, ok := m.take(VerdictHeap, m.n); ok {
		return heapExceeded(uint64(v.N))
	}
	return nil
}

// Fingerprint returns a hash of the random numbers of all mods: of where they are in their
// sequences.
func (h *Runtime) Fingerprint() uint64 {
	sum := fnv.New64a()
	for _, m := range h.Mods {
		b, _ := m.State.random.source.MarshalBinary() // a PCG has no error
		_, _ = sum.Write([]byte(m.Name))
		_, _ = sum.Write(b)
	}
	return sum.Sum64()
}
