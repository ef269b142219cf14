package console

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A Command is a named function that a line can call.
type Command struct {
	Name   string // dotted: "kick", "mod.reload"
	Params string // for people: "ID|NAME [REASON]"
	Help   string // one sentence

	// Secret keeps lines of this command out of the history.
	Secret bool

	// RunsLines means that the command runs console lines: those in its arguments, or in a file. So
	// it is never one of the commands of a limited user (ExecCommand).
	RunsLines bool

	// Elsewhere means that the command does its work outside of what the console belongs to, such
	// as on another console. A watcher does not learn of its lines.
	Elsewhere bool

	// Run gets the words after the name. Its output can have several lines, but
	// no newline at its end. Its error is one sentence.
	Run func(args []string) (string, error)

	// Line, if set, replaces Run for typed lines. It gets the unparsed rest of
	// the line after the name. It is for commands that pass their arguments on.
	Line func(rest string) (string, error)

	// Complete, if set, gets the words after the name. The last word is
	// unfinished and can be empty. Complete returns completions of it.
	Complete func(args []string) []string
}

// A Var is a variable that a line can print and set. Its value at the time of
// Bind is its default.
type Var struct {
	Name  string // dotted: "net.rate"
	Help  string // one sentence
	Value VarValue

	// Secret keeps the value out of listings. It also keeps lines that set the
	// value out of the history.
	Secret bool

	// Passing means that the value changes by itself, such as a date. So a
	// program does not save it.
	Passing bool
}

// A Console registers commands and variables and runs lines. It belongs to one
// goroutine.
type Console struct {
	out       func(line string)
	entries   map[string]*nameEntry
	folded    map[string]string // lower case → name as registered
	names     []string          // sorted keys of entries
	eval      func(chunk string) (string, bool, error)
	evalFile  func(name, chunk string) (string, error)
	complete  func(prefix string) []string
	explain   func(name string) string
	explained func() []string
	otherSide func(name string) string
	audit     func(line string, err error)
	watch     func(*Given) (done func())
	adopt     func(Command) Command
	files     fs.FS
	depth     int    // nesting of the files that are being executed
	chunk     string // the unfinished chunk that Feed collects, or ""
}

// A nameEntry is a name of the console: a command or a variable.
type nameEntry struct {
	command      *Command
	variable     *Var
	defaultValue string // the variable's default
}

// New returns a console with only the built-in commands (see help). Print and
// Enter write to out, one line per call.
func New(out func(line string)) *Console {
	c := &Console{out: out, entries: map[string]*nameEntry{}, folded: map[string]string{}}
	for _, command := range c.builtins() {
		if err := c.Register(command); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return c
}

// Register adds a command. The name must be valid and not in use.
func (c *Console) Register(command Command) error {
	if command.Run == nil {
		return fmt.Errorf("command %s has no Run function", Quote(command.Name))
	}
	if err := c.free(command.Name); err != nil {
		return err
	}
	if c.adopt != nil {
		command = c.adopt(command)
	}
	return c.add(command.Name, &nameEntry{command: &command})
}

// SetAdopter sets a function that gets each command that Register adds from now on. The console has
// the command that it returns, which has the same name.
func (c *Console) SetAdopter(adopt func(Command) Command) { c.adopt = adopt }

// Bind adds a variable. The name must be valid and not in use.
func (c *Console) Bind(v Var) error {
	if v.Value == nil {
		return fmt.Errorf("variable %s has no value", Quote(v.Name))
	}
	return c.add(v.Name, &nameEntry{variable: &v, defaultValue: v.Value.String()})
}

// free reports whether a name is valid and not in use.
func (c *Console) free(name string) error {
	if !validName(name) {
		return fmt.Errorf("invalid name %s: must be words of letters, digits and _ joined by dots", Quote(name))
	}
	if other, taken := c.folded[strings.ToLower(name)]; taken {
		return fmt.Errorf("%s is already %s", name, c.entries[other].what(other))
	}
	return nil
}

func (c *Console) add(name string, e *nameEntry) error {
	if err := c.free(name); err != nil {
		return err
	}
	c.entries[name], c.folded[strings.ToLower(name)] = e, name
	at, _ := slices.BinarySearch(c.names, name)
	c.names = slices.Insert(c.names, at, name)
	return nil
}

// what describes an entry in a sentence, as "the command NAME".
func (e *nameEntry) what(name string) string {
	if e.command != nil {
		return "the command " + name
	}
	return "the variable " + name
}

// Unregister removes a command or a variable. It ignores an unknown name.
func (c *Console) Unregister(name string) {
	if c.entries[name] == nil {
		return
	}
	delete(c.entries, name)
	delete(c.folded, strings.ToLower(name))
	if at, found := slices.BinarySearch(c.names, name); found {
		c.names = slices.Delete(c.names, at, at+1)
	}
}

// Detach removes names from the console. The function putBack restores them:
// commands, and variables with their values and defaults. It replaces entries
// that took one of the names meanwhile.
func (c *Console) Detach(names ...string) (putBack func()) {
	kept := map[string]*nameEntry{}
	for _, name := range names {
		if e := c.entries[name]; e != nil {
			kept[name] = e
			c.Unregister(name)
		}
	}
	return func() {
		for _, name := range names {
			if kept[name] == nil {
				continue
			}
			c.Unregister(c.folded[strings.ToLower(name)])
			if err := c.add(name, kept[name]); err != nil {
				panic("BUG: " + err.Error())
			}
		}
	}
}

// Changed reports whether the value of a variable differs from its default. It
// returns false if name is not a variable.
func (c *Console) Changed(name string) bool {
	e := c.entries[name]
	return e != nil && e.variable != nil && e.variable.Value.String() != e.defaultValue
}

// Lookup returns the command or the variable of that name, or nil, nil if there
// is neither.
func (c *Console) Lookup(name string) (*Command, *Var) {
	e := c.entries[name]
	if e == nil {
		return nil, nil
	}
	return e.command, e.variable
}

// Names returns all names, sorted.
func (c *Console) Names() []string { return slices.Clone(c.names) }

// Call runs a command with these arguments.
func (c *Console) Call(name string, args []string) (string, error) {
	e := c.entries[name]
	if e == nil || e.command == nil {
		return "", c.unknown("command", name)
	}
	return e.command.Run(args)
}

// Set sets a variable, like the line "NAME VALUE".
func (c *Console) Set(name, text string) error {
	defer c.given(&Given{Way: BySet, Line: name, Chunk: text}, c.take(name))()
	e := c.entries[name]
	if e == nil || e.variable == nil {
		return c.unknown("variable", name)
	}
	return e.set(text)
}

// Check returns the error of Set for a variable with a CheckedValue. For other
// variables, ok is false.
func (c *Console) Check(name, text string) (ok bool, err error) {
	e := c.entries[name]
	if e == nil || e.variable == nil {
		return false, nil
	}
	v, ok := e.variable.Value.(CheckedValue)
	if !ok {
		return false, nil
	}
	return true, e.explain(v.Check(text))
}

func (e *nameEntry) set(text string) error { return e.explain(e.variable.Value.Set(text)) }

// explain puts the name of the variable before an error of its value.
func (e *nameEntry) explain(err error) error {
	if err == nil {
		return nil
	}
	join := ": "
	if strings.HasPrefix(err.Error(), "must ") || strings.HasPrefix(err.Error(), "cannot ") {
		join = " "
	}
	return fmt.Errorf("%s%s%w", e.variable.Name, join, err)
}

// Reset sets a variable to its default.
func (c *Console) Reset(name string) error {
	defer c.given(&Given{Way: ByReset, Line: name}, c.take(name))()
	e := c.entries[name]
	if e == nil || e.variable == nil {
		return c.unknown("variable", name)
	}
	return e.set(e.defaultValue)
}

// SetEval sets the function that runs Lua. It gets a chunk of one or more lines
// and tries the chunk as an expression first; the values of the expression are
// the output. It returns incomplete = true if the chunk needs more lines.
func (c *Console) SetEval(eval func(chunk string) (out string, incomplete bool, err error)) {
	c.eval = eval
}

// SetEvalFile sets the function that runs a whole .lua file, so that errors name
// the file and its line. Without it, such a file is one chunk for SetEval.
func (c *Console) SetEvalFile(eval func(name, chunk string) (string, error)) { c.evalFile = eval }

// SetComplete sets the function that completes Lua for Tab. It gets the expression
// before the cursor, such as "client.na" or "list[1].na", and returns completions,
// such as "client.name" or "name". It must not run the expression.
func (c *Console) SetComplete(complete func(prefix string) []string) { c.complete = complete }

// SetExplain sets the functions that explain Lua names for help. The first
// returns text about a name, or "" for an unknown name. The second lists the
// known names, for Tab and for suggestions.
func (c *Console) SetExplain(explain func(name string) string, names func() []string) {
	c.explain, c.explained = explain, names
}

// SetOtherSide sets the function that looks up names on another console. It
// returns the line that reaches the name there, such as "client hud", or "" if
// the other console does not know the name either.
func (c *Console) SetOtherSide(line func(name string) string) { c.otherSide = line }

// SetAudit sets a function that receives every line given to Exec and Feed, with
// its error. Secret lines arrive without the text after the name.
func (c *Console) SetAudit(audit func(line string, err error)) { c.audit = audit }

// runAudited runs a line and reports it to the audit function.
func (c *Console) runAudited(line string, l typedLine) (out string, more bool, err error) {
	out, more, err = c.run(l)
	c.auditLine(line, l, err)
	return out, more, err
}

func (c *Console) auditLine(line string, l typedLine, err error) {
	if c.audit == nil || l.text == "" {
		return
	}
	if l.secret {
		line = l.name + " …"
	}
	c.audit(line, err)
}

// SetFiles sets the folder that the command exec reads from.
func (c *Console) SetFiles(files fs.FS) { c.files = files }

// Print writes text to the console's output, line by line.
func (c *Console) Print(text string) {
	if c.out == nil {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		c.out(line)
	}
}

// Secret reports whether a history must not store a line. These are lines that
// begin with a space, or with the name of a secret command or variable.
func (c *Console) Secret(line string) bool {
	return strings.HasPrefix(line, " ") || c.take(line).secret
}

// unknown returns the error for an unknown name, with the most similar known name.
func (c *Console) unknown(kind, name string) error {
	text := fmt.Sprintf("there is no %s %s", kind, Quote(name))
	if near := c.nearest(name); near != "" {
		text += ", did you mean " + near + "?"
	}
	return errors.New(text)
}

func validName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' {
			return false
		}
		for i := range len(part) {
			if !nameByte(part[i]) {
				return false
			}
		}
	}
	return true
}

func nameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
