package store

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// Lib has the functions for data that survives the server process.
func Lib() vm.Lib {
	return bind.Chapter("Storage", []bind.Row{
		bind.Def("store", ": Store", vm.Server, "The mod's own persistent storage: values by key.", nil),
		bind.Def("store:get", "key: string -> any", vm.Server, "Returns the value of a key, or nil. A put is visible immediately.", storeGet),
		bind.Def("store:put", "key: string, value: any, [done: fun(ok: boolean, err: string?)]", vm.Server, "Stores a value: boolean, number, string, tag, vec, rot or a table of these; nil deletes the key. done(ok, err) runs when the value is on the disk, or with the error.", storePut),
		bind.Def("store:delete", "key: string, [done: fun(ok: boolean, err: string?)]", vm.Server, "Deletes a key, like store:put(key, nil).", storeDelete),
		bind.Def("store:each", "[prefix: string, [options: table]] -> fun(): (string, any)", vm.Server, "Iterates over the keys that begin with prefix, in order, and their values. Options: from (the first key), limit (how many), reverse (from the last key to the first).", storeEach),
		bind.Def("function onShutdown(restart: boolean)", "", vm.Server, "Runs once, before the server ends and tells its clients. restart is true if it starts again at once. The values that it stores are on the disk when the server starts again.", nil),
	})
}

// A storeHandle is the Go value of the global store.
type storeHandle struct{}

var Meta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexStore),
	bind.Def("__newindex", "", vm.Both, "", func(a bind.Call) int { a.Fail("store values with store:put(key, value)"); return 0 }),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text("store of " + a.Mod.Name) }),
}

func indexStore(a bind.Call) int {
	key := a.Get(2)
	if name, ok := key.(lua.LString); ok {
		if fn := a.Binding().Method("store", string(name)); fn != nil {
			return a.Return(fn)
		}
		if v := a.Mod.Binding.(Holder).ConsoleName("store." + string(name)); v != nil {
			return a.Return(v)
		}
	}
	a.Fail("store has no %s: read values with store:get(key)", bind.Literal(key))
	return 0
}

// storageOf returns the storage of the caller's host.
func storageOf(a bind.Call) *Storage { return a.Mod.Binding.(Holder).Storage() }

// storeArg returns the caller's stored data. It checks argument 1 and fails for a call with a dot,
// as in store.get("x").
func storeArg(a bind.Call) *modStore {
	u, ok := a.Get(1).(*lua.LUserData)
	if ok {
		_, ok = u.Value.(storeHandle)
	}
	if !ok {
		a.Fail("call it with a colon: %s(…)", a.Name())
	}
	b := storageOf(a).modStores[a.Mod.Name]
	if b == nil {
		a.Fail("storage is not available here")
	}
	if b.err != nil {
		a.Fail("%s", b.err)
	}
	return b
}

// storeKey returns argument i, a key.
func storeKey(a bind.Call, i int) string {
	key, ok := a.Get(i).(lua.LString)
	if !ok {
		a.Wrong(i, "a string")
	}
	if len(key) < 1 || len(key) > MaxKey {
		a.Fail("a key must have 1 to %d bytes, not %d", MaxKey, len(key))
	}
	return string(key)
}

func storeGet(a bind.Call) int {
	b, key := storeArg(a), storeKey(a, 2)
	return a.Return(decodeValue(a, key, b.values[key]))
}

// decodeValue decodes a stored value. It returns nil if value is nil.
func decodeValue(a bind.Call, key string, value []byte) lua.LValue {
	if value == nil {
		return lua.LNil
	}
	a.Charge(len(value))
	v, err := Decode(a.Binding(), value)
	if err != nil {
		a.Fail("%s: %s", bind.Literal(lua.LString(key)), err)
	}
	return v
}

func storePut(a bind.Call) int {
	b, key, v := storeArg(a), storeKey(a, 2), a.Any(3)
	if v == lua.LNil {
		return keepChange(a, b, key, nil, a.OptFunction(4))
	}
	value, size, err := encode(v)
	if err != nil {
		a.Charge(size)
		a.Fail("%s", err)
	}
	return keepChange(a, b, key, value, a.OptFunction(4))
}

func storeDelete(a bind.Call) int {
	return keepChange(a, storeArg(a), storeKey(a, 2), nil, a.OptFunction(3))
}

// keepChange records a change and calls done after the change is on disk.
func keepChange(a bind.Call, b *modStore, key string, value []byte, done *lua.LFunction) int {
	a.Charge(256 + len(value))
	st := storageOf(a)
	a.Check(b.checkChange(key, value, st.MaxBytes))
	st.put(b, pendingChange{Write: Write{Mod: a.Mod.Name, Key: key, Value: value}, done: storeCallback{a.Mod, done}})
	return 0
}

// storeEach returns an iterator over keys. Each step searches from the last key, so the loop can
// put and delete keys.
func storeEach(a bind.Call) int {
	b, prefix, o := storeArg(a), a.OptString(2, ""), readEachOptions(a)
	next := b.after
	if o.reverse {
		next = b.before
	}
	last, begun := o.from, false
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: "store:each", Realm: vm.Server, Fn: func(a bind.Call) int {
		a.Charge(32)
		if o.limit == 0 {
			return a.Return(lua.LNil)
		}
		key, more := next(last, prefix, begun)
		if !more {
			return a.Return(lua.LNil)
		}
		last, begun = key, true
		o.limit--
		return a.Return(lua.LString(key), decodeValue(a, key, b.values[key]))
	}}))
}

// eachOptions are the options of store:each.
type eachOptions struct {
	from    string // the first key; "": that of the prefix
	limit   int    // keys that are left
	reverse bool
}

func readEachOptions(a bind.Call) eachOptions {
	o := eachOptions{limit: math.MaxInt}
	if !a.Has(3) {
		return o
	}
	t := a.Options(3, "from", "limit", "reverse")
	switch v := t.RawGetString("from").(type) {
	case *lua.LNilType:
	case lua.LString:
		o.from = string(v)
	default:
		a.Fail("from must be a key, not %s", bind.KindOf(v))
	}
	switch v := t.RawGetString("limit").(type) {
	case *lua.LNilType:
	case lua.LNumber:
		if v < 0 || v != lua.LNumber(int(v)) {
			a.Fail("limit must be an integer of at least 0")
		}
		o.limit = int(v)
	default:
		a.Fail("limit must be an integer, not %s", bind.KindOf(v))
	}
	switch v := t.RawGetString("reverse").(type) {
	case *lua.LNilType:
	case lua.LBool:
		o.reverse = bool(v)
	default:
		a.Fail("reverse must be a boolean, not %s", bind.KindOf(v))
	}
	return o
}

// Global returns the global store of a state, with the metatable made of Meta.
func Global(x *bind.Binding, meta *lua.LTable) lua.LValue { return x.Userdata(storeHandle{}, meta) }
