package console

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// maxChunk is the maximum size of the chunk that Feed collects, in bytes.
const maxChunk = 256 << 10

// A typedLine is a line of text, taken apart once for all that handle it.
type typedLine struct {
	text   string     // without spaces around it
	word   string     // the part before the first space
	spaced bool       // a space follows the word
	after  string     // what follows the word and the spaces
	entry  *nameEntry // the command or the variable of the line; nil: the line is Lua
	rest   string     // what follows the name, for the entry
	name   string     // the dotted name at the beginning, also of NAME(…), NAME=… and =NAME: Lua can name a secret too
	secret bool       // name is a secret command or variable
}

// take takes a line apart.
func (c *Console) take(line string) typedLine { return c.takeText(strings.Trim(line, " \t\r\n")) }

// takeText is take for a text that keeps the spaces at its end.
func (c *Console) takeText(text string) typedLine {
	l := typedLine{text: text, name: firstName(text)}
	l.word, l.after, l.spaced = cutSpace(text)
	l.find(c)
	named := c.entries[l.name]
	l.secret = named != nil && (named.command != nil && named.command.Secret || named.variable != nil && named.variable.Secret)
	return l
}

// find finds the command or the variable of the line.
func (l *typedLine) find(c *Console) {
	e := c.entries[l.word]
	switch {
	case e == nil || l.after == "" || !strings.ContainsRune("=(.:[", rune(l.after[0])):
		l.entry, l.rest = e, l.after
	case e.variable == nil || l.after[0] != '=' || strings.HasPrefix(l.after, "=="):
		return // Lua
	default:
		l.entry, l.rest = e, cmp.Or(strings.TrimLeft(l.after[1:], " \t"), `""`)
	}
}

// firstName returns the dotted name at the beginning of a line, after spaces and signs of equality.
func firstName(line string) string {
	line = strings.TrimLeft(line, " \t=")
	for i := range len(line) {
		if !nameByte(line[i]) && line[i] != '.' {
			return line[:i]
		}
	}
	return line
}

// Exec runs one line and returns its output, without a newline at the end. An
// unfinished chunk of Lua is an error. Feed collects such chunks.
func (c *Console) Exec(line string) (string, error) {
	l := c.take(line)
	defer c.given(&Given{Way: ByExec, Line: line}, l)()
	out, more, err := c.runAudited(line, l)
	if more {
		return out, errors.New("the chunk is unfinished: it needs more lines")
	}
	return out, err
}

// Feed runs the next of several lines. If more is true, a chunk of Lua is
// unfinished and the next line continues it.
func (c *Console) Feed(line string) (out string, more bool, err error) {
	l := c.take(line)
	defer c.given(&Given{Way: ByFeed, Line: line, Chunk: c.chunk}, l)()
	if c.chunk == "" {
		out, more, err = c.runAudited(line, l)
		if more {
			c.chunk = l.expression()
		}
		return out, more, err
	}
	chunk := c.chunk + "\n" + line
	c.chunk = "" // a chunk can call the console itself
	if len(chunk) > maxChunk {
		return "", false, fmt.Errorf("the chunk is longer than %d KiB and was discarded", maxChunk>>10)
	}
	out, more, err = c.eval(chunk)
	c.auditLine(line, l, err)
	if more {
		c.chunk = chunk
	}
	return out, more, err
}

// More reports whether Feed waits for the rest of a chunk.
func (c *Console) More() bool { return c.chunk != "" }

// SwapChunk replaces the unfinished chunk that Feed collects and returns the old one;
// "" is none. It lets several people type at one console.
func (c *Console) SwapChunk(begun string) (before string) {
	before, c.chunk = c.chunk, begun
	return before
}

// Cancel discards the chunk that Feed collects.
func (c *Console) Cancel() { c.chunk = "" }

// End tells the console that no more lines come. An unfinished chunk is an error.
func (c *Console) End() error {
	if c.chunk == "" {
		return nil
	}
	first, _, _ := strings.Cut(c.chunk, "\n")
	c.chunk = ""
	return fmt.Errorf("the input ended inside the chunk that begins %s", Quote(truncate(first, 60)))
}

// Enter feeds a line and prints its output, and its error as "error: …".
func (c *Console) Enter(line string) (more bool) {
	out, more, err := c.Feed(line)
	if out != "" {
		c.Print(out)
	}
	if err != nil {
		c.Print("error: " + err.Error())
	}
	return more
}

// run tries a line as a command, as a variable, and as Lua, in this order.
func (c *Console) run(l typedLine) (out string, more bool, err error) {
	switch {
	case l.text == "":
		return "", false, nil
	case l.entry == nil:
		return c.lua(l)
	case l.entry.command != nil:
		out, err = l.entry.command.runTyped(l.rest)
		return out, false, err
	case l.rest == "":
		return l.entry.show(), false, nil
	}
	text, err := value(l.rest)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", l.entry.variable.Name, err)
	}
	return "", false, l.entry.set(text)
}

// runTyped runs a command with the rest of a typed line.
func (c *Command) runTyped(rest string) (string, error) {
	if c.Line != nil {
		return c.Line(rest)
	}
	args, err := Words(rest)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Name, err)
	}
	return c.Run(args)
}

func (c *Console) lua(l typedLine) (out string, more bool, err error) {
	chunk := l.expression()
	if chunk == "" {
		return "", false, errors.New("= must be followed by an expression")
	}
	if c.eval == nil {
		return "", false, c.unknown("command or variable", l.word)
	}
	out, more, err = c.eval(chunk)
	if err != nil {
		if near := c.suggest(l, err.Error()); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
	}
	return out, more, err
}

// suggest returns a correction for a line that was run as Lua by mistake, or "". Such
// a line begins with a misspelt name or with a name of another console. The word
// stands alone or before text that looks like arguments, and Lua does not know
// the word: the error why says so, or there is no help about it.
func (c *Console) suggest(l typedLine, why string) string {
	if !validName(l.word) || l.after != "" && !nameByte(l.after[0]) && l.after[0] != '"' {
		return ""
	}
	better := c.correction(l.word)
	if better == "" { // before help is asked, which takes longer
		return ""
	}
	undefined := strings.Contains(why, "undefined global '"+l.word+"'")
	if !undefined && c.explain != nil && c.explain(l.word) != "" {
		return ""
	}
	return better
}

// correction returns what may be meant by a word that is no name of the console, or "".
func (c *Console) correction(word string) string {
	if c.otherSide != nil {
		if line := c.otherSide(word); line != "" {
			return line
		}
	}
	return c.nearest(word)
}

// expression returns a line of Lua without the sign = that forces Lua.
func (l typedLine) expression() string {
	if rest, ok := strings.CutPrefix(l.text, "="); ok {
		return strings.TrimLeft(rest, " \t")
	}
	return l.text
}

// show returns the text that a variable's name alone prints.
func (e *nameEntry) show() string {
	if e.variable.Secret {
		return "(secret)"
	}
	return Show(e.variable.Value)
}
