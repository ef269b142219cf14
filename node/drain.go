package node

import "time"

// Drain lets the server end without its players, within most time: it takes nobody in, sends the
// players on, and Run returns nil when nobody is left. The clients that are still there at the end
// are told to come back. The command drain does the same and can be undone; this cannot. A drain
// that runs keeps the earlier of the two ends, and the server to which its players go. Call it on
// the goroutine of Run.
func (s *Server) Drain(most time.Duration) error {
	if d := &s.core.Side.Host.Drain; d.On() {
		most = min(most, d.Left())
	}
	s.rec.Set(drain, most.String())
	defer s.rec.Done()
	return s.core.Side.Host.Drain.Begin(most, "", true)
}

// Draining reports whether the server takes nobody in, and ends soon. Call it on the goroutine of
// Run.
func (s *Server) Draining() bool { return s.core.Side.Host.Drain.On() }

// drained ends the server when its drain is over. It runs before each tick, so a replay has the end
// in its journal.
func (s *Server) drained() {
	switch d := &s.core.Side.Host.Drain; {
	case !d.Over() || s.core.Ending():
	case d.Again():
		s.Restart("")
	default:
		s.core.Leave("")
	}
}
