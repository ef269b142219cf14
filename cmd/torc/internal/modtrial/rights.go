package modtrial

import (
	"slices"

	"github.com/torc-engine/torc/engine"
)

// Roles is part of script.Rights: the roles that a test gave a client, and those that a command gave it.
func (s *stage) Roles(c *engine.Connection) []string {
	roles := slices.Clone(s.admin.Rights().Roles(c))
	for _, a := range s.actors {
		if a != nil && a.Host.Identity().Public == c.Key() {
			roles = append(roles, a.ClientConfig.Roles...)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// May is part of script.Rights: whoever has a role may run every command.
func (s *stage) May(c *engine.Connection, _ string) bool { return len(s.Roles(c)) > 0 }

// Granted is part of script.Rights: a mod is tested with all that it asks for.
func (s *stage) Granted(string, string) bool { return true }

// Grant is part of script.Rights.
func (s *stage) Grant(string, string, bool) error { return nil }

// Grants is part of script.Rights.
func (s *stage) Grants() string { return "" }
