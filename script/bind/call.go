package bind

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// Call is a call of a row from Lua: vm.Args with readers for the engine's kinds of values. The
// readers of a kind are in the file of its rows.
type Call struct{ vm.Args }

// DataArg returns argument i if it is userdata with a value of type T.
func DataArg[T any](a Call, i int) (v T, ok bool) {
	if u, is := a.Get(i).(*lua.LUserData); is {
		v, ok = u.Value.(T)
	}
	return v, ok
}

// Row is a vm.Func whose function takes a Call.
type Row struct {
	Name   string
	Params string
	Realm  vm.Realm
	Doc    string
	Fn     func(Call) int
}

// Def makes a row.
func Def(name, params string, realm vm.Realm, doc string, run func(Call) int) Row {
	return Row{name, params, realm, doc, run}
}

// Func returns the row as the Lua machine knows it.
func (r Row) Func() vm.Func {
	f := vm.Func{Name: r.Name, Params: r.Params, Realm: r.Realm, Doc: r.Doc}
	if run := r.Fn; run != nil {
		f.Fn = func(a vm.Args) int { return run(Call{a}) }
	}
	return f
}

// Chapter returns rows as a chapter of the reference.
func Chapter(name string, rows []Row) vm.Lib {
	lib := vm.Lib{Name: name, Funcs: make([]vm.Func, len(rows))}
	for i := range rows {
		lib.Funcs[i] = rows[i].Func()
	}
	return lib
}

// Bind makes a Lua function from a row in a state, without setting a global.
func Bind(s *vm.State, r Row) *lua.LFunction {
	f := r.Func()
	return s.Bind(&f)
}

// Check fails with the text of an error, if there is one.
func (a Call) Check(err error) {
	if err != nil {
		a.Fail("%s", err)
	}
}

// DeferredFailure returns the error handler of a call whose effect is postponed until the mod's
// files have loaded. The calling Lua code has returned by then, so an error becomes a fault of the
// mod.
func (a Call) DeferredFailure() func(error) {
	m, call := a.Mod, vm.CallerPosition(a.L, 1)+a.Row.Name
	return func(err error) { m.Runtime.Fail(m, vm.LoadEvent, fmt.Errorf("%s: %w", call, err)) }
}

// Delay returns argument i, a time in ms.
func (a Call) Delay(i int) int64 {
	ms := a.Number(i)
	if !(ms >= 0 && ms <= 1<<40) {
		a.Fail("ms must be 0 or more, not %g", ms)
	}
	return int64(ms)
}
