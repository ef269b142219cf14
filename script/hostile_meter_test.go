package script

import "time"

// SetMeter gives scripts limits, a clock and a heap of the test's own.
func (s *Scripts) SetMeter(l Limits, clock func() time.Duration, heap func() uint64) {
	s.cfg.Limits = l.withDefaults()
	s.meter.clock, s.meter.sample = clock, heap
}

// Guards is how many protected calls and coroutines are in progress.
func (s *Scripts) Guards() int { return s.guards }

// ShareProtos lets scripts use what others have compiled.
func (s *Scripts) ShareProtos(p *Protos) { s.protos = p }
