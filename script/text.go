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

// plainLiteral returns the text of a number, a boolean or a string as a line of the console has it.
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
