package trials

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/bans"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// wardenCommands are the edge's, which mods may be granted. Bans are kept until the file of tests is done, and
// every client that a test brings in has a key of its own.
func (s *stage) wardenCommands() []console.Command {
	return []console.Command{
		{Name: "kick", Params: "ID|NAME [REASON]", Help: "throws a player out", Run: s.kick},
		{Name: "ban", Params: "ID|NAME|KEY [10m|2h|forever] [REASON]", Help: "throws a player out and keeps the key out", Run: s.ban},
		{Name: "unban", Params: "KEY", Help: "lets a key in again", Run: s.unban},
		{Name: "bans", Help: "the bans in force: KEY END NAME REASON", Run: func([]string) (string, error) { return s.bans.String(s.clock()), nil }},
		{Name: "quit", Params: "[REASON]", Help: "does nothing in a test", Run: func([]string) (string, error) { return "", nil }},
	}
}

// clock is the time of the stage as one of a calendar.
func (s *stage) clock() time.Time { return time.Unix(0, 0).Add(time.Duration(s.now)) }

func (s *stage) kick(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: kick ID|NAME [REASON]")
	}
	c, err := s.player(args[0])
	if err != nil {
		return "", err
	}
	throw(c, strings.Join(args[1:], " "))
	return "", nil
}

func (s *stage) ban(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: ban ID|NAME|KEY [10m|2h|forever] [REASON]")
	}
	b := bans.Ban{Until: bans.Forever}
	var err error
	if b.Key, err = seal.ParseKey(args[0]); err != nil {
		c, err := s.player(args[0])
		switch {
		case err != nil:
			return "", err
		case c.Bot():
			return "", fmt.Errorf("%s is a bot and has no key", console.Quote(args[0]))
		}
		b.Key, b.Name = c.Key(), c.PlayerName
	}
	if args = args[1:]; len(args) > 0 {
		if until, ok := bans.ParseEnd(args[0], s.clock()); ok {
			b.Until, args = until, args[1:]
		}
	}
	b.Reason = strings.Join(args, " ")
	err = s.bans.Add(b)
	for _, c := range s.server.Host.Connections() {
		if !c.Bot() && c.Key() == b.Key {
			throw(c, s.bans.Refusal(b.Key, s.clock()))
		}
	}
	return "", err
}

func (s *stage) unban(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: unban KEY")
	}
	key, err := seal.ParseKey(args[0])
	if err != nil {
		return "", err
	}
	_, err = s.bans.Remove(key)
	return "", err
}

// player finds a client by its id or its name.
func (s *stage) player(who string) (*engine.Connection, error) {
	for _, c := range s.server.Host.Connections() {
		if strings.EqualFold(c.PlayerName, who) || strconv.Itoa(int(c.ID())) == who {
			return c, nil
		}
	}
	return nil, fmt.Errorf("nobody here is %s (players lists who is here)", console.Quote(who))
}

// throw ends the connection of a player.
func throw(c *engine.Connection, reason string) {
	if c.Bot() {
		c.Disconnect(reason)
		return
	}
	c.Net().Close(netcore.Reason{Code: netcore.Kicked, Text: reason})
}
