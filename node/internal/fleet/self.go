package fleet

import (
	"strings"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// presents tells the fleet about this server when that is due.
func (s *Service) presents() {
	if now := s.core.Now(); now >= s.present {
		s.present = now + bus.PresentEvery
		s.bus.Do(bus.Present{Server: s.self()})
	}
}

// self returns this server as the others of its fleet see it.
func (s *Service) self() bus.Server {
	h := s.core.Side.Host
	numbers, at := h.Summary(), s.opts.Addresses()
	self := bus.Server{
		Name: s.opts.Joins.Name, Key: s.opts.Own.Public, Address: s.opts.Joins.Advertise, Title: h.Admission.Name, Mission: s.core.Side.Scripts.Mission(),
		Players: numbers.Players, Bots: numbers.Bots, Max: numbers.MaxPlayers, Draining: numbers.Draining, Own: s.own(),
	}
	if self.Address == "" {
		self.Address = s.opts.Reached(at.Game)
	}
	self.Web, _, _ = strings.Cut(at.Link, "#")
	if at.Metrics.IsValid() {
		self.Metrics = s.opts.Reached(at.Metrics)
	}
	for _, m := range h.Mods() {
		self.Mods = append(self.Mods, m.Name)
	}
	return self
}

// own returns what the mods tell about this server. A table that cannot be told is a warning, once
// until it can.
func (s *Service) own() map[string][]byte {
	own, wrong := s.core.Side.Scripts.FleetOwn()
	for _, w := range wrong {
		if s.wrong[w.Mod] != w.Err.Error() {
			s.core.Log.Warn("fleet.own is not told to the fleet: "+w.Err.Error(), "mod", w.Mod)
		}
	}
	clear(s.wrong)
	for _, w := range wrong {
		s.wrong[w.Mod] = w.Err.Error()
	}
	return own
}
