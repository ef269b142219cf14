package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/modtrial"
	"github.com/torc-engine/torc/node/webclient"

	"example.org/embed/page"
	"example.org/embed/rules"
)

// A Server is a server of this game.
type Server struct{ *node.Server }

// NewServer makes a server on HOST:PORT with the client for browsers. source is the folder of this
// module.
func NewServer(listen, source string, print func(text string)) (*Server, error) {
	s := &Server{}
	cfg := node.Config{Common: rules.Common()}
	cfg.Commands, cfg.Output = []console.Command{s.command(), s.flare()}, print
	cfg.Server.Listen, cfg.Server.Load = listen, []string{"lights"}
	cfg.Server.Trial = modtrial.For(cfg.Common)
	cfg.Server.Web = &node.Web{Build: webclient.Builder{Root: source, Program: "browser"}.Files}
	var err error
	if cfg.Server.Web.Pages, err = page.Folders(); err != nil {
		return nil, err
	}
	s.Server, err = node.NewServer(cfg)
	return s, err
}

// command is the command beacons. Commands run on the goroutine of the server.
func (s *Server) command() console.Command {
	return console.Command{Name: "beacons", Params: "[REACH]", Help: "lists the beacons, or sets how far all of them are seen", Run: func(args []string) (string, error) {
		var lines []string
		var wrong error
		w := s.Host().World()
		w.Each(w.Classes().Lookup("Beacon"), func(o sim.Object) bool {
			b := o.(*rules.Beacon)
			if len(args) > 0 {
				wrong = errors.Join(wrong, setReach(b, args[0]))
			}
			lines = append(lines, fmt.Sprintf("%s: %g m at %v", b.Name(), b.Reach, b.Position()))
			return true
		})
		return strings.Join(lines, "\n"), wrong
	}}
}

// flare is the command flare. A client without the event gets none, and stays connected.
func (s *Server) flare() console.Command {
	return console.Command{Name: "flare", Params: "STRENGTH", Help: "lets the lighthouse flare up, in percent", Run: func(args []string) (string, error) {
		flare, got := rules.Flare{Beacon: "lighthouse"}, 0
		if _, err := fmt.Sscan(strings.Join(args, " "), &flare.Strength); err != nil {
			return "", errors.New("usage: flare STRENGTH")
		}
		for _, c := range s.Host().Connections() {
			sent, err := c.SendEvent(&flare)
			if err != nil {
				return "", err
			}
			if sent {
				got++
			}
		}
		return fmt.Sprintf("sent to %d of %d clients", got, len(s.Host().Connections())), nil
	}}
}

// setReach sets the reach of a beacon. SetField checks the value, and tells the clients.
func setReach(b *rules.Beacon, text string) error {
	var reach float64
	if _, err := fmt.Sscan(text, &reach); err != nil {
		return fmt.Errorf("REACH = %s: must be a number of metres", text)
	}
	return b.SetField("reach", sim.Number(reach))
}
