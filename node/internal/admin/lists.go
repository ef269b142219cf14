package admin

import (
	"errors"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/bans"
)

// listCommands mute players, and list the players that can join.
func (a *Admin) listCommands() []console.Command {
	return []console.Command{
		{Name: "mute", Params: "ID|NAME|KEY [10m|2h|forever] [REASON]", Help: "shows nobody the chat of a player, and lets nobody hear its voice; also ADDRESS or RANGE", Run: a.adds("mute", &a.Mutes), Complete: a.players},
		{Name: "unmute", Params: "ID|NAME|KEY", Help: "ends the mute of a player, an address or a range", Run: a.removes("unmute", &a.Mutes, "that key is not muted (mutes lists the muted keys)"), Complete: a.players},
		{Name: "mutes", Help: "the mutes in force: KEY END NAME REASON", Run: a.shows(&a.Mutes)},
		{Name: "allow", Params: "ID|NAME|KEY [10m|2h|forever] [REASON]", Help: "lets a player join while sv.allowedOnly is on; also ADDRESS or RANGE", Run: a.adds("allow", &a.Allowed), Complete: a.players},
		{Name: "disallow", Params: "ID|NAME|KEY", Help: "undoes allow", Run: a.removes("disallow", &a.Allowed, "that key is not in the list (allowed lists the keys)"), Complete: a.players},
		{Name: "allowed", Help: "the players who can join while sv.allowedOnly is on: KEY END NAME REASON", Run: a.shows(&a.Allowed)},
	}
}

// adds returns a command that adds an entry to a list.
func (a *Admin) adds(name string, to **bans.List) func([]string) (string, error) {
	return func(args []string) (string, error) {
		if len(args) == 0 {
			return "", errors.New("usage: " + name + " ID|NAME|KEY [10m|2h|forever] [REASON]")
		}
		b, err := a.entry(args)
		if err != nil {
			return "", err
		}
		return "", (*to).Add(b)
	}
}

// removes returns a command that removes an entry from a list. missing is the error if there is
// none.
func (a *Admin) removes(name string, from **bans.List, missing string) func([]string) (string, error) {
	return func(args []string) (string, error) {
		if len(args) != 1 {
			return "", errors.New("usage: " + name + " ID|NAME|KEY")
		}
		target, _, err := a.target(args[0])
		if err != nil {
			return "", err
		}
		return "", remove(*from, target.String(), missing)
	}
}

// shows returns a command that prints a list.
func (a *Admin) shows(list **bans.List) func([]string) (string, error) {
	return func([]string) (string, error) { return (*list).String(a.Now()), nil }
}

// entry reads an entry of a list: WHO [END] [REASON].
func (a *Admin) entry(args []string) (b bans.Ban, err error) {
	b.Until = bans.Forever
	if b.Target, b.Name, err = a.target(args[0]); err != nil {
		return b, err
	}
	args = args[1:]
	if len(args) > 0 {
		if until, ok := bans.ParseEnd(args[0], a.Now()); ok {
			b.Until, args = until, args[1:]
		}
	}
	b.Reason = strings.Join(args, " ")
	return b, nil
}

// remove removes the entry of a key, an address or a range from a list.
func remove(from *bans.List, who, missing string) error {
	target, is, err := bans.ParseTarget(who)
	if err != nil {
		return err
	}
	if !is { // the error shows the form of a key
		_, err := seal.ParseKey(who)
		return err
	}
	was, err := from.Lift(target)
	if err == nil && !was {
		err = errors.New(missing)
	}
	return err
}
