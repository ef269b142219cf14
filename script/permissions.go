package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// Rights stores roles and permissions. The program around the engine implements it. Roles belong to
// the keys of clients, permissions to the names of mods, so an operator can grant either in
// advance.
type Rights interface {
	// Roles returns the roles of a client, sorted.
	Roles(c *engine.Connection) []string
	// May reports whether a role of the client allows it to run a console command from the chat.
	May(c *engine.Connection, command string) bool
	// Muted returns why the operator has muted a client, or "".
	Muted(c *engine.Connection) string
	// Granted reports whether a mod has a permission such as "console.kick".
	Granted(mod, permission string) bool
	// Grant grants or revokes a permission. It returns an error if the change cannot be saved.
	Grant(mod, permission string, on bool) error
	// Grants lists all permissions, one per line: MOD PERMISSION.
	Grants() string
}

// permissions says what mods and players may do, and records it.
type permissions struct {
	runtime *vm.Runtime
	recheck func() // ends the connections of mods that have lost a permission
	rights  Rights
	audit   func(by, did string, err error)
}

func newPermissions(runtime *vm.Runtime, rights Rights, audit func(by, did string, err error)) *permissions {
	if rights == nil {
		rights = memoryRights{}
	}
	if audit == nil {
		audit = func(string, string, error) {}
	}
	return &permissions{runtime: runtime, rights: rights, audit: audit}
}

// adminRole is the role that satisfies every role check.
const adminRole = "admin"

// hasRole reports whether a client has a role.
func (g *permissions) hasRole(c *engine.Connection, role string) bool {
	for _, r := range g.rights.Roles(c) {
		if r == role || r == adminRole {
			return true
		}
	}
	return false
}

// A mod has a permission such as "console.kick" if its manifest requests it and the operator grants
// it. It has one of manifest.ModPermissions if its manifest requests it and the operator has not
// revoked it.

// revoked begins the stored form of a revoked permission of manifest.ModPermissions.
const revoked = "!"

// granted reports whether the operator lets a mod have a permission.
func (g *permissions) granted(mod, permission string) bool {
	if slices.Contains(manifest.ModPermissions, permission) {
		return !g.rights.Granted(mod, revoked+permission)
	}
	return g.rights.Granted(mod, permission)
}

// checkModPermission returns nil if the mod has one of manifest.ModPermissions. If not, the error
// says what the mod cannot do.
func (x *instance) checkModPermission(permission, cannot string) error {
	m := manifestOf(x.mod)
	switch {
	case m == nil:
		return nil
	case !slices.Contains(m.Permissions, permission):
		return fmt.Errorf("mod %s cannot %s: its mod.toml must request permissions = [%q]", m.Name, cannot, permission)
	case !x.scripts.permissions.granted(m.Name, permission):
		return fmt.Errorf("mod %s cannot %s: the operator has revoked %[3]s (`mod.grant %[1]s %[3]s` grants it again)", m.Name, cannot, permission)
	}
	return nil
}

// mayOverride returns nil if the mod can override a function of another mod, named what. owner is
// "" if no mod defines it. Every mod depends on base.
func (x *instance) mayOverride(owner, what string) error {
	m := manifestOf(x.mod)
	if m == nil || owner == "" || owner == manifest.Base || !x.scripts.owners.owns(owner, x.mod) || m.Needs(owner, x.scripts.Manifest) {
		return nil
	}
	return x.checkModPermission(manifest.MayOverride, fmt.Sprintf("override %s of mod %s, on which it does not depend", what, owner))
}

// mayDelete returns nil if the mod can delete an object. The members of a group go with it.
func (x *instance) mayDelete(o sim.Object) error {
	if by := x.scripts.objects.makers[o.Ident().ID()]; by.mod != "" && x.scripts.owners.owns(by.mod, x.mod) {
		if err := x.checkModPermission(manifest.MayDelete, fmt.Sprintf("delete %s of mod %s", o.Ident(), by.mod)); err != nil {
			return err
		}
	}
	if g, ok := o.(*sim.Group); ok {
		for _, member := range g.Members(nil) {
			if err := x.mayDelete(member); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayName returns nil if the mod can register a console name. Names with the prefix of a name of
// the engine, such as net., belong to the engine.
func (x *instance) mayName(name string) error {
	prefix, _, dotted := strings.Cut(name, ".")
	if !dotted {
		return nil
	}
	for _, other := range x.scripts.console.Names() {
		if strings.HasPrefix(other, prefix+".") && x.scripts.settings.registered[other] == nil {
			return x.checkModPermission(manifest.MaySettings, fmt.Sprintf("register %s, because names that begin with %s. belong to the engine", name, prefix))
		}
	}
	return nil
}

// checkPermission returns nil if the mod has a permission, else the reason. The console has all of
// them.
func (x *instance) checkPermission(wanted string) error {
	switch {
	case manifestOf(x.mod) == nil:
		return nil
	case !slices.Contains(manifestOf(x.mod).Permissions, wanted):
		return fmt.Errorf("mod %s has no permission %s: its mod.toml does not request it", x.mod.Name, wanted)
	case !x.scripts.permissions.granted(x.mod.Name, wanted):
		return fmt.Errorf("mod %s has no permission %[2]s: the operator can grant it with `mod.grant %[1]s %[2]s`", x.mod.Name, wanted)
	}
	return nil
}

// commands returns the commands mod.grant, mod.revoke and mod.grants.
func (g *permissions) commands() []console.Command {
	return []console.Command{
		{Name: "mod.grant", Params: "MOD PERMISSION", Help: "grants a permission requested by the mod's mod.toml", Run: func(args []string) (string, error) {
			return "", g.grant("mod.grant", args, true)
		}},
		{Name: "mod.revoke", Params: "MOD PERMISSION", Help: "revokes a granted permission", Run: func(args []string) (string, error) {
			return "", g.grant("mod.revoke", args, false)
		}},
		{Name: "mod.grants", Help: "lists the permissions of mods: MOD PERMISSION; ! marks a revoked one", Run: func([]string) (string, error) {
			return g.rights.Grants(), nil
		}},
	}
}

func (g *permissions) grant(command string, args []string, on bool) error {
	if len(args) != 2 {
		return errors.New("usage: " + command + " MOD PERMISSION")
	}
	if m := g.runtime.Mod(args[0]); on && m != nil && manifestOf(m) != nil && !slices.Contains(manifestOf(m).Permissions, args[1]) {
		return fmt.Errorf("mod %s requests %s, not %s", m.Name, joinWords(manifestOf(m).Permissions), args[1])
	}
	if on && (!manifest.ValidName(args[0]) || !manifest.ValidPermission(args[1])) {
		return fmt.Errorf("%s is not a valid permission; example: `%s ctf console.kick`", console.Quote(strings.Join(args, " ")), command)
	}
	if !on && !g.granted(args[0], args[1]) {
		return fmt.Errorf("%s has no granted permission %s (mod.grants lists them)", console.Quote(args[0]), console.Quote(args[1]))
	}
	if slices.Contains(manifest.ModPermissions, args[1]) {
		g.runtime.Changes++ // overrides can begin or end to apply
		return g.rights.Grant(args[0], revoked+args[1], !on)
	}
	defer g.recheck()
	return g.rights.Grant(args[0], args[1], on)
}

// RightsChanged ends the connections of mods that have lost a permission other than by mod.revoke.
func (x *Scripts) RightsChanged() {
	x.Runtime.Changes++ // overrides can begin or end to apply
	x.permissions.recheck()
}

// joinWords joins words for an error message.
func joinWords(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// modPermissions returns what a mod may do to others, " [mod.delete]", or "".
func (g *permissions) modPermissions(m *manifest.Manifest) string {
	var may []string
	for _, p := range m.Permissions {
		if slices.Contains(manifest.ModPermissions, p) {
			may = append(may, g.permissionText(m.Name, p))
		}
	}
	if len(may) == 0 {
		return ""
	}
	slices.Sort(may)
	return " [" + strings.Join(may, ", ") + "]"
}

// permissionText returns a permission, and whether the operator lets the mod have it.
func (g *permissions) permissionText(mod, permission string) string {
	switch {
	case g.granted(mod, permission):
		return permission
	case slices.Contains(manifest.ModPermissions, permission):
		return permission + " (revoked)"
	}
	return permission + " (not granted)"
}
