package admin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/rights"
	"github.com/torc-engine/torc/script"
)

// localAddress is the address of a client in the server's own process.
const localAddress = "local"

// permits is the rights as scripts see them. For mods, a local client is an admin. For console
// commands in the chat it is not, because any mod of the client can chat in the player's name. The
// player has the prompt for that.
type permits struct {
	*rights.List
	admin *Admin
}

// Permits returns the rights as scripts see them.
func (a *Admin) Permits() script.Rights { return permits{a.Rights, a} }

func (p permits) Roles(c *engine.Connection) []string {
	if c.Bot() || p.admin.withoutRoles(c) {
		return nil
	}
	list := p.admin.roles(c)
	if c.Address() == localAddress && !slices.Contains(list, rights.Admin) {
		list = append([]string{rights.Admin}, list...)
		slices.Sort(list)
	}
	return list
}

func (p permits) Muted(c *engine.Connection) string { return p.admin.muted(c) }

func (p permits) May(c *engine.Connection, command string) bool {
	return !c.Bot() && !p.admin.withoutRoles(c) && p.List.May(p.admin.roles(c), command)
}

// roleCommands manage roles and show the audit log.
func (a *Admin) roleCommands() []console.Command {
	commands := []console.Command{
		{Name: "role.give", Params: "ID|NAME|KEY ROLE [--here]", Help: "gives a player a role; admin satisfies every role check", Run: a.giveRole, Complete: a.players},
		{Name: "role.take", Params: "ID|NAME|KEY ROLE [--here]", Help: "takes a role back", Run: a.takeRole, Complete: a.players},
		{Name: "role.allow", Params: "ROLE COMMAND… [--here]", Help: "lets players with the role run these console commands from chat on this server, as /COMMAND", Run: a.allowRole},
		{Name: "role.deny", Params: "ROLE COMMAND… [--here]", Help: "undoes role.allow", Run: a.denyRole},
		{Name: "audit", Params: "[N]", Help: "the newest lines of the audit log", Run: a.showAudit},
	}
	return append(commands, console.Command{
		Name: "role", Params: "[give|take|allow|deny …]", Help: "the roles of players, and the commands of each role",
		Run: func(args []string) (string, error) {
			if len(args) == 0 {
				a.shown(RoleList)
				return a.Rights.String(), nil
			}
			for _, c := range commands {
				if c.Name == "role."+args[0] {
					return c.Run(args[1:])
				}
			}
			return "", fmt.Errorf("role has no subcommand %s; it has give, take, allow and deny", console.Quote(args[0]))
		},
	})
}

func (a *Admin) giveRole(args []string) (string, error) {
	args, only := onlyHere(args)
	if len(args) != 2 {
		return "", errors.New("usage: role.give ID|NAME|KEY ROLE [--here]")
	}
	c := Change{List: RoleList, Role: args[1]}
	var err error
	if c.Key, c.Name, err = a.keyed(args[0]); err != nil {
		return "", err
	}
	only = only || a.Fleet == nil
	if err := cmp.Or(a.exposed(args[0], c.Key, only), rights.CheckRole(c.Role)); err != nil {
		return "", err
	}
	return a.add(c, only)
}

func (a *Admin) takeRole(args []string) (string, error) {
	args, only := onlyHere(args)
	if len(args) != 2 {
		return "", errors.New("usage: role.take ID|NAME|KEY ROLE [--here]")
	}
	key, _, err := a.keyed(args[0])
	if err != nil {
		return "", err
	}
	missing := fmt.Sprintf("%s has no role %s", console.Quote(args[0]), console.Quote(args[1]))
	return a.remove(Change{List: RoleList, Remove: true, Key: key, Role: args[1]}, only, missing+" (role lists the roles of players)")
}

func (a *Admin) allowRole(args []string) (string, error) {
	args, _ = onlyHere(args) // a fleet has no commands of roles
	if len(args) < 2 {
		return "", errors.New("usage: role.allow ROLE COMMAND… [--here]")
	}
	for _, name := range args[1:] {
		if cmd, _ := a.Console.Lookup(name); cmd == nil {
			return "", fmt.Errorf("there is no command %s", console.Quote(name))
		}
	}
	for _, name := range args[1:] {
		if err := a.Rights.Allow(args[0], name); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (a *Admin) denyRole(args []string) (string, error) {
	args, _ = onlyHere(args)
	if len(args) < 2 {
		return "", errors.New("usage: role.deny ROLE COMMAND… [--here]")
	}
	for _, name := range args[1:] {
		had, err := a.Rights.Deny(args[0], name)
		if err != nil {
			return "", err
		}
		if !had {
			return "", fmt.Errorf("the role %s does not allow %s (role lists its commands)", console.Quote(args[0]), console.Quote(name))
		}
	}
	return "", nil
}

func (a *Admin) showAudit(args []string) (string, error) {
	n := 20
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil || n < 1 {
			return "", fmt.Errorf("usage: audit [N]: N must be a number of lines, not %s", console.Quote(args[0]))
		}
	}
	lines := strings.Split(a.Audit.String(n), "\n")
	for i := range lines {
		lines[i] = console.Clean(lines[i])
	}
	return strings.Join(lines, "\n"), nil
}
