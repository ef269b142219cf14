package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/bans"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// register gives a side's console the commands that only the edge can carry out.
func (l *loop) register(s *side) error {
	commands := []console.Command{{
		Name: "quit", Params: "[REASON]", Help: "ends the process after telling every peer why",
		Run: func(args []string) (string, error) { l.quit(strings.Join(args, " "), nil); return "", nil },
	}}
	if s.host.IsServer() {
		commands = append(commands, l.metricsCommand())
		commands = append(commands, s.wardenCommands()...)
		commands = append(commands, l.backupCommand())
		commands = append(commands, s.roleCommands()...)
	}
	if !s.drone && (l.pipe != nil || !s.host.IsServer()) {
		commands = append(commands, l.viewCommand())
	}
	if s.host.IsServer() {
		s.console.SetAudit(func(line string, err error) { s.record("console", line, err) })
	}
	for _, c := range commands {
		if err := s.console.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// registerSides adds the commands that lead from one side of the process to the other.
func (l *loop) registerSides() error {
	for _, at := range l.sides {
		for _, to := range l.sides {
			line := func(text string) (string, error) {
				switch {
				case text != "":
					return to.console.Exec(text)
				case l.afar:
					return "", fmt.Errorf("torc console stays on the server: %s LINE runs a line on the %[1]s", to.name)
				}
				l.typing = to
				return "", nil
			}
			err := at.console.Register(console.Command{
				Name: to.name, Params: "[LINE]", Help: "runs a line on the " + to.name + ", or switches the prompt to it",
				Run:  func(args []string) (string, error) { return line(strings.Join(args, " ")) },
				Line: line, Complete: to.complete,
			})
			if err != nil {
				return err
			}
			if at != to {
				at.console.SetElsewhere(to.named)
			}
		}
	}
	return nil
}

// named is how a name of this side's console is reached from the other side of the process; "" if there is none.
func (s *side) named(name string) string {
	if command, variable := s.console.Lookup(name); command == nil && variable == nil {
		return ""
	}
	return s.name + " " + name
}

// complete completes the last word of a line that another side's prompt will hand to this one.
func (s *side) complete(words []string) []string {
	line := strings.Join(words, " ")
	candidates, start := s.console.Complete(line, len(line))
	last := len(line) - len(words[len(words)-1])
	if start < last {
		return nil
	}
	for i := range candidates {
		candidates[i] = line[last:start] + candidates[i]
	}
	return candidates
}

// wardenCommands throw players out and keep them out.
func (s *side) wardenCommands() []console.Command {
	return []console.Command{
		{Name: "kick", Params: "ID|NAME [REASON]", Help: "throws a player out", Run: s.kick, Complete: s.players},
		{Name: "ban", Params: "ID|NAME|KEY [10m|2h|forever] [REASON]", Help: "throws a player out and keeps the key out", Run: s.ban, Complete: s.players},
		{Name: "unban", Params: "KEY", Help: "lets a key in again", Run: s.unban},
		{Name: "bans", Help: "the bans in force: KEY END NAME REASON", Run: func([]string) (string, error) { return s.bans.String(time.Now()), nil }},
	}
}

func (s *side) kick(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: kick ID|NAME [REASON]")
	}
	c, err := s.player(args[0], "")
	if err != nil {
		return "", err
	}
	throw(c, strings.Join(args[1:], " "))
	return "", nil
}

func (s *side) ban(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: ban ID|NAME|KEY [10m|2h|forever] [REASON]")
	}
	key, name, err := s.keyed(args[0])
	if err != nil {
		return "", err
	}
	b := bans.Ban{Key: key, Until: bans.Forever, Name: name}
	args = args[1:]
	if len(args) > 0 {
		if until, ok := bans.ParseEnd(args[0], time.Now()); ok {
			b.Until, args = until, args[1:]
		}
	}
	b.Reason = strings.Join(args, " ")
	err = s.bans.Add(b)
	why := s.bans.Refusal(b.Key, time.Now())
	for _, c := range s.called() {
		if c.Key() == b.Key {
			throw(c, why)
		}
	}
	return "", err
}

func (s *side) unban(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: unban KEY")
	}
	key, err := seal.ParseKey(args[0])
	if err != nil {
		return "", err
	}
	was, err := s.bans.Remove(key)
	if err == nil && !was {
		err = errors.New("that key is not banned (bans lists those that are)")
	}
	return "", err
}

// throw ends a player's connection; the code tells the player's program that this was no goodbye.
func throw(c *engine.Connection, reason string) {
	if c.Bot() {
		c.Disconnect(reason)
		return
	}
	c.Net().Close(netcore.Reason{Code: netcore.Kicked, Text: reason})
}

// player finds a client by id or name, also as players prints it: with _ for each space. What reads like a number is an
// id, so that nobody is taken for the one who had it by calling himself that; nor is he by a name that looks the same.
// What else that is not, nor says.
func (s *side) player(who, nor string) (*engine.Connection, error) {
	id, err := strconv.ParseUint(who, 10, 32)
	var found *engine.Connection
	for _, c := range s.called() {
		switch {
		case err == nil && c.ID() != sim.ID(id), err != nil && !strings.EqualFold(shown(c.PlayerName), shown(who)):
		case found != nil:
			return nil, fmt.Errorf("%s is the name of several, so say by id who is meant (players lists who is here)", console.Quote(who))
		default:
			found = c
		}
	}
	if found == nil {
		return nil, fmt.Errorf("nobody here is %s%s (players lists who is here)", console.Quote(who), nor)
	}
	return found, nil
}

// shown is a name as players prints it.
func shown(name string) string { return strings.ReplaceAll(console.Clean(name), " ", "_") }

// called lists the connections that others have made.
func (s *side) called() []*engine.Connection {
	var all []*engine.Connection
	for _, c := range s.host.Connections() {
		if c.Called() {
			all = append(all, c)
		}
	}
	return all
}

// players completes the first word of a command with the names of who is here.
func (s *side) players(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	var names []string
	for _, c := range s.called() {
		if strings.HasPrefix(strings.ToLower(c.PlayerName), strings.ToLower(args[0])) {
			names = append(names, console.Join([]string{c.PlayerName}))
		}
	}
	return names
}
