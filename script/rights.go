package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
)

// Rights stores roles and permissions. The program around the engine implements it. Roles belong to
// the keys of clients, permissions to the names of mods, so an operator can grant either in
// advance.
type Rights interface {
	// Roles returns the roles of a client, sorted.
	Roles(c *engine.Connection) []string
	// May reports whether a role of the client allows it to run a console command from the chat.
	May(c *engine.Connection, command string) bool
	// Granted reports whether a mod has a permission such as "console.kick".
	Granted(mod, permission string) bool
	// Grant grants or revokes a permission. It returns an error if the change cannot be saved.
	Grant(mod, permission string, on bool) error
	// Grants lists all permissions, one per line: MOD PERMISSION.
	Grants() string
}

// adminRole is the role that satisfies every role check.
const adminRole = "admin"

// hasRole reports whether a client has a role.
func (s *Scripts) hasRole(c *engine.Connection, role string) bool {
	for _, r := range s.rights.Roles(c) {
		if r == role || r == adminRole {
			return true
		}
	}
	return false
}

// memoryRights implements Rights in memory: permissions as "mod permission", and no roles.
type memoryRights map[string]bool

func (g memoryRights) Roles(*engine.Connection) []string   { return nil }
func (g memoryRights) May(*engine.Connection, string) bool { return false }
func (g memoryRights) Granted(mod, permission string) bool { return g[mod+" "+permission] }

func (g memoryRights) Grant(mod, permission string, on bool) error {
	if !on {
		delete(g, mod+" "+permission)
		return nil
	}
	g[mod+" "+permission] = true
	return nil
}

func (g memoryRights) Grants() string { return strings.Join(slices.Sorted(maps.Keys(g)), "\n") }
