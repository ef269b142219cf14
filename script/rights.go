package script

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/manifest"
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

// A mod has a permission if its manifest requests it and the operator has granted it.

// permission is the syntax of one permission. There are no wildcards.
var permission = regexp.MustCompile(`^console(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// checkPermission returns nil if the mod can run a console command, else the reason. The console can run
// every command.
func (x *binding) checkPermission(name string) error {
	wanted := "console." + name
	switch {
	case manifestOf(x.mod) == nil:
		return nil
	case !slices.Contains(manifestOf(x.mod).Permissions, wanted):
		return fmt.Errorf("mod %s has no permission %s: its mod.toml does not request it", x.mod.Name, wanted)
	case !x.scripts.rights.Granted(x.mod.Name, wanted):
		return fmt.Errorf("mod %s has no permission %[2]s: the operator can grant it with `mod.grant %[1]s %[2]s`", x.mod.Name, wanted)
	}
	return nil
}

// grantCommands returns the commands mod.grant, mod.revoke and mod.grants.
func (s *Scripts) grantCommands() []console.Command {
	return []console.Command{
		{Name: "mod.grant", Params: "MOD PERMISSION", Help: "grants a permission requested by the mod's mod.toml", Run: func(args []string) (string, error) {
			return "", s.grant("mod.grant", args, true)
		}},
		{Name: "mod.revoke", Params: "MOD PERMISSION", Help: "revokes a granted permission", Run: func(args []string) (string, error) {
			return "", s.grant("mod.revoke", args, false)
		}},
		{Name: "mod.grants", Help: "lists the permissions of mods: MOD PERMISSION", Run: func([]string) (string, error) {
			return s.rights.Grants(), nil
		}},
	}
}

func (s *Scripts) grant(command string, args []string, on bool) error {
	if len(args) != 2 {
		return errors.New("usage: " + command + " MOD PERMISSION")
	}
	if m := s.Mod(args[0]); on && m != nil && manifestOf(m) != nil && !slices.Contains(manifestOf(m).Permissions, args[1]) {
		return fmt.Errorf("mod %s requests %s, not %s", m.Name, joinWords(manifestOf(m).Permissions), args[1])
	}
	if on && (!manifest.ValidName(args[0]) || !permission.MatchString(args[1])) {
		return fmt.Errorf("%s is not a valid permission; example: `%s ctf console.kick`", console.Quote(strings.Join(args, " ")), command)
	}
	if !on && !s.rights.Granted(args[0], args[1]) {
		return fmt.Errorf("%s has no granted permission %s (mod.grants lists them)", console.Quote(args[0]), console.Quote(args[1]))
	}
	return s.rights.Grant(args[0], args[1], on)
}

// joinWords joins words for an error message.
func joinWords(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}
