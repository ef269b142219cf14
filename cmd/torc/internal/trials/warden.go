package trials

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
)

// wardenCommands are the edge's, which mods may be granted, as far as a test can tell: who is banned is thrown out, but
// nothing is kept on a disk.
func (s *stage) wardenCommands() []console.Command {
	nothing := func([]string) (string, error) { return "", nil }
	return []console.Command{
		{Name: "kick", Params: "ID|NAME [REASON]", Help: "throws a player out", Run: s.throw},
		{Name: "ban", Params: "ID|NAME|KEY [10m|2h|forever] [REASON]", Help: "throws a player out", Run: s.throw},
		{Name: "unban", Params: "KEY", Help: "does nothing in a test", Run: nothing},
		{Name: "bans", Help: "prints nothing in a test", Run: nothing},
		{Name: "quit", Params: "[REASON]", Help: "does nothing in a test", Run: nothing},
	}
}

// throw ends the connection of a player.
func (s *stage) throw(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: kick ID|NAME [REASON]")
	}
	for _, c := range s.server.Host.Connections() {
		if c.PlayerName != args[0] && strconv.Itoa(int(c.ID())) != args[0] {
			continue
		}
		reason := strings.Join(args[1:], " ")
		if c.Bot() {
			c.Disconnect(reason)
		} else {
			c.Net().Close(netcore.Reason{Code: netcore.Kicked, Text: reason})
		}
		return "", nil
	}
	return "", fmt.Errorf("nobody here is %s (players lists who is here)", console.Quote(args[0]))
}
