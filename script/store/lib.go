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
		bind.Def("store:update", "key: string, fn: fun(old: any): any, [done: fun(ok: boolean, err: string?)]", vm.Server, "Puts fn(old), where old is the value of the key or nil; nil deletes the key. fn runs at once. If servers of a fleet share the store and another one was faster, fn runs again with its value in a later tick, up to 8 times in all.", storeUpdate),
		bind.Def("store:each", "[prefix: string, [options: table]] -> fun(): (string, any)", vm.Server, "Iterates over the keys that begin with prefix, in order, and their values. Options: from (the first key), limit (how many), reverse (from the last key to the first).", storeEach),
		bind.Def("function onShutdown(restart: boolean)", "", vm.Server, "Runs once, before the server ends and tells its clients. restart is true if it starts again at once. The values that it stores are on the disk when the server starts again.", nil),
		bind.Def("shared", ": Shared", vm.Server, "The mod's values that all servers of the fleet share. Without a fleet they are on this server's disk, beside those of store.", nil),
		bind.Def("shared:get", "key: string -> any", vm.Server, "Returns the value of a key at once, or nil. A put of this server is visible immediately, one of another server a moment after it.", storeGet),
		bind.Def("shared:put", "key: string, value: any, [done: fun(ok: boolean, err: string?)]", vm.Server, "Stores a value as store:put does. done(true) runs when the fleet has it. If another server has changed the key since this one saw it, nothing is stored: done(false, err) runs, and shared:get returns the other value. All puts of a tick happen or none, but each 999 of them count alone.", storePut),
		bind.Def("shared:delete", "key: string, [done: fun(ok: boolean, err: string?)]", vm.Server, "Deletes a key, like shared:put(key, nil).", storeDelete),
		bind.Def("shared:update", "key: string, fn: fun(old: any): any, [done: fun(ok: boolean, err: string?)]", vm.Server, "Puts fn(old), where old is the value of the key or nil. fn runs at once. If another server was faster, fn runs again with its value in a later tick, up to 8 times in all. Use it to count: no update is lost.", storeUpdate),
		bind.Def("shared:each", "[prefix: string, [options: table]] -> fun(): (string, any)", vm.Server, "Iterates over the keys and values as store:each does.", storeEach),
		bind.Def("shared:claim", "key: string, [done: fun(ok: boolean, holder: string?)]", vm.Server, "Claims a key: until this server releases it, ends, or has been away from the fleet for 6 s, the puts of other servers fail with \"claimed by\" and its name. done gets the name of the holder. Without a fleet each claim is granted. A server without a line to the fleet can lose its claim and not know it, but then its puts fail, too.", sharedClaim),
		bind.Def("shared:release", "key: string", vm.Server, "Ends the claim of this server to a key. Without one it does nothing.", sharedRelease),
		bind.Def("function onShared(key: string, value: any)", "", vm.Server, "Runs when another server has changed a shared value; nil: it was deleted. If a key changes several times in a moment, it runs once with the newest value.", nil),
	})
}

// A storeHandle is the Go value of the globals store and shared.
type storeHandle struct{ shared bool }

// name returns the name of the global.
func (h storeHandle) name() string {
	if h.shared {
		return "shared"
	}
	return "store"
}

// set returns the name of a mod's set.
func (h storeHandle) set(mod string) string {
	if h.shared {
		return SharedSet(mod)
	}
	return mod
}

var Meta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexStore),
	bind.Def("__newindex", "", vm.Both, "", func(a bind.Call) int {
		a.Fail("store values with %s:put(key, value)", handleOf(a).name())
		return 0
	}),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text(handleOf(a).name() + " of " + a.Mod.Name) }),
}

// handleOf returns the handle in argument 1.
func handleOf(a bind.Call) storeHandle {
	h, ok := bind.DataArg[storeHandle](a, 1)
	if !ok {
		a.Fail("call it with a colon: %s(…)", a.Name())
	}
	return h
}

func indexStore(a bind.Call) int {
	global, key := handleOf(a).name(), a.Get(2)
	if name, ok := key.(lua.LString); ok {
		if fn := a.Binding().Method(global, string(name)); fn != nil {
			return a.Return(fn)
		}
		if v := a.Mod.Binding.(Holder).ConsoleName(global + "." + string(name)); v != nil {
			return a.Return(v)
		}
	}
	a.Fail("%s has no %s: read values with %[1]s:get(key), and write them with %[1]s:put(key, value)", global, bind.Literal(key))
	return 0
}

// storageOf returns the storage of the caller's host.
func storageOf(a bind.Call) *Storage { return a.Mod.Binding.(Holder).Storage() }

// storeArg returns the caller's stored data. It checks argument 1 and fails for a call with a dot,
// as in store.get("x").
func storeArg(a bind.Call) *modStore {
	h, st := handleOf(a), storageOf(a)
	if st.store == nil {
		a.Fail("storage is not available here")
	}
	set := h.set(a.Mod.Name)
	b := st.modStores[set]
	if b == nil {
		b = st.open(set)
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
	return keepChange(a, b, key, encoded(a, v), attempt{done: storeCallback{a.Mod, a.OptFunction(4)}})
}

// encoded encodes a value that a mod stores; nil for nil.
func encoded(a bind.Call, v lua.LValue) []byte {
	if v == lua.LNil {
		return nil
	}
	value, size, err := EncodeSized(v)
	if err != nil {
		a.Charge(size)
		a.Fail("%s", err)
	}
	return value
}

func storeDelete(a bind.Call) int {
	b, key := storeArg(a), storeKey(a, 2)
	return keepChange(a, b, key, nil, attempt{done: storeCallback{a.Mod, a.OptFunction(3)}})
}

func storeUpdate(a bind.Call) int {
	b, key := storeArg(a), storeKey(a, 2)
	at := attempt{b: b, key: key, fn: a.Function(3), done: storeCallback{a.Mod, a.OptFunction(4)}}
	out, err := a.Mod.Runtime.EnterCallback(event, a.Mod, at.fn, []lua.LValue{decodeValue(a, key, b.values[key])})
	if err != nil {
		a.Raise(err)
	}
	if len(out) == 0 {
		out = []lua.LValue{lua.LNil}
	}
	return keepChange(a, b, key, encoded(a, out[0]), at)
}

// keepChange records a change and calls done after the change is on disk.
func keepChange(a bind.Call, b *modStore, key string, value []byte, at attempt) int {
	a.Charge(256 + len(value))
	st := storageOf(a)
	a.Check(st.checkChange(b, key, value))
	switch {
	case b.shared == nil:
		st.put(b, pendingChange{Write: Write{Mod: b.name, Key: key, Value: value}, done: at.done})
	case at.fn == nil:
		st.remote.(*shares).put(b, key, value, at.done, nil)
	default:
		st.remote.(*shares).put(b, key, value, at.done, &at)
	}
	return 0
}

func sharedClaim(a bind.Call) int {
	b, key, done := storeArg(a), storeKey(a, 2), storeCallback{a.Mod, a.OptFunction(3)}
	st := storageOf(a)
	a.Charge(256 + len(b.values[key]))
	if b.shared == nil {
		st.give(done, lua.LTrue)
		return 0
	}
	a.Check(st.checkChange(b, key, b.values[key]))
	st.remote.(*shares).claim(attempt{b: b, key: key, done: done})
	return 0
}

func sharedRelease(a bind.Call) int {
	b, key := storeArg(a), storeKey(a, 2)
	a.Charge(256 + len(b.values[key]))
	if b.shared != nil {
		storageOf(a).remote.(*shares).release(b, key)
	}
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
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: handleOf(a).name() + ":each", Realm: vm.Server, Fn: func(a bind.Call) int {
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

// Global returns the global store of a state, or its global shared, with the metatable made of
// Meta.
func Global(x *bind.Binding, meta *lua.LTable, shared bool) lua.LValue {
	return x.Userdata(storeHandle{shared}, meta)
}
