package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
)

// Commands are transfer.
func (s *Service) Commands() []console.Command {
	return []console.Command{{
		Name: "transfer", Params: "ID|NAME SERVER", Help: "sends a player to another server: a peer, or HOST:PORT#KEY; it plays on until it is there",
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
	name, later := console.Clean(c.PlayerName), s.core.Later
	answer := later()
	if answer == nil {
		answer = func(out string, err error) {
			if err != nil {
				out = "error: " + err.Error()
			}
			s.core.Print(out)
		}
	}
	return "", c.Transfer(to, nil, "", func(ok bool, reason string) {
		if ok {
			answer(name+" was transferred to "+to.Name, nil)
		} else {
			answer("", fmt.Errorf("%s was not transferred: %s", name, reason))
		}
	})
}

// names lists the peers, for an error message.
func (s *Service) names() string {
	if len(s.opts.Peers) == 0 {
		return " (this server has no peers: --peer NAME=HOST:PORT#KEY)"
	}
	var names []string
	for _, p := range s.opts.Peers {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return " (the peers are " + strings.Join(names, ", ") + ")"
}

// complete completes the name of a peer.
func (s *Service) complete(args []string) (names []string) {
	if len(args) != 2 {
		return nil
	}
	for _, p := range s.opts.Peers {
		if strings.HasPrefix(p.Name, args[1]) {
			names = append(names, p.Name)
		}
	}
	return names
}
