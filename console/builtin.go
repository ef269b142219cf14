package console

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/spell"
)

// maxDepth is the maximum nesting of files that execute files.
const maxDepth = 16

// errNested means that files execute files deeper than maxDepth.
var errNested = fmt.Errorf("more than %d nested files", maxDepth)

// builtins are the commands that every console has.
func (c *Console) builtins() []Command {
	return []Command{
		{Name: "help", Params: "[NAME|PREFIX]", Help: "explains a command, a variable, or a class, method, callback or function of Lua; lists names with a prefix",
			Run: c.help, Complete: c.completeHelp},
		{Name: "apropos", Params: "WORD", Help: "lists commands and variables with a word in their name or help",
			Run: c.apropos},
		{Name: "list", Params: "[PREFIX]", Help: "lists commands and variables",
			Run: c.lister("list", true, true), Complete: c.completeNames},
		{Name: "cmds", Params: "[PREFIX]", Help: "lists commands",
			Run: c.lister("cmds", true, false), Complete: c.completeNames},
		{Name: "vars", Params: "[PREFIX]", Help: "lists variables with their values",
			Run: c.lister("vars", false, true), Complete: c.completeNames},
		{Name: "reset", Params: "VARIABLE", Help: "resets a variable to its default",
			Run: c.reset, Complete: c.completeNames},
		{Name: "exec", Params: "FILE", RunsLines: true, Help: "runs a file: a .lua file as one chunk, other files line by line",
			Run: c.exec},
	}
}

func (c *Console) help(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return c.table(c.names) + "\nhelp NAME shows details; any other line is run as Lua", nil
	case len(args) > 1:
		return "", errors.New("usage: help [NAME|PREFIX]")
	}
	if e := c.entries[args[0]]; e != nil {
		return e.describe(), nil
	}
	if c.explain != nil {
		if text := c.explain(args[0]); text != "" {
			return text, nil
		}
	}
	names, lua := c.prefixed(args[0]), c.luaNames(args[0])
	switch {
	case len(names)+len(lua) == 0:
		return "", c.unexplained(args[0])
	case len(names) == 0 && len(lua) == 1:
		return c.explain(lua[0]), nil
	case len(lua) == 0:
		return c.table(names), nil
	}
	more := ""
	if len(lua) > maxListed {
		lua, more = lua[:maxListed], fmt.Sprintf(" … %d more", len(lua)-maxListed)
	}
	text := "in Lua: " + strings.Join(lua, " ") + more
	if len(names) > 0 {
		text = c.table(names) + "\n" + text
	}
	return text, nil
}

// maxListed limits the names of Lua that help lists for a prefix.
const maxListed = 40

// luaNames returns the names of Lua with a prefix. Their case counts only if names match it.
func (c *Console) luaNames(prefix string) []string {
	if c.explained == nil {
		return nil
	}
	var exact, folded []string
	for _, name := range c.explained() {
		switch {
		case strings.HasPrefix(name, prefix):
			exact = append(exact, name)
		case strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix)):
			folded = append(folded, name)
		}
	}
	if len(exact) == 0 {
		exact = folded
	}
	slices.Sort(exact)
	return slices.Compact(exact)
}

// unexplained returns the error for a name that help does not know, with the most similar known
// name.
func (c *Console) unexplained(name string) error {
	if c.explained == nil {
		return c.unknown("command or variable", name)
	}
	text := fmt.Sprintf("there is no command, variable or Lua name %s", Quote(name))
	if near := spell.Nearest(name, append(c.Names(), c.explained()...)); near != "" {
		text += ", did you mean " + near + "?"
	}
	return errors.New(text)
}

func (c *Console) apropos(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: apropos WORD")
	}
	word := strings.ToLower(args[0])
	var names []string
	for _, name := range c.names {
		if strings.Contains(strings.ToLower(name+" "+c.entries[name].help()), word) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no command or variable matches %s", Quote(args[0]))
	}
	return c.table(names), nil
}

// lister makes the commands list, cmds and vars.
func (c *Console) lister(name string, commands, variables bool) func([]string) (string, error) {
	return func(args []string) (string, error) {
		if len(args) > 1 {
			return "", fmt.Errorf("usage: %s [PREFIX]", name)
		}
		var names []string
		for _, name := range c.prefixed(strings.Join(args, "")) {
			if e := c.entries[name]; e.command != nil && commands || e.variable != nil && variables {
				names = append(names, name)
			}
		}
		return c.table(names), nil
	}
}

func (c *Console) reset(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: reset VARIABLE")
	}
	return "", c.Reset(args[0])
}

func (c *Console) exec(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: exec FILE")
	}
	if c.files == nil {
		return "", errors.New("exec: this console has no files")
	}
	name := args[0]
	if !fs.ValidPath(name) {
		return "", fmt.Errorf("exec: %s must be a path inside the console's folder, with / as separator", Quote(name))
	}
	text, err := fs.ReadFile(c.files, name)
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return "", fmt.Errorf("exec: cannot read %s: %w", Quote(name), err)
	}
	return c.ExecFile(name, string(text))
}

// ExecFile runs the text of a file. If the name ends in .lua, the text is one
// chunk of Lua. Otherwise ExecFile runs all of its lines, but for those that begin
// with # or //. The error joins those of the lines, and each names the file and the line.
func (c *Console) ExecFile(name, text string) (string, error) {
	if c.depth >= maxDepth {
		return "", fmt.Errorf("exec: %w at %s", errNested, Quote(name))
	}
	text = strings.TrimPrefix(text, "\ufeff") // Windows editors write a byte order mark
	c.depth++
	outer := c.chunk
	c.chunk = ""
	defer func() { c.depth--; c.chunk = outer }()
	if path.Ext(name) == ".lua" {
		return c.execLua(name, text)
	}
	return c.execLines(name, text)
}

func (c *Console) execLua(name, text string) (string, error) {
	if c.evalFile != nil {
		return c.evalFile(name, text)
	}
	if c.eval == nil {
		return "", fmt.Errorf("exec: this console has no Lua to run %s", Quote(name))
	}
	out, more, err := c.eval(text)
	if more {
		err = errors.New("the chunk is unfinished")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", Clean(name), err)
	}
	return out, err
}

func (c *Console) execLines(name, text string) (string, error) {
	var outs []string
	var failed []error
	number, start := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if c.chunk == "" {
			start = number
			if isComment(line) {
				continue
			}
		}
		out, _, err := c.Feed(line)
		if out != "" {
			outs = append(outs, out)
		}
		if err != nil {
			failed = append(failed, locate(name, start, err))
		}
		if errors.Is(err, errNested) {
			break // a file that runs itself twice would run for ever
		}
	}
	if err := c.End(); err != nil {
		failed = append(failed, locate(name, start, err))
	}
	return strings.Join(outs, "\n"), errors.Join(failed...)
}

// isComment reports whether a line of a file is a comment as the configuration files of other
// programs have them. Comments of Lua are Lua.
func isComment(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// A locatedError names the file and the line where it occurred.
type locatedError struct{ error }

func (p locatedError) Unwrap() error { return p.error }

// locate adds file and line to an error. It does not add them to an error that
// has them already, from a file that this one executes.
func locate(name string, line int, err error) error {
	if errors.As(err, new(locatedError)) {
		return err
	}
	return locatedError{fmt.Errorf("%s:%d: %w", Clean(name), line, err)}
}

// table lists names in two columns: the usage or the value, and the help.
func (c *Console) table(names []string) string {
	width := 0
	for _, name := range names {
		width = max(width, len(c.entries[name].head()))
	}
	width = min(width, 40)
	lines := make([]string, len(names))
	for i, name := range names {
		e := c.entries[name]
		lines[i] = strings.TrimRight(fmt.Sprintf("%-*s  %s", width, e.head(), e.help()), " ")
	}
	return strings.Join(lines, "\n")
}

// head returns the usage of a command, or the name and value of a variable.
func (e *nameEntry) head() string {
	if e.variable != nil {
		return e.variable.Name + " = " + e.show()
	}
	return strings.TrimRight(e.command.Name+" "+e.command.Params, " ")
}

func (e *nameEntry) help() string {
	if e.variable != nil {
		return e.variable.Help
	}
	return e.command.Help
}

// describe returns the full help text of a name.
func (e *nameEntry) describe() string {
	text := e.head()
	if v := e.variable; v != nil && !v.Secret {
		if ranged, ok := v.Value.(RangedValue); ok && ranged.Range() != "" {
			text += "\n  " + ranged.Range()
		}
		text += "\n  default " + e.defaultValue
	}
	if e.help() != "" {
		text += "\n  " + e.help()
	}
	return text
}
