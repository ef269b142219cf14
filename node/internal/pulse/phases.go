package pulse

import (
	"time"

	"github.com/torc-engine/torc/engine"
)

// Phase is a part of the work of a server's loop.
type Phase int

const (
	Receive   Phase                             = iota // opens the packets of the peers
	firstStep                                          // the steps of a tick, in the order of engine.Step
	Send      = firstStep + Phase(engine.Steps)        // fills and seals packets, and sends them
	// PhaseCount is the number of phases.
	PhaseCount = Send + 1
)

// lookTicks is the number of ticks that Look lasts: 4 s.
const lookTicks = 128

// Phases measures how long each phase takes, while somebody looks. Otherwise it reads no clock.
type Phases struct {
	Now   func() time.Duration
	Time  [PhaseCount]time.Duration // since the first Look
	Ticks uint64                    // measured ticks
	left  int                       // ticks to measure
	mark  time.Duration             // end of the phase before
}

// Look measures the ticks of the next 4 s.
func (p *Phases) Look() { p.left = lookTicks }

// Start begins a phase.
func (p *Phases) Start() {
	if p.left > 0 {
		p.mark = p.Now()
	}
}

// End ends a phase. The next one begins.
func (p *Phases) End(phase Phase) {
	if p.left > 0 {
		now := p.Now()
		p.Time[phase] += now - p.mark
		p.mark = now
	}
}

// Step ends a step of a tick. The last step ends the tick.
func (p *Phases) Step(done engine.Step) {
	if p.left > 0 {
		p.End(firstStep + Phase(done))
		if done == engine.Steps-1 {
			p.Ticks++
			p.left--
		}
	}
}

// PhaseNames are the names of the phases for people.
var PhaseNames = [PhaseCount]string{"receive", "inbox", "moves", "simulate", "scripts", "replicate", "send"}
