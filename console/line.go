package console

import (
	"errors"
	"fmt"
	"strings"
)

// maxChunk bounds the chunk that Feed collects, in bytes.
const maxChunk = 256 << 10

// Exec runs one line and returns what it printed, without a newline at the end.
// A chunk of Lua that is unfinished is an error; Feed collects those.
func (c *Console) Exec(line string) (string, error) {
	out, more, err := c.noted(line)
	if more {
		return out, errors.New("the chunk is unfinished: it needs more lines")
	}
	return out, err
}

// Feed runs the next of several lines. more says that a chunk of Lua is
// unfinished and that the next line continues it.
func (c *Console) Feed(line string) (out string, more bool, err error) {
	if c.chunk == "" {
		out, more, err = c.noted(line)
		if more {
			c.chunk = forced(line)
		}
		return out, more, err
	}
	chunk := c.chunk + "\n" + line
	c.chunk = "" // a chunk may run the console itself
	if len(chunk) > maxChunk {
		return "", false, fmt.Errorf("the chunk is longer than %d KiB and was thrown away", maxChunk>>10)
	}
	out, more, err = c.eval(chunk)
	c.note(line, err)
	if more {
		c.chunk = chunk
	}
	return out, more, err
}

// More says whether Feed waits for the rest of a chunk.
func (c *Console) More() bool { return c.chunk != "" }

// Chunk puts an unfinished chunk, or "" for none, in the place of the one that
// Feed collects, and returns that: for several who type at one console.
func (c *Console) Chunk(begun string) (before string) {
	before, c.chunk = c.chunk, begun
	return before
}

// Cancel throws away the chunk that Feed collects.
func (c *Console) Cancel() { c.chunk = "" }

// End says that no more lines come: an unfinished chunk is an error.
func (c *Console) End() error {
	if c.chunk == "" {
		return nil
	}
	first, _, _ := strings.Cut(c.chunk, "\n")
	c.chunk = ""
	return fmt.Errorf("the input ended inside the chunk that begins %s", Quote(cut(first, 60)))
}

// Enter feeds a line and prints what came of it: the output, or the error as
// "error: …".
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

// run is the ladder: command, variable, Lua.
func (c *Console) run(line string) (out string, more bool, err error) {
	line = strings.Trim(line, " \t\r\n")
	if line == "" {
		return "", false, nil
	}
	e, rest := c.first(line)
	switch {
	case e == nil:
		return c.lua(line)
	case e.command != nil:
		out, err = e.command.typed(rest)
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

// typed runs a command as a line does.
func (c *Command) typed(rest string) (string, error) {
	if c.Line != nil {
		return c.Line(rest)
	}
	args, err := Words(rest)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Name, err)
	}
	return c.Run(args)
}

// first finds the command or variable that a trimmed line is for, and what
// follows it; nil means that the line is Lua.
func (c *Console) first(line string) (*entry, string) {
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
	chunk := forced(line)
	if chunk == "" {
		return "", false, errors.New("= must be followed by an expression")
	}
	if c.eval == nil {
		word, _, _ := cutSpace(line)
		return "", false, c.unknown("command or variable", word)
	}
	out, more, err = c.eval(chunk)
	if near := c.slip(line); err != nil && near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return out, more, err
}

// slip is what was meant by a line that is Lua only because its first word is
// misspelt, or a name of another console, or "": it stands alone, or before what looks like arguments,
// and Lua knows no such word.
func (c *Console) slip(line string) string {
	word, rest, _ := cutSpace(line)
	if !validName(word) || rest != "" && !nameByte(rest[0]) && rest[0] != '"' || c.explain != nil && c.explain(word) != "" {
		return ""
	}
	if c.elsewhere != nil {
		if line := c.elsewhere(word); line != "" {
			return line
		}
	}
	return c.nearest(word)
}

// forced takes away the sign = that forces Lua.
func forced(line string) string {
	line = strings.Trim(line, " \t\r\n")
	if rest, ok := strings.CutPrefix(line, "="); ok {
		return strings.TrimLeft(rest, " \t")
	}
	return line
}

// show is what a variable's name alone prints.
func (e *entry) show() string {
	if e.variable.Secret {
		return "(secret)"
	}
	return Show(e.variable.Value)
}
