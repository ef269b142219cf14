package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/torc-engine/torc/console"
)

// maxListed is the maximum number of candidates that Tab lists.
const maxListed = 200

// A completer handles Tab, on the loop.
type completer struct{ t *Terminal }

// Do implements readline.AutoCompleter. It asks the owner and returns nothing. When the answer has
// come, the loop calls Do again with the same line, and Do returns at most one candidate: the
// common prefix of all. With two candidates readline would open its menu, and the menu can divide
// by zero. Do prints ambiguous candidates instead.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	head, pending := string(line[:pos]), c.t.pending
	if pending == nil {
		c.t.pending = c.t.complete(string(line), len(head))
		return nil, 0
	}
	c.t.pending = nil
	candidates, start := pending.candidates, pending.start
	if start < 0 || start > len(head) {
		return nil, 0
	}
	typed := head[start:]
	common := commonPrefix(candidates)
	switch {
	case len(candidates) == 0 || !strings.HasPrefix(common, typed):
		return nil, 0
	case len(candidates) == 1 && wantsSpace(common, line[pos:]):
		common += " "
	case len(candidates) > 1 && common == typed:
		c.t.Print(columns(candidates, c.t.width()))
		return nil, 0
	}
	return [][]rune{[]rune(console.Clean(common[len(typed):]))}, utf8.RuneCountInString(typed)
}

// wantsSpace reports whether a space follows a complete word. It returns false in
// the middle of a line, and where Lua continues with ( or a dot.
func wantsSpace(word string, rest []rune) bool {
	return len(rest) == 0 && !strings.ContainsAny(word, ":(") && !strings.HasSuffix(word, ".")
}

func commonPrefix(words []string) string {
	if len(words) == 0 {
		return ""
	}
	common := words[0]
	for _, word := range words[1:] {
		for !strings.HasPrefix(word, common) {
			_, n := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-n]
		}
	}
	return common
}

// columns arranges words in columns, column by column, for a terminal of that width.
func columns(words []string, width int) string {
	more := ""
	if len(words) > maxListed {
		words, more = words[:maxListed], "\n…"
	}
	widest := 0
	for _, word := range words {
		widest = max(widest, utf8.RuneCountInString(word))
	}
	across := max(1, (width-1)/(widest+2))
	down := (len(words) + across - 1) / across
	var b strings.Builder
	for row := range down {
		if row > 0 {
			b.WriteByte('\n')
		}
		for i := row; i < len(words); i += down {
			word := console.Clean(words[i])
			b.WriteString(word)
			if i+down < len(words) {
				b.WriteString(strings.Repeat(" ", max(2, widest+2-utf8.RuneCountInString(word))))
			}
		}
	}
	return b.String() + more
}
