package bind

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/vm"
)

// Quote returns s as a Lua string literal on one line. Characters that a terminal does not show are
// escaped byte by byte, so Lua reads the literal back as s.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			b.WriteByte(c)
			i++
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		switch char := s[i : i+n]; {
		case char == `"` || char == `\`:
			b.WriteString(`\` + char)
		case char == "\n":
			b.WriteString(`\n`)
		case char == "\t":
			b.WriteString(`\t`)
		case console.Clean(char) == char:
			b.WriteString(char)
		default:
			for _, c := range []byte(char) {
				fmt.Fprintf(&b, `\%03d`, c)
			}
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}

// clip returns the literal of a string of which only the first bytes are shown.
func clip(s string, most int) string {
	if len(s) <= most {
		return Quote(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return Quote(s[:most]) + "…"
}

// Keywords are the keywords of Lua.
var Keywords = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while")

// IsName reports whether Lua can write a key as a name: t.key.
func IsName(key string) bool {
	return key != "" && strings.Trim(key, vm.NameLetters) == "" && (key[0] < '0' || key[0] > '9') && !slices.Contains(Keywords, key)
}

// Step returns the element of a path for a key: ".name" or "[2]".
func (p *Printer) Step(k lua.LValue) string {
	if s, ok := k.(lua.LString); ok && IsName(string(s)) {
		return "." + string(s)
	}
	return "[" + p.Word(k) + "]"
}
