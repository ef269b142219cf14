package admin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/bans"
)

// Player finds a client by id or by name, like the commands.
func (a *Admin) Player(who string) (*engine.Connection, error) { return a.player(who, "") }

// player finds a client by id or by name. A name can have _ for each space, like the output of the
// command players. A number is always an id, so a player cannot pose as another by using an id as a
// name. For the same reason an ambiguous name is an error. nor is the end of the error text.
func (a *Admin) player(who, nor string) (*engine.Connection, error) {
	found, many := a.find(who)
	switch {
	case many:
		return nil, fmt.Errorf("ambiguous player name %s: use an id (players lists them)", console.Quote(who))
	case found == nil:
		return nil, fmt.Errorf("no player has the id or name %s%s (players lists them)", console.Quote(who), nor)
	}
	return found, nil
}

// find returns the client with an id or a name, and whether several have it.
func (a *Admin) find(who string) (found *engine.Connection, many bool) {
	for _, c := range a.inbound() {
		if matches(who, c.ID(), c.PlayerName) {
			many = found != nil
			if found = c; many {
				break
			}
		}
	}
	return found, many
}

// matches reports whether who is this id or this name.
func matches(who string, id sim.ID, name string) bool {
	if number, err := strconv.ParseUint(who, 10, 32); err == nil {
		return number != 0 && id == sim.ID(number)
	}
	return strings.EqualFold(shown(name), shown(who))
}

// shown returns a name like the command players prints it.
func shown(name string) string { return strings.ReplaceAll(console.Clean(name), " ", "_") }

// inbound returns the inbound connections.
func (a *Admin) inbound() []*engine.Connection {
	var all []*engine.Connection
	for _, c := range a.Host.Connections() {
		if c.Inbound() {
			all = append(all, c)
		}
	}
	return all
}

// players completes the first word of a command with the names of the players.
func (a *Admin) players(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	var names []string
	for _, c := range a.inbound() {
		if strings.HasPrefix(strings.ToLower(c.PlayerName), strings.ToLower(args[0])) {
			names = append(names, console.Join([]string{c.PlayerName}))
		}
	}
	return names
}

// target finds a key or a range of addresses: by range or address, or like keyed. Players who have
// left are also found.
func (a *Admin) target(who string) (t bans.Target, name string, err error) {
	if t, is, err := bans.ParseTarget(who); err != nil || is && t.Range.IsValid() {
		if err == nil && slices.ContainsFunc(a.inbound(), func(c *engine.Connection) bool { return strings.EqualFold(c.PlayerName, who) }) {
			err = fmt.Errorf("ambiguous: %s is an address and the name of a player: use the id of the player", who)
		}
		return t, "", err
	}
	t.Key, name, err = a.keyed(who)
	if err != nil {
		if here, _ := a.find(who); here != nil {
			return t, "", err
		}
		d, many := a.Recent.gone(a.Now(), func(d formerPlayer) bool { return matches(who, d.id, d.name) })
		switch {
		case many:
			return t, "", fmt.Errorf("ambiguous name of players who have left %s: use an id or a key (recent lists them)", console.Quote(who))
		case d == nil:
			return t, "", err
		}
		return bans.Target{Key: d.key}, d.name, nil
	}
	if name == "" { // a key of a player that is not connected
		if d, _ := a.Recent.gone(a.Now(), func(d formerPlayer) bool { return d.key == t.Key }); d != nil {
			name = d.name
		}
	}
	return t, name, nil
}

// keyed finds a key by key, id or name. name is "" if its player is not connected.
// Anything that parses as a key is treated as a key.
func (a *Admin) keyed(who string) (key seal.Key, name string, err error) {
	if key, err = seal.ParseKey(who); err == nil {
		for _, c := range a.inbound() {
			if c.Key() == key {
				name = c.PlayerName
			}
		}
		return key, name, nil
	}
	c, err := a.player(who, ", and it is not a key")
	switch {
	case err != nil:
		return key, "", err
	case c.Bot():
		return key, "", fmt.Errorf("%s is a bot and has no key", console.Quote(who))
	}
	return c.Key(), c.PlayerName, nil
}
