package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// truncate shortens a text to at most `most` bytes without splitting a character.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// quoteLua returns s as a Lua string literal on one line.
func quoteLua(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func plainLiteral(v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return vm.NumberText(float64(n))
	}
	return v.String()
}

// countText formats a number of things.
func countText(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
