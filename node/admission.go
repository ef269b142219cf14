package node

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
)

const (
	hidden   = "(hidden)" // stands for a password
	longName = 255        // bytes of a server's name or password
)

// admission has the console variables that decide who can join.
type admission struct {
	*engine.Admission
	passwordFile string // "@FILE" if the password was read from it
	readFile     func(name string) ([]byte, error)
}

func (a *admission) variables() []console.Var {
	name := console.Func(func() string { return a.Name }, a.setName)
	return []console.Var{
		{Name: "sv.name", Help: "name of the server, shown to clients", Value: name},
		{Name: "sv.maxClients", Help: "highest number of connected clients, with bots; clients above it stay", Value: console.Int(&a.MaxClients, 1, 10_000)},
		{Name: "sv.accepting", Help: "lets new players join", Value: console.Bool(&a.Accepting)},
		{Name: "sv.password", Help: "the server's password: a text, @FILE to read it from a file, or \"\" for none", Secret: true, Value: console.Func(a.password, a.setPassword)},
	}
}

func (a *admission) setName(name string) error {
	if len(name) > longName {
		return fmt.Errorf("must have at most %d bytes", longName)
	}
	a.Name = name
	return nil
}

// password returns what everybody can see of the password.
func (a *admission) password() string {
	if a.Password == "" {
		return ""
	}
	return hidden
}

// setPassword sets the password, or reads it from @FILE.
func (a *admission) setPassword(text string) error {
	if text == hidden {
		return errors.New("must be a text, @FILE, or \"\" for none")
	}
	file := ""
	if path, ok := strings.CutPrefix(text, "@"); ok {
		content, err := a.readFile(path)
		if err != nil {
			return fmt.Errorf("cannot be read: %w", err)
		}
		file, text = "@"+path, strings.TrimRight(string(content), "\r\n")
	}
	return a.replacePassword(text, file)
}

func (a *admission) replacePassword(text, file string) error {
	if len(text) > longName {
		return fmt.Errorf("must have at most %d bytes", longName)
	}
	a.Password, a.passwordFile = text, file
	return nil
}

// SetPassword sets the password to a text, which can begin with @. file is the later value of
// PasswordFile. Call it on the goroutine of Run.
func (s *Server) SetPassword(text, file string) error {
	s.rec.Set(setPassword, text)
	defer s.rec.Done()
	return s.admission.replacePassword(text, file)
}

// PasswordFile returns @FILE if the console variable sv.password has been set to it, else "". Call it
// on the goroutine of Run.
func (s *Server) PasswordFile() string { return s.admission.passwordFile }
