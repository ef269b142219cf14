package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
)

// Commands are fleet and transfer.
func (s *Service) Commands() []console.Command {
	return []console.Command{s.opts.Machine(s.command()), {
		Name: "transfer", Params: "ID|NAME SERVER", Help: "sends a player to another server: its name, or HOST:PORT#KEY; it plays on until it is there",
		Run: s.transfer, Complete: s.complete,
	}}
}

func (s *Service) transfer(args []string) (string, error) {
	if len(args) != 2 {
		return "", errors.New("usage: transfer ID|NAME SERVER" + s.names())
	}
	c, err := s.opts.Find(args[0])
	if err != nil {
		return "", err
	}
	to, err := s.Target(args[1])
	if err != nil {
		return "", fmt.Errorf("%w%s", err, s.names())
	}
	name, answer := console.Clean(c.PlayerName), s.core.Answer()
	return "", c.Transfer(to, nil, "", func(ok bool, reason string) {
		if ok {
			answer(name+" was transferred to "+to.Name, nil)
		} else {
			answer("", fmt.Errorf("%s was not transferred: %s", name, reason))
		}
	})
}

// maxNames is how many names an error message has.
const maxNames = 20

// names lists the other servers, for an error message.
func (s *Service) names() string {
	var names []string
	for _, p := range s.targets() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	switch {
	case len(names) == 0 && s.joined():
		return " (the fleet has no other servers)"
	case len(names) == 0:
		return " (this server has no peers: --peer NAME=HOST:PORT#KEY)"
	case len(names) > maxNames:
		names = append(names[:maxNames], "…")
	}
	if s.joined() {
		return " (the servers are " + strings.Join(names, ", ") + ")"
	}
	return " (the peers are " + strings.Join(names, ", ") + ")"
}

// complete completes the name of a server.
func (s *Service) complete(args []string) (names []string) {
	if len(args) != 2 {
		return nil
	}
	for _, p := range s.targets() {
		if strings.HasPrefix(p.Name, args[1]) {
			names = append(names, p.Name)
		}
	}
	return names
}
