package script

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/manifest"
)

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
		return fmt.Errorf("mod %s has no permission %s: its mod.toml does not ask for it", x.mod.Name, wanted)
	case !x.scripts.rights.Granted(x.mod.Name, wanted):
		return fmt.Errorf("mod %s has no permission %[2]s: the operator grants it with `mod.grant %[1]s %[2]s`", x.mod.Name, wanted)
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
		return fmt.Errorf("mod %s asks for %s, not for %s", m.Name, joinWords(manifestOf(m).Permissions), args[1])
	}
	if on && (!manifest.ValidName(args[0]) || !permission.MatchString(args[1])) {
		return fmt.Errorf("%s is no permission of a mod: it reads like `%s ctf console.kick`", console.Quote(strings.Join(args, " ")), command)
	}
	if !on && !s.rights.Granted(args[0], args[1]) {
		return fmt.Errorf("%s is granted nothing that is called %s (mod.grants lists what is)", console.Quote(args[0]), console.Quote(args[1]))
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
