package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/audit"
	"github.com/torc-engine/torc/engine/node/rights"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
)

// warden is who may do what on a server, as scripts ask it: the rights that the operator gave, by key. In play mods take
// the player for an admin; for the console he has the prompt, since in the chat any mod of his client can speak for him.
type warden struct {
	*rights.List
	local bool // every client is this process's own
}

var _ script.Rights = warden{}

func (w warden) Roles(c *engine.Connection) []string {
	if c.Bot() {
		return nil
	}
	list := w.List.Roles(c.Key())
	if w.local && !slices.Contains(list, rights.Admin) {
		list = append([]string{rights.Admin}, list...)
		slices.Sort(list)
	}
	return list
}

func (w warden) May(c *engine.Connection, command string) bool {
	return !c.Bot() && w.List.May(w.List.Roles(c.Key()), command)
}

// openRights opens what a server keeps about who may do what, and who did what.
func (s *side) openRights() (err error) {
	if s.rights, err = rights.Open(s.loop.home.Path("rights")); err != nil {
		return err
	}
	s.audit, err = audit.Open(s.loop.home.Path("audit.log"), time.Now, func(err error) { s.loop.log.Error(err.Error()) })
	return err
}

// warden answers for a server's rights; a client has none to give.
func (s *side) warden() script.Rights {
	if s.rights == nil {
		return nil
	}
	return warden{s.rights, s.loop.pipe != nil}
}

// record notes what somebody did on a server; a client keeps no record.
func (s *side) record(by, did string, err error) {
	if s.audit != nil {
		s.audit.Record(by, did, err)
	}
}

// roleCommands give players roles and say what these allow.
func (s *side) roleCommands() []console.Command {
	commands := []console.Command{
		{Name: "role.give", Params: "ID|NAME|KEY ROLE", Help: "gives a player a role; admin counts as every other", Run: s.giveRole, Complete: s.players},
		{Name: "role.take", Params: "ID|NAME|KEY ROLE", Help: "takes a role back", Run: s.takeRole, Complete: s.players},
		{Name: "role.allow", Params: "ROLE COMMAND…", Help: "lets who has the role run these commands of the console from the chat, as /COMMAND", Run: s.allowRole},
		{Name: "role.deny", Params: "ROLE COMMAND…", Help: "undoes role.allow", Run: s.denyRole},
		{Name: "audit", Params: "[N]", Help: "the newest lines of the record of who did what", Run: s.showAudit},
	}
	return append(commands, console.Command{
		Name: "role", Params: "[give|take|allow|deny …]", Help: "who has which role, and what roles allow",
		Run: func(args []string) (string, error) {
			if len(args) == 0 {
				return s.rights.String(), nil
			}
			for _, c := range commands {
				if c.Name == "role."+args[0] {
					return c.Run(args[1:])
				}
			}
			return "", fmt.Errorf("role does not know %s; it knows give, take, allow and deny", console.Quote(args[0]))
		},
	})
}

// keyed finds who is meant by a key, an id or a name; of who is not here there is no name. What reads like a key is one,
// whatever players call themselves.
func (s *side) keyed(who string) (key seal.Key, name string, err error) {
	if key, err = seal.ParseKey(who); err == nil {
		for _, c := range s.called() {
			if c.Key() == key {
				name = c.PlayerName
			}
		}
		return key, name, nil
	}
	c, err := s.player(who, ", and it is no key")
	switch {
	case err != nil:
		return key, "", err
	case c.Bot():
		return key, "", fmt.Errorf("%s is a bot and has no key", console.Quote(who))
	}
	return c.Key(), c.PlayerName, nil
}

func (s *side) giveRole(args []string) (string, error) {
	if len(args) != 2 {
		return "", errors.New("usage: role.give ID|NAME|KEY ROLE")
	}
	key, name, err := s.keyed(args[0])
	if err != nil {
		return "", err
	}
	return "", s.rights.Give(key, args[1], name)
}

func (s *side) takeRole(args []string) (string, error) {
	if len(args) != 2 {
		return "", errors.New("usage: role.take ID|NAME|KEY ROLE")
	}
	key, _, err := s.keyed(args[0])
	if err != nil {
		return "", err
	}
	had, err := s.rights.Take(key, args[1])
	if err == nil && !had {
		err = fmt.Errorf("%s has no role %s (role lists who has which)", console.Quote(args[0]), console.Quote(args[1]))
	}
	return "", err
}

func (s *side) allowRole(args []string) (string, error) {
	if len(args) < 2 {
		return "", errors.New("usage: role.allow ROLE COMMAND…")
	}
	for _, name := range args[1:] {
		if cmd, _ := s.console.Lookup(name); cmd == nil {
			return "", fmt.Errorf("there is no command %s", console.Quote(name))
		}
	}
	for _, name := range args[1:] {
		if err := s.rights.Allow(args[0], name); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (s *side) denyRole(args []string) (string, error) {
	if len(args) < 2 {
		return "", errors.New("usage: role.deny ROLE COMMAND…")
	}
	for _, name := range args[1:] {
		had, err := s.rights.Deny(args[0], name)
		if err != nil {
			return "", err
		}
		if !had {
			return "", fmt.Errorf("the role %s does not allow %s (role lists what roles allow)", console.Quote(args[0]), console.Quote(name))
		}
	}
	return "", nil
}

func (s *side) showAudit(args []string) (string, error) {
	n := 20
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil || n < 1 {
			return "", fmt.Errorf("usage: audit [N], where N is how many lines to show, not %s", console.Quote(args[0]))
		}
	}
	lines := strings.Split(s.audit.String(n), "\n")
	for i := range lines {
		lines[i] = console.Clean(lines[i])
	}
	return strings.Join(lines, "\n"), nil
}
