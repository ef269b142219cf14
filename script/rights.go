package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
)

// Rights is who may do what beyond playing; the edge keeps it. Roles belong to the keys of clients, permissions to the
// names of mods: an operator can give them before either is there.
type Rights interface {
	// Roles are the roles of a client, sorted.
	Roles(c *engine.Connection) []string
	// May reports whether one of its roles lets a client run a console command from the chat.
	May(c *engine.Connection, command string) bool
	// Granted reports whether a mod has a permission, as "console.kick".
	Granted(mod, permission string) bool
	// Grant gives a permission or takes it back. Its error says that it cannot be kept.
	Grant(mod, permission string, on bool) error
	// Grants lists all permissions, one per line: MOD PERMISSION.
	Grants() string
}

// admin is the role that counts as every other.
const admin = "admin"

// hasRole reports whether a client has a role.
func (s *Scripts) hasRole(c *engine.Connection, role string) bool {
	for _, r := range s.rights.Roles(c) {
		if r == role || r == admin {
			return true
		}
	}
	return false
}

// granted is Rights that nobody keeps: permissions as "mod permission", and no roles.
type granted map[string]bool

func (g granted) Roles(*engine.Connection) []string   { return nil }
func (g granted) May(*engine.Connection, string) bool { return false }
func (g granted) Granted(mod, permission string) bool { return g[mod+" "+permission] }

func (g granted) Grant(mod, permission string, on bool) error {
	if !on {
		delete(g, mod+" "+permission)
		return nil
	}
	g[mod+" "+permission] = true
	return nil
}

func (g granted) Grants() string { return strings.Join(slices.Sorted(maps.Keys(g)), "\n") }
