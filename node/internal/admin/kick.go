package admin

import (
	"errors"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/bans"
)

// kickCommands disconnect players and ban them.
func (a *Admin) kickCommands() []console.Command {
	return []console.Command{
		{Name: "kick", Params: "ID|NAME [REASON]", Help: "disconnects a player", Run: a.kick, Complete: a.players},
		{Name: "ban", Params: "ID|NAME|KEY [10m|2h|forever] [REASON] [--here]", Help: "disconnects a player and refuses their key; also ADDRESS or RANGE, and players who have left", Run: a.adds("ban", BanList), Complete: a.players},
		{Name: "unban", Params: "KEY [--here]", Help: "lifts the ban of a key, an address or a range", Run: a.unban},
		{Name: "bans", Help: "the bans in force: KEY END NAME REASON", Run: a.shows(BanList)},
		{Name: "recent", Params: "[N|NAME]", Help: "the last N players who have left, or those of a name, newest first: ID NAME ADDRESS AGO KEY", Run: a.recent},
	}
}

func (a *Admin) kick(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: kick ID|NAME [REASON]")
	}
	c, err := a.player(args[0], "")
	if err != nil {
		return "", err
	}
	throw(c, strings.Join(args[1:], " "))
	return "", nil
}

// Reread reads the lists and the rights again, if people have changed their files, and disconnects
// the players who are banned now. The error has a sentence for each line that cannot be used.
func (a *Admin) Reread() error {
	err := errors.Join(a.Bans.Reread(), a.Mutes.Reread(), a.Allowed.Reread(), a.Rights.Reread())
	a.throwBanned()
	return err
}

// throwBanned disconnects the players who are banned.
func (a *Admin) throwBanned() {
	for _, c := range a.inbound() {
		if b, banned := a.Bans.Find(c.Key(), ipOf(c.Address()), a.Now()); banned && !c.Bot() {
			throw(c, "banned: "+b.Why(a.Now()))
		}
	}
}

func (a *Admin) unban(args []string) (string, error) {
	args, only := onlyHere(args)
	if len(args) != 1 {
		return "", errors.New("usage: unban KEY [--here]")
	}
	target, is, err := bans.ParseTarget(args[0])
	if err == nil && !is { // the error shows the form of a key
		_, err = seal.ParseKey(args[0])
	}
	if err != nil {
		return "", err
	}
	return a.remove(Change{List: BanList, Remove: true, Ban: bans.Ban{Target: target}}, only, "that key is not banned (bans lists the banned keys)")
}

// throw ends a player's connection. The code lets the player's program exit with an error.
func throw(c *engine.Connection, reason string) {
	if c.Bot() {
		c.Disconnect(reason)
		return
	}
	c.Net().Close(netcore.Reason{Code: netcore.Kicked, Text: reason})
}
