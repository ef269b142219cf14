package script

import (
	"fmt"

	"github.com/torc-engine/torc/script/vm"
)

// deferredFailure returns the error handler of a call whose effect is postponed until the mod's files
// have loaded. The calling Lua code has returned by then, so an error becomes a fault of the mod.
func (a Call) deferredFailure() func(error) {
	m, call := a.Mod, vm.CallerPosition(a.L, 1)+a.Row.Name
	return func(err error) { m.Runtime.Fail(m, vm.LoadEvent, fmt.Errorf("%s: %w", call, err)) }
}
