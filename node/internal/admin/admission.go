package admin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/core"
)

const (
	hidden   = "(hidden)" // stands for a password
	longName = 255        // bytes of a server's name or password
)

// Admission has the console variables that decide who can join.
type Admission struct {
	core.Passive
	*engine.Admission
	PasswordFile string // "@FILE" if the password was read from it
	ReadFile     func(name string) ([]byte, error)
}

// Variables are sv.name, sv.maxClients, sv.reserved, sv.transfers, sv.accepting and sv.password.
func (a *Admission) Variables() []console.Var {
	name := console.Func(func() string { return a.Name }, a.setName)
	return []console.Var{
		{Name: "sv.name", Help: "name of the server, shown to clients", Value: name},
		{Name: "sv.maxClients", Help: "highest number of connected clients, with bots; clients above it stay", Value: console.Int(&a.MaxClients, 1, 10_000)},
		{Name: "sv.reserved", Help: "places of sv.maxClients that are kept for players who hold a role or were here before", Value: console.Int(&a.Reserved, 0, 10_000)},
		{Name: "sv.transfers", Help: "lets players join whom the peers of this server send", Value: console.Bool(&a.Transfers)},
		{Name: "sv.accepting", Help: "lets new players join", Value: console.Bool(&a.Accepting)},
		{Name: "sv.password", Help: "the server's password: a text, @FILE to read it from a file, or \"\" for none", Secret: true, Value: console.Func(a.password, a.setPassword)},
	}
}

func (a *Admission) setName(name string) error {
	if len(name) > longName {
		return fmt.Errorf("must have at most %d bytes", longName)
	}
	a.Name = name
	return nil
}

// password returns what everybody can see of the password.
func (a *Admission) password() string {
	if a.Password == "" {
		return ""
	}
	return hidden
}

// setPassword sets the password, or reads it from @FILE.
func (a *Admission) setPassword(text string) error {
	if text == hidden {
		return errors.New("must be a text, @FILE, or \"\" for none")
	}
	file := ""
	if path, ok := strings.CutPrefix(text, "@"); ok {
		content, err := a.ReadFile(path)
		if err != nil {
			return fmt.Errorf("cannot be read: %w", err)
		}
		file, text = "@"+path, strings.TrimRight(string(content), "\r\n")
	}
	return a.Replace(text, file)
}

// Replace sets the password to a text, which was read from file.
func (a *Admission) Replace(text, file string) error {
	if len(text) > longName {
		return fmt.Errorf("must have at most %d bytes", longName)
	}
	a.Password, a.PasswordFile = text, file
	return nil
}
