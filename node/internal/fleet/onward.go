package fleet

import (
	"errors"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script"
)

var errNobody = errors.New("no other server with the same mission is ready")

// Onward returns the order to go to the server to, or to the least full one with the mission of
// this server (engine.Config.Onward). A full server comes last, and is asked all the same: its
// numbers are old, and a refusal costs the player nothing.
func (s *Service) Onward(to string, tried []string, sent func(name string) int) (o engine.TransferOrder, err error) {
	if to != "" {
		if o, err = s.Target(to); err == nil && slices.Contains(tried, o.Name) {
			err = errNobody
		}
		return o, err
	}
	mission := s.core.Side.Scripts.Mission()
	var best *script.FleetServer
	for i := range s.known {
		p := &s.known[i]
		if p.State != stateReady || p.Mission != mission || slices.Contains(tried, p.Name) {
			continue
		}
		if best == nil || fullness(p, sent) < fullness(best, sent) {
			best = p
		}
	}
	if best == nil {
		return o, errNobody
	}
	return s.Target(best.Name)
}

// fullness returns which part of the places of a peer is taken, with those who are sent there.
func fullness(p *script.FleetServer, sent func(name string) int) float64 {
	return float64(p.Max-p.Free+sent(p.Name)) / float64(max(p.Max, 1))
}
