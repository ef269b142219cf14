package trials

import (
	"slices"

	"github.com/torc-engine/torc/engine"
)

// Roles is part of script.Rights: those that a test has given a client.
func (s *stage) Roles(c *engine.Connection) []string {
	for _, a := range s.actors {
		if a != nil && a.Host.Identity().Public == c.Key() {
			return slices.Sorted(slices.Values(a.Entrant.Roles))
		}
	}
	return nil
}

// May is part of script.Rights: whoever has a role may run every command.
func (s *stage) May(c *engine.Connection, _ string) bool { return len(s.Roles(c)) > 0 }

// Granted is part of script.Rights: a mod is tested with all that it asks for.
func (s *stage) Granted(string, string) bool { return true }

// Grant is part of script.Rights.
func (s *stage) Grant(string, string, bool) error { return nil }

// Grants is part of script.Rights.
func (s *stage) Grants() string { return "" }
