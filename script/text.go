package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// truncate shortens a text to at most `most` bytes without splitting a character.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

func luaLiteral(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return quoteLua(string(v))
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case tag:
			return "tag " + quoteLua(d.value.Text())
		case sim.Vec3:
			return fmt.Sprintf("vec(%.14g, %.14g, %.14g)", d.X, d.Y, d.Z)
		case sim.Rot:
			return fmt.Sprintf("rot(%.14g, %.14g, %.14g)", d.Yaw, d.Pitch, d.Roll)
		case handle:
			return fmt.Sprintf("object %d", d.id)
		case written:
			return d.literal()
		}
		return strings.TrimPrefix(kindOfUserData(v.Value), "a ")
	case *lua.LTable:
		return fmt.Sprintf("table: %d", v.Len())
	case *lua.LFunction:
		return "function"
	}
	return plainLiteral(v)
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
