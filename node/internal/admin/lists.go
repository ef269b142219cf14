package admin

import (
	"errors"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/bans"
)

// listCommands mute players, and list the players that can join.
func (a *Admin) listCommands() []console.Command {
	return []console.Command{
		{Name: "mute", Params: "ID|NAME|KEY [10m|2h|forever] [REASON] [--here]", Help: "shows nobody the chat of a player, and lets nobody hear its voice; also ADDRESS or RANGE", Run: a.adds("mute", MuteList), Complete: a.players},
		{Name: "unmute", Params: "ID|NAME|KEY [--here]", Help: "ends the mute of a player, an address or a range", Run: a.removes("unmute", MuteList, "that key is not muted (mutes lists the muted keys)"), Complete: a.players},
		{Name: "mutes", Help: "the mutes in force: KEY END NAME REASON", Run: a.shows(MuteList)},
		{Name: "allow", Params: "ID|NAME|KEY [10m|2h|forever] [REASON] [--here]", Help: "lets a player join while sv.allowedOnly is on; also ADDRESS or RANGE", Run: a.adds("allow", AllowList), Complete: a.players},
		{Name: "disallow", Params: "ID|NAME|KEY [--here]", Help: "undoes allow", Run: a.removes("disallow", AllowList, "that key is not in the list (allowed lists the keys)"), Complete: a.players},
		{Name: "allowed", Help: "the players who can join while sv.allowedOnly is on: KEY END NAME REASON", Run: a.shows(AllowList)},
	}
}

// adds returns a command that adds an entry to a list.
func (a *Admin) adds(name, list string) func([]string) (string, error) {
	return func(args []string) (string, error) {
		args, only := onlyHere(args)
		if len(args) == 0 {
			return "", errors.New("usage: " + name + " ID|NAME|KEY [10m|2h|forever] [REASON] [--here]")
		}
		b, err := a.entry(args)
		if err != nil {
			return "", err
		}
		return a.add(Change{List: list, Ban: b}, only)
	}
}

// removes returns a command that removes an entry from a list. missing is the error if there is
// none.
func (a *Admin) removes(name, list, missing string) func([]string) (string, error) {
	return func(args []string) (string, error) {
		args, only := onlyHere(args)
		if len(args) != 1 {
			return "", errors.New("usage: " + name + " ID|NAME|KEY [--here]")
		}
		target, _, err := a.target(args[0])
		if err != nil {
			return "", err
		}
		return a.remove(Change{List: list, Remove: true, Ban: bans.Ban{Target: target}}, only, missing)
	}
}

// shows returns a command that prints a list.
func (a *Admin) shows(list string) func([]string) (string, error) {
	return func([]string) (string, error) {
		a.shown(list)
		return a.list(list).String(a.Now()), nil
	}
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
