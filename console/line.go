package console

import (
	"errors"
	"fmt"
	"strings"
)

// maxChunk is the maximum size of the chunk that Feed collects, in bytes.
const maxChunk = 256 << 10

// Exec runs one line and returns its output, without a newline at the end. An
// unfinished chunk of Lua is an error. Feed collects such chunks.
func (c *Console) Exec(line string) (string, error) {
	defer c.given(&Given{Way: ByExec, Line: line})()
	out, more, err := c.runAudited(line)
	if more {
		return out, errors.New("the chunk is unfinished: it needs more lines")
	}
	return out, err
}

// Feed runs the next of several lines. If more is true, a chunk of Lua is
// unfinished and the next line continues it.
func (c *Console) Feed(line string) (out string, more bool, err error) {
	defer c.given(&Given{Way: ByFeed, Line: line, Chunk: c.chunk})()
	if c.chunk == "" {
		out, more, err = c.runAudited(line)
		if more {
			c.chunk = trimEquals(line)
		}
		return out, more, err
	}
	chunk := c.chunk + "\n" + line
	c.chunk = "" // a chunk can call the console itself
	if len(chunk) > maxChunk {
		return "", false, fmt.Errorf("the chunk is longer than %d KiB and was discarded", maxChunk>>10)
	}
	out, more, err = c.eval(chunk)
	c.auditLine(line, err)
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
func (c *Console) run(line string) (out string, more bool, err error) {
	line = strings.Trim(line, " \t\r\n")
	if line == "" {
		return "", false, nil
	}
	e, rest := c.lookupLine(line)
	switch {
	case e == nil:
		return c.lua(line)
	case e.command != nil:
		out, err = e.command.runTyped(rest)
		return out, false, err
	case rest == "":
		return e.show(), false, nil
	}
	text, err := value(rest)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", e.variable.Name, err)
	}
	return "", false, e.set(text)
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

// lookupLine returns the command or variable of a trimmed line, and the rest of the
// line. It returns nil if the line is Lua.
func (c *Console) lookupLine(line string) (*nameEntry, string) {
	word, rest, spaced := cutSpace(line)
	e := c.entries[word]
	if e == nil || !spaced || rest == "" {
		return e, ""
	}
	if !strings.ContainsRune("=(.:[", rune(rest[0])) {
		return e, rest
	}
	if e.variable == nil || rest[0] != '=' || strings.HasPrefix(rest, "==") {
		return nil, ""
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if rest == "" {
		rest = `""`
	}
	return e, rest
}

func (c *Console) lua(line string) (out string, more bool, err error) {
	chunk := trimEquals(line)
	if chunk == "" {
		return "", false, errors.New("= must be followed by an expression")
	}
	if c.eval == nil {
		word, _, _ := cutSpace(line)
		return "", false, c.unknown("command or variable", word)
	}
	out, more, err = c.eval(chunk)
	if err != nil {
		if near := c.suggestLine(line, err.Error()); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
	}
	return out, more, err
}

// suggestLine returns a correction for a line that was run as Lua by mistake, or "". Such
// a line begins with a misspelt name or with a name of another console. The word
// stands alone or before text that looks like arguments, and Lua does not know
// the word: the error why says so, or there is no help about it.
func (c *Console) suggestLine(line, why string) string {
	word, rest, _ := cutSpace(line)
	if !validName(word) || rest != "" && !nameByte(rest[0]) && rest[0] != '"' {
		return ""
	}
	undefined := strings.Contains(why, "undefined global '"+word+"'")
	if !undefined && c.explain != nil && c.explain(word) != "" {
		return ""
	}
	if c.otherSide != nil {
		if line := c.otherSide(word); line != "" {
			return line
		}
	}
	return c.nearest(word)
}

// trimEquals removes the sign = that forces Lua.
func trimEquals(line string) string {
	line = strings.Trim(line, " \t\r\n")
	if rest, ok := strings.CutPrefix(line, "="); ok {
		return strings.TrimLeft(rest, " \t")
	}
	return line
}

// show returns the text that a variable's name alone prints.
func (e *nameEntry) show() string {
	if e.variable.Secret {
		return "(secret)"
	}
	return Show(e.variable.Value)
}
