package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ExecCommand runs a line of a user who can run only some commands. may decides about each. Such a
// user can run no Lua, set no variable, and run no command that runs lines. For this user, help
// lists only these commands.
func (c *Console) ExecCommand(line string, may func(name string) bool) (string, error) {
	g := Given{Way: ByExecCommand, Line: line, May: may}
	defer c.given(&g)()
	out, err := c.runLimited(strings.Trim(line, " \t\r\n"), g.May)
	c.auditLine(line, err)
	return out, err
}

func (c *Console) runLimited(line string, may func(name string) bool) (string, error) {
	name, rest, _ := cutSpace(line)
	if name == "" {
		return "", nil
	}
	args, err := Words(rest)
	if err != nil {
		return "", fmt.Errorf("%s: %w", Quote(name), err)
	}
	e := c.limitedEntry(name, may)
	switch {
	case e != nil:
		return e.command.Run(args)
	case name != "help":
		return "", fmt.Errorf("you cannot run %s: help lists your commands", Quote(name))
	case len(args) == 0:
		return c.table(c.limitedNames(may)), nil
	}
	if e = c.limitedEntry(args[0], may); e == nil || len(args) > 1 {
		return "", errors.New("usage: help [COMMAND], with one of your commands")
	}
	return e.describe(), nil
}

// limitedEntry returns a command that such a user can run, or nil.
func (c *Console) limitedEntry(name string, may func(string) bool) *nameEntry {
	e := c.entries[name]
	if e == nil || e.command == nil || e.command.RunsLines || !may(name) {
		return nil
	}
	return e
}

func (c *Console) limitedNames(may func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return c.limitedEntry(name, may) == nil })
}

// CompleteCommand is Complete for such a user.
func (c *Console) CompleteCommand(line string, pos int, may func(name string) bool) (candidates []string, start int) {
	head := line[:min(max(pos, 0), len(line))]
	name, rest, spaced := cutSpace(head)
	if !spaced {
		return matching(append(c.limitedNames(may), "help"), name, true), 0
	}
	start = strings.LastIndexAny(head, " \t") + 1
	e := c.limitedEntry(name, may)
	args, err := Words(rest)
	if err != nil || e == nil {
		return nil, start
	}
	if start == len(head) {
		args = append(args, "")
	}
	return matching(e.complete(args), head[start:], true), start
}
