package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// endBinds ends the keys that an instance has asked players for, or those of all mods if it is nil.
func endBinds(e *engine.Host, of *instance) {
	var owner any
	if of != nil {
		owner = of
	}
	for _, c := range e.Connections() {
		if c.Inbound() {
			c.Binds().EndOf(owner)
		}
	}
}

// bindCommand returns the command `bind` of a client.
func bindCommand(e *engine.Host) console.Command {
	return console.Command{
		Name: "bind", Params: "[NAME]", Help: "lists the keys that the server would like; with a NAME, does what that key does",
		Complete: func([]string) (names []string) {
			if c := e.Server(); c != nil {
				for _, b := range c.Binds().Told() {
					names = append(names, b.Name)
				}
			}
			return names
		},
		Run: func(args []string) (string, error) {
			c := e.Server()
			if c == nil {
				return "", errors.New("not connected to a server")
			}
			if len(args) == 0 {
				return bindLines(c.Binds().Told()), nil
			}
			for _, b := range c.Binds().Told() {
				if strings.EqualFold(b.Name, args[0]) {
					return "", c.Commands.Send(engine.CommandOptions{}, sim.String(b.Name), nil)
				}
			}
			return "", fmt.Errorf("the server has asked for no key named %.64q: bind lists them", args[0])
		},
	}
}

// bindLines lists binds for a terminal.
func bindLines(list []engine.Bind) string {
	if len(list) == 0 {
		return "the server would like no keys"
	}
	var lines []string
	for _, b := range list {
		lines = append(lines, fmt.Sprintf("bind %s  (%s)  %s", b.Name, b.Key, b.Text))
	}
	return strings.Join(lines, "\n")
}
