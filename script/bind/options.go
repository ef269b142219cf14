package bind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/vm"
)

// maxKeys is the maximum number of keys, including deleted ones, in a table of options or fields.
// No legitimate table has more.
const maxKeys = 1000

// ChargeKeys fails if a table of options or fields is too large to read. Otherwise it charges for
// reading it.
func (a Call) ChargeKeys(t *lua.LTable) {
	if n := vm.KeyCount(t); n > maxKeys {
		a.Fail("a table of %d keys is too large, at most %d are allowed", n, maxKeys)
	}
	a.Charge(4 * vm.KeyCount(t))
}

// Options returns argument i, a table with no keys but the known ones. Unknown keys are an error,
// so that a typing error is not silently ignored.
func (a Call) Options(i int, known ...string) *lua.LTable {
	t := a.Table(i)
	a.ChargeKeys(t)
	wrong := ""
	vm.Each(t, func(k, _ lua.LValue) {
		for _, name := range known {
			if k == lua.LString(name) {
				return
			}
		}
		wrong = vm.PlainText(k)
	})
	switch near := spell.Nearest(wrong, known); {
	case wrong == "":
	case near != "":
		a.Fail("unknown option %q, did you mean %q?", wrong, near)
	default:
		a.Fail("unknown option %q: available are %s", wrong, strings.Join(known, ", "))
	}
	return t
}

// Positive returns an option that is a number above 0, or 0 without it.
func (a Call) Positive(t *lua.LTable, key string) float64 {
	switch v := t.RawGetString(key).(type) {
	case *lua.LNilType:
		return 0
	case lua.LNumber:
		if v > 0 {
			return float64(v)
		}
	}
	a.Fail("%s must be a number above 0", key)
	return 0
}
