package core

import (
	"net/netip"

	"github.com/torc-engine/torc/console"
)

// A Service is a part of a node with a state of its own. A node has a list of services, and walks
// it from the top each time: to ask for commands and variables, to start, and to close.
type Service interface {
	// Commands and Variables are asked once, while the node is built. No mod is loaded yet. They
	// can run before Start, in scripts of the program.
	Commands() []console.Command
	Variables() []console.Var
	// Start runs when the mods are loaded, and before anybody can reach the node.
	Start(c *Core) error
	// Close gives all back, also after a Start that failed or never ran.
	Close() error
}

// Passive is a Service that has nothing and does nothing. Services embed it for what they do not
// need.
type Passive struct{}

// Commands returns none.
func (Passive) Commands() []console.Command { return nil }

// Variables returns none.
func (Passive) Variables() []console.Var { return nil }

// Start does nothing.
func (Passive) Start(*Core) error { return nil }

// Close does nothing.
func (Passive) Close() error { return nil }

// OfMachine is embedded by services whose commands work on the machine alone, such as on its disk,
// or tell about it. A journal has the outcomes of these commands, and a replay does not run them.
type OfMachine struct{}

func (OfMachine) ofMachine() {}

// IsOfMachine reports whether a service embeds OfMachine.
func IsOfMachine(s Service) bool {
	_, is := s.(interface{ ofMachine() })
	return is
}

// Registered asks services for their commands and variables, and adds these to a console.
func Registered(c *console.Console, services ...Service) error {
	for _, s := range services {
		for _, command := range s.Commands() {
			if err := c.Register(command); err != nil {
				return err
			}
		}
		for _, v := range s.Variables() {
			if err := c.Bind(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Line is the console line that runs, as far as the services know of it.
type Line struct {
	User   string // who typed it; "" for the console of the program
	Remote bool   // it came from another process
	// Later returns the function that answers the line when the work of a command is done. It is
	// nil if the line did not come from another process.
	Later func() func(out string, err error)
}

// By returns who typed the current line, for the audit log.
func (c *Core) By() string {
	if c.Line.User == "" {
		return "console"
	}
	return c.Line.User
}

// Later returns the function that answers the current line later; nil if the line did not come from
// another process.
func (c *Core) Later() func(out string, err error) {
	if c.Line.Later == nil {
		return nil
	}
	return c.Line.Later()
}

// Answer returns the function that answers the current line when the work of a command is done. If
// nobody waits for the answer, it is printed.
func (c *Core) Answer() func(out string, err error) {
	if later := c.Later(); later != nil {
		return later
	}
	return func(out string, err error) { c.Side.Print(out, err) }
}

// Addresses are where a server is reached. The zero value of a field means that it is not reached
// so.
type Addresses struct {
	Game    netip.AddrPort // the UDP socket
	Metrics netip.AddrPort
	SSH     netip.AddrPort // the console
	Web     netip.AddrPort // the client for browsers

	Fingerprint string // of the key of the SSH console, as ssh shows it
	Link        string // opens the game in a browser
	Native      string // HOST:PORT#KEY for programs, beside Link; "" if no UDP port is open to those whom the link is for
	WatchLink   string // the same for spectators; "" if there are no places for them
	NetLink     string // the net page, with its key: a secret
}

// Addressed is a Service that knows some of the addresses.
type Addressed interface{ AddAddresses(a *Addresses) }
