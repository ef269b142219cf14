package listserver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/serverlist"
)

// newConsole returns the console of the operator.
func (s *Server) newConsole() (*console.Console, error) {
	c := console.New(func(line string) { s.print(line) })
	for _, command := range []console.Command{
		{Name: "servers", Help: "prints the servers of the public list, with their addresses and keys", Run: func([]string) (string, error) { return s.table() }},
		{Name: "status", Help: "prints how many servers are registered, and how many want to be listed", Run: func([]string) (string, error) { return s.status(), nil }},
		s.adder("hide", "hides a server from the list; it stays registered", func() *bans.List { return s.hidden }),
		s.remover("unhide", "shows a hidden server again", func() *bans.List { return s.hidden }),
		s.printer("hidden", "prints what is hidden", func() *bans.List { return s.hidden }),
		s.adder("block", "refuses the registration of a server, and ends it", func() *bans.List { return s.blocked }),
		s.remover("unblock", "takes a blocked server again", func() *bans.List { return s.blocked }),
		s.printer("blocked", "prints what is blocked", func() *bans.List { return s.blocked }),
		{Name: "reload", Help: "reads the files hidden and blocked again, like the signal SIGHUP", Run: func([]string) (string, error) { return "", s.Reread() }},
		{Name: "quit", Help: "ends the rendezvous", Run: func([]string) (string, error) { s.quit = true; return "", nil }},
	} {
		if err := c.Register(command); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (s *Server) print(text string) {
	if s.cfg.Print != nil {
		s.cfg.Print(text)
	}
}

var errNoList = errors.New("this rendezvous keeps no list: start it with --list")

// table is the list.
func (s *Server) table() (string, error) {
	if s.list == nil {
		return "", errNoList
	}
	return serverlist.Table(s.list.Entries(s.now()), nil), nil
}

func (s *Server) status() string {
	text := fmt.Sprintf("%d servers are registered", s.service.Servers())
	if s.list != nil {
		text += fmt.Sprintf(", and %d want to be listed", s.list.Servers())
	}
	return text
}

// adder returns a command that adds to a list of keys and ranges.
func (s *Server) adder(name, help string, to func() *bans.List) console.Command {
	return console.Command{Name: name, Params: "KEY|RANGE [REASON]", Help: help, Run: func(args []string) (string, error) {
		target, err := parseTarget(name, args)
		if err == nil {
			err = to().Add(bans.Ban{Target: target, Reason: strings.Join(args[1:], " ")})
			s.service.Forget()
		}
		return "", err
	}}
}

// remover returns a command that removes from a list.
func (s *Server) remover(name, help string, from func() *bans.List) console.Command {
	return console.Command{Name: name, Params: "KEY|RANGE", Help: help, Run: func(args []string) (string, error) {
		target, err := parseTarget(name, args)
		if err != nil {
			return "", err
		}
		was, err := from().Lift(target)
		if err == nil && !was {
			err = fmt.Errorf("%s is not in it", target)
		}
		return "", err
	}}
}

// printer returns a command that prints a list.
func (s *Server) printer(name, help string, of func() *bans.List) console.Command {
	return console.Command{Name: name, Help: help, Run: func([]string) (string, error) { return of().String(s.began.Add(s.now())), nil }}
}

func parseTarget(name string, args []string) (bans.Target, error) {
	if len(args) == 0 {
		return bans.Target{}, fmt.Errorf("usage: %s KEY|RANGE: the key of a server, an IP address, or a range such as 192.0.2.0/24", name)
	}
	t, is, err := bans.ParseTarget(args[0])
	if err == nil && !is {
		err = fmt.Errorf("%s is no key, no IP address and no range", console.Quote(args[0]))
	}
	return t, err
}
