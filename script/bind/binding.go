package bind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// A Binding holds the engine's values in the state of one mod: its handles, its tags and its
// methods.
type Binding struct {
	Mod          *vm.Mod
	DeclaredTags map[string]int            // reference counts of tags added by addTaggedString
	Handles      map[sim.ID]*lua.LUserData // the one handle of each object
	Own          map[sim.ID]*lua.LTable    // the mod's tables of objects, obj.own
	boundMethods map[string]*lua.LFunction // methods, by "kind:name"

	env      *Env
	holder   Holder
	meta     *metatables
	interned interned
	recent   [recentHandles]*Handle // the newest handles, by id
	plans    map[*sim.Class]*plan
}

// An Holder is the data of a mod that has a Binding: the value of vm.Mod.Binding. It knows what
// this package does not: callbacks, and the state of a connection.
type Holder interface {
	// Values returns the mod's Binding.
	Values() *Binding
	// Property returns a reader of a member that connections have besides those of every object. It
	// returns nil if they have no such member.
	Property(name string) func(*engine.Connection) lua.LValue
	// Callback returns a callback of a datablock, or of an object's class, as a function of the
	// mod's state, or nil.
	Callback(o sim.Object, name string) *lua.LFunction
	// SetCallback makes a function the mod's callback of a datablock.
	SetCallback(block sim.Object, name string, fn *lua.LFunction)
}

// New prepares the state of a mod for the engine's values.
func New(env *Env, m *vm.Mod, owner Holder) *Binding {
	x := &Binding{
		Mod: m, env: env, holder: owner,
		DeclaredTags: map[string]int{},
		Handles:      map[sim.ID]*lua.LUserData{},
		Own:          map[sim.ID]*lua.LTable{},
		boundMethods: map[string]*lua.LFunction{},
		plans:        map[*sim.Class]*plan{},
	}
	x.interned.sweep()
	if env.meta == nil {
		env.meta = newMetatables(env, m.Runtime)
	}
	x.meta = env.meta
	return x
}

// Of returns the Binding of a mod.
func Of(m *vm.Mod) *Binding { return m.Binding.(Holder).Values() }

// Binding returns the Binding of the calling mod.
func (a Call) Binding() *Binding { return Of(a.Mod) }

// World returns the world of the engine.
func (x *Binding) World() *sim.World { return x.env.Engine.World() }

// ComparesAsObject lets the values of a metatable compare equal to the objects that they stand for.
func (x *Binding) ComparesAsObject(meta *lua.LTable) {
	meta.RawSetString("__eq", x.meta.object.RawGetString("__eq"))
}

// Forget removes all data about a deleted object.
func (x *Binding) Forget(id sim.ID) {
	x.dropHandle(id)
	delete(x.Own, id)
}
