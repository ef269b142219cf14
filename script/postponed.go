package script

import "fmt"

// afterwards returns the error handler of a call whose effect is postponed until the mod's files
// have loaded. The calling Lua code has returned by then, so an error becomes a fault of the mod.
func (a Args) afterwards() func(error) {
	m, call := a.Mod, where(a.L, 1)+a.row.Name
	return func(err error) { m.Host.Fail(m, loadEvent, fmt.Errorf("%s: %w", call, err)) }
}
