package console

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/spell"
)

// Complete returns the completions of the word before byte offset pos of a line.
// Each candidate replaces line[start:pos].
func (c *Console) Complete(line string, pos int) (candidates []string, start int) {
	head := line[:min(max(pos, 0), len(line))]
	indent := len(head) - len(strings.TrimLeft(head, " \t"))
	l := c.takeText(head[indent:])
	switch {
	case c.chunk != "" || strings.HasPrefix(l.word, "="):
		return c.completeLua(head)
	case !l.spaced:
		return c.completeFirst(head, indent)
	case l.entry == nil:
		return c.completeLua(head)
	}
	start = strings.LastIndexAny(head, " \t=") + 1
	if args, err := Words(l.rest); err == nil {
		if start == len(head) {
			args = append(args, "")
		}
		candidates = l.entry.complete(args)
	}
	if candidates == nil && l.entry.command != nil && l.entry.command.Complete == nil {
		return c.completeLua(head)
	}
	return matching(candidates, head[start:], true), start
}

// completeFirst completes the first word of a line: a name of the console, or Lua.
func (c *Console) completeFirst(head string, indent int) ([]string, int) {
	names := c.prefixed(head[indent:])
	lua, start := c.completeLua(head)
	if len(names) > 0 && start == indent {
		return sortUnique(append(lua, names...)), indent
	}
	return lua, start
}

// complete returns the candidates of a command or of a variable's value.
func (e *nameEntry) complete(args []string) []string {
	if e.command != nil {
		if e.command.Complete == nil {
			return nil
		}
		return e.command.Complete(args)
	}
	if chosen, ok := e.variable.Value.(ChoiceValue); ok && len(args) == 1 {
		return chosen.Choices()
	}
	return nil
}

// completeLua asks Lua to complete the names, dots and colons at the end of head.
func (c *Console) completeLua(head string) (candidates []string, start int) {
	start = expressionStart(head)
	prefix := head[start:]
	if c.complete == nil || prefix == "" {
		return nil, start
	}
	stem := prefix[:strings.LastIndexAny(prefix, ".:")+1]
	for _, word := range c.complete(prefix) {
		if !strings.HasPrefix(word, prefix) {
			word = stem + word // Lua returned only the last part
		}
		candidates = append(candidates, word)
	}
	return matching(candidates, prefix, false), start
}

// maxExpression is the length of the longest expression that is completed.
const maxExpression = 200

// expressionStart returns the offset of the expression at the end of head: names, dots, colons, and
// brackets with their contents.
func expressionStart(head string) int {
	start, depth := len(head), 0
	for i := len(head) - 1; i >= max(0, len(head)-maxExpression); i-- {
		switch c := head[i]; {
		case c == ')' || c == ']':
			depth++
		case c == '(' || c == '[':
			if depth--; depth < 0 {
				return start
			}
		case depth == 0 && !nameByte(c) && c != '.' && c != ':':
			return start
		}
		if depth == 0 {
			start = i
		}
	}
	return start
}

// matching returns the candidates that begin with typed, sorted. If words is
// set, it quotes candidates where a line needs quotes.
func matching(candidates []string, typed string, words bool) []string {
	var kept []string
	for _, word := range candidates {
		if words {
			word = join(word)
		}
		if strings.HasPrefix(word, typed) {
			kept = append(kept, word)
		}
	}
	return sortUnique(kept)
}

func sortUnique(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// prefixed returns the names that begin with prefix.
func (c *Console) prefixed(prefix string) []string {
	var names []string
	at, _ := slices.BinarySearch(c.names, prefix)
	for _, name := range c.names[at:] {
		if !strings.HasPrefix(name, prefix) {
			break
		}
		names = append(names, name)
	}
	return names
}

// completeNames completes a single argument that is a name of the console.
func (c *Console) completeNames(args []string) []string {
	if len(args) != 1 {
		return nil
	}
	return c.prefixed(args[0])
}

// completeHelp completes a name for help: of the console or of Lua.
func (c *Console) completeHelp(args []string) []string {
	names := c.completeNames(args)
	if c.explained == nil || len(args) != 1 {
		return names
	}
	return append(names, c.luaNames(args[0])...)
}

// nearest returns the registered name most similar to name, or "".
func (c *Console) nearest(name string) string {
	if registered, ok := c.folded[strings.ToLower(name)]; ok {
		return registered
	}
	best, least := "", 1+min(len(name)/3, 3)
	if len(name) > 64 {
		return ""
	}
	for _, candidate := range c.names {
		if d := spell.Distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}
