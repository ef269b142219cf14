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
	g, l := Given{Way: ByExecCommand, Line: line, May: may}, c.take(line)
	defer c.given(&g, l)()
	out, err := c.runLimited(l, g.May)
	c.auditLine(line, l, err)
	return out, err
}

func (c *Console) runLimited(l typedLine, may func(name string) bool) (string, error) {
	if l.text == "" {
		return "", nil
	}
	args, err := Words(l.after)
	if err != nil {
		return "", fmt.Errorf("%s: %w", Quote(l.word), err)
	}
	e := c.limitedEntry(l.word, may)
	switch {
	case e != nil:
		return e.command.Run(args)
	case l.word != "help":
		return "", fmt.Errorf("you cannot run %s: help lists your commands", Quote(l.word))
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
	l := c.takeText(head)
	if !l.spaced {
		return matching(append(c.limitedNames(may), "help"), l.word, true), 0
	}
	start = strings.LastIndexAny(head, " \t") + 1
	e := c.limitedEntry(l.word, may)
	args, err := Words(l.after)
	if err != nil || e == nil {
		return nil, start
	}
	if start == len(head) {
		args = append(args, "")
	}
	return matching(e.complete(args), head[start:], true), start
}
