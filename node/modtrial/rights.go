package modtrial

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
)

// Roles is part of script.Rights. A client has roles from its test and from role.give.
func (s *testServer) Roles(c *engine.Connection) []string {
	roles := slices.Clone(s.admin.Rights().Roles(c))
	for _, a := range s.actors {
		if a != nil && a.Host.Identity().Public == c.Key() {
			roles = append(roles, a.ActorConfig.Roles...)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// May is part of script.Rights. A client with any role can run every command.
func (s *testServer) May(c *engine.Connection, _ string) bool { return len(s.Roles(c)) > 0 }

// Muted is part of script.Rights. The command mute decides.
func (s *testServer) Muted(c *engine.Connection) string { return s.admin.Rights().Muted(c) }

// Granted is part of script.Rights. A mod under test has all permissions of its manifest. The name
// of a revoked permission begins with an exclamation mark.
func (s *testServer) Granted(_, permission string) bool { return !strings.HasPrefix(permission, "!") }

// Grant is part of script.Rights.
func (s *testServer) Grant(string, string, bool) error { return nil }

// Grants is part of script.Rights.
func (s *testServer) Grants() string { return "" }
