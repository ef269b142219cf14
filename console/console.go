package console

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A Command is something a line can do.
type Command struct {
	Name   string // dotted: "kick", "mod.reload"
	Params string // for people: "ID|NAME [REASON]"
	Help   string // one sentence

	// Secret keeps lines of this command out of the history.
	Secret bool

	// Run gets the words after the name. Its output may hold several lines and
	// has no newline at its end; its error is one sentence.
	Run func(args []string) (string, error)

	// Line, if set, gets what a typed line holds after the name, just as it
	// stands, in place of Run: for a command whose words mean something elsewhere.
	Line func(rest string) (string, error)

	// Complete, if set, gets the words after the name, the last of them
	// unfinished and possibly empty, and lists what that last one may become.
	Complete func(args []string) []string
}

// A Var is a setting that a line can print and set. Its value at the time of
// Bind is its default.
type Var struct {
	Name  string // dotted: "net.rate"
	Help  string // one sentence
	Value Value

	// Secret keeps the value out of listings and the lines that set it out of
	// the history.
	Secret bool
}

// A Console is the registry and the ladder. It belongs to one goroutine.
type Console struct {
	out       func(line string)
	entries   map[string]*entry
	folded    map[string]string // lower case → name as registered
	names     []string          // sorted keys of entries
	eval      func(chunk string) (string, bool, error)
	evalFile  func(name, chunk string) (string, error)
	complete  func(prefix string) []string
	explain   func(name string) string
	elsewhere func(name string) string
	audit     func(line string, err error)
	files     fs.FS
	depth     int    // files being executed, one inside the other
	chunk     string // the unfinished chunk that Feed collects, or ""
}

// An entry is a name of the console: a command or a variable.
type entry struct {
	command  *Command
	variable *Var
	standard string // the variable's default
}

// New returns a console that knows only its own few commands (see help). What
// Print and Enter write goes to out, a line at a time.
func New(out func(line string)) *Console {
	c := &Console{out: out, entries: map[string]*entry{}, folded: map[string]string{}}
	for _, command := range c.builtins() {
		if err := c.Register(command); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return c
}

// Register adds a command. The name must be free and well formed.
func (c *Console) Register(command Command) error {
	if command.Run == nil {
		return fmt.Errorf("command %s has nothing to run", Quote(command.Name))
	}
	return c.add(command.Name, &entry{command: &command})
}

// Bind adds a variable. The name must be free and well formed.
func (c *Console) Bind(v Var) error {
	if v.Value == nil {
		return fmt.Errorf("variable %s has no value", Quote(v.Name))
	}
	return c.add(v.Name, &entry{variable: &v, standard: v.Value.String()})
}

func (c *Console) add(name string, e *entry) error {
	if !validName(name) {
		return fmt.Errorf("%s is no name: it must be words of letters, digits and _ joined by dots", Quote(name))
	}
	fold := strings.ToLower(name)
	if other, taken := c.folded[fold]; taken {
		return fmt.Errorf("%s is already %s", name, c.entries[other].what(other))
	}
	c.entries[name], c.folded[fold] = e, name
	at, _ := slices.BinarySearch(c.names, name)
	c.names = slices.Insert(c.names, at, name)
	return nil
}

// what names an entry in a sentence.
func (e *entry) what(name string) string {
	if e.command != nil {
		return "the command " + name
	}
	return "the variable " + name
}

// Unregister removes a command or a variable; an unknown name is no matter.
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

// SetAside takes names out of the console and returns what puts them back as
// they were: commands, and variables with their values and defaults. What has
// one of the names by then gives way.
func (c *Console) SetAside(names ...string) (putBack func()) {
	kept := map[string]*entry{}
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

// Changed reports whether a variable has another value than its default; of
// what is no variable it is false.
func (c *Console) Changed(name string) bool {
	e := c.entries[name]
	return e != nil && e.variable != nil && e.variable.Value.String() != e.standard
}

// Lookup returns the command or the variable of that name; both are nil if
// there is none.
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

// Set gives a variable a new value, as the line "NAME VALUE" does.
func (c *Console) Set(name, text string) error {
	e := c.entries[name]
	if e == nil || e.variable == nil {
		return c.unknown("variable", name)
	}
	return e.set(text)
}

func (e *entry) set(text string) error {
	err := e.variable.Value.Set(text)
	if err == nil {
		return nil
	}
	join := ": "
	if strings.HasPrefix(err.Error(), "must ") || strings.HasPrefix(err.Error(), "cannot ") {
		join = " "
	}
	return fmt.Errorf("%s%s%w", e.variable.Name, join, err)
}

// Reset gives a variable its default again.
func (c *Console) Reset(name string) error {
	e := c.entries[name]
	if e == nil || e.variable == nil {
		return c.unknown("variable", name)
	}
	return e.set(e.standard)
}

// SetEval gives the console its last rung, Lua. The function runs a chunk (one
// or more lines), first as an expression whose values are its output; incomplete
// says that the chunk is only the beginning of one.
func (c *Console) SetEval(eval func(chunk string) (out string, incomplete bool, err error)) {
	c.eval = eval
}

// SetEvalFile gives the console a way to run a whole .lua file so that errors
// name the file and its line. Without it such a file is one chunk for SetEval.
func (c *Console) SetEvalFile(eval func(name, chunk string) (string, error)) { c.evalFile = eval }

// SetComplete gives Tab its Lua half. The function gets the run of letters,
// digits and _ . : before the cursor, as "client.na", and returns what it may
// become, as "client.name".
func (c *Console) SetComplete(complete func(prefix string) []string) { c.complete = complete }

// SetExplain gives help its Lua half: what a name of Lua is, in a sentence, or
// "" if there is none such.
func (c *Console) SetExplain(explain func(name string) string) { c.explain = explain }

// SetElsewhere tells of another console: how to reach there what has a name that
// this one does not know, as "client hud", or "" if it does not know it either.
func (c *Console) SetElsewhere(line func(name string) string) { c.elsewhere = line }

// SetAudit lets somebody note every line that Exec and Feed were given, and what was wrong with it. Lines that are to
// be kept secret come without what follows the name.
func (c *Console) SetAudit(audit func(line string, err error)) { c.audit = audit }

// noted runs the ladder for a line and tells the audit.
func (c *Console) noted(line string) (out string, more bool, err error) {
	out, more, err = c.run(line)
	c.note(line, err)
	return out, more, err
}

func (c *Console) note(line string, err error) {
	if c.audit == nil || strings.TrimSpace(line) == "" {
		return
	}
	if name := firstName(line); c.Secret(strings.TrimLeft(line, " ")) {
		line = name + " …"
	}
	c.audit(line, err)
}

// SetFiles gives the command exec the folder it reads from.
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

// Secret says whether a line must be kept out of a history: it begins with a
// space, or with the name of a secret command or variable.
func (c *Console) Secret(line string) bool {
	if strings.HasPrefix(line, " ") {
		return true
	}
	e := c.entries[firstName(line)]
	return e != nil && (e.command != nil && e.command.Secret || e.variable != nil && e.variable.Secret)
}

// firstName is the dotted name that a line begins with, also before ( and =,
// where the line is Lua that names a secret all the same.
func firstName(line string) string {
	line = strings.TrimLeft(line, " \t=")
	for i := range len(line) {
		if !nameByte(line[i]) && line[i] != '.' {
			return line[:i]
		}
	}
	return line
}

// unknown says that there is no such name, and which one may have been meant.
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
