package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// dataBlockLib has the functions for declaring and transmitting datablocks.
func dataBlockLib() vm.Lib {
	return bind.Chapter("Datablocks", []bind.Row{
		bind.Def(`datablock "Class" "Name" { inherit = "Other", field = value }`, "", vm.Both, "Declares or changes a datablock and returns its handle. It sets no global. The datablock of another mod can be changed with override = true, by a mod that depends on that mod. On a client, in shared/, it declares nothing: the handle refers to the datablock that the server sends.", nil),
		bind.Def("datablock", "class: string -> fun(name: string): fun(fields: table?): Datablock", vm.Both, "The function that the notation above calls.", datablock),
		bind.Def("function Handle:onAdd(obj: Object)", "", vm.Both, "A callback of a datablock: runs when an object with this datablock is complete. Datablocks inherit callbacks.", nil),
		bind.Def("function Handle:onRemove(obj: Object)", "", vm.Both, "Runs before an object with this datablock is removed, which is the last chance to read it.", nil),
		bind.Def("function Handle:onFieldChange(obj: Object, field: string, old: any, new: any)", "", vm.Both, "Runs when a field of an object with this datablock has changed, after the callback of the class.", nil),
		bind.Def("function Handle:onNewDataBlock(obj: Object, old: Datablock)", "", vm.Server, "Runs when an object in the game has changed to this datablock: obj.dataBlock = Handle. A callback of a class gets the old datablock alone. New objects cause onAdd instead.", nil),
		bind.Def("dataBlockKey", "-> integer", vm.Both, "Returns the highest modified key of all datablocks. Each change of a datablock gives it a new, higher key.", dataBlockKey),
		bind.Def("transmitDataBlocks", "client: Client|integer, sequence: integer", vm.Server, "Sends every datablock newer than the client's. Then onDataBlocksDone runs.", transmitDataBlocks),
	})
}

func datablock(a bind.Call) int {
	class := a.ShortString(1)
	if _, err := a.Binding().World().Classes().Find(class); err != nil {
		a.Fail("%s", err)
	}
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: "datablock", Params: "name: string", Realm: vm.Both, Fn: func(a bind.Call) int {
		return namedBlock(a, class, a.String(1))
	}}))
}

func namedBlock(a bind.Call, class, name string) int {
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: "datablock", Params: "fields: table?", Realm: vm.Both, Fn: func(a bind.Call) int {
		if a.Mod.Runtime.Side == vm.Client {
			return a.Return(caller(a).newPendingBlock(name))
		}
		return declareBlock(a, class, name, a.OptTable(1))
	}}))
}

func declareBlock(a bind.Call, class, name string, fields *lua.LTable) int {
	a.Charge(bind.MakeCost)
	x := caller(a)
	parent, override := "", false
	own := x.mod.State.Lua().NewTable()
	if fields != nil {
		a.ChargeKeys(fields)
		vm.Each(fields, func(k, v lua.LValue) {
			switch k {
			case lua.LString("inherit"):
				parent = x.blockName(v)
			case lua.LString("override"):
				if override = v == lua.LTrue; !override {
					a.Fail("override must be true, not %s", bind.KindOf(v))
				}
			default:
				own.RawSet(k, v)
			}
		})
	}
	if err := x.mayDeclareBlock(class, name, override); err != nil {
		a.FailWith(err)
	}
	if limit := x.scripts.caps.blocks; len(x.declaredBlocks) >= limit && !x.declaredBlocks[strings.ToLower(name)] {
		a.Fail("a mod can declare at most %d datablocks", limit)
	}
	anew := x.redeclaresBlock(name, override)
	o, _, err := x.values.World().Blocks.Declare(class, name, parent, func(o sim.Object) error {
		if anew {
			x.resetBlock(o, parent)
		}
		return x.values.SetFields(o, own)
	})
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Return(x.values.Object(o.Ident().ID()))
}

// mayDeclareBlock returns an error if another loaded mod has declared the datablock, unless this
// mod depends on that mod and says override = true. The console can change every datablock.
func (x *instance) mayDeclareBlock(class, name string, override bool) error {
	owner := x.scripts.owners.blocks[strings.ToLower(name)]
	exists := x.values.World().Blocks.ByName(name) != nil
	switch {
	case x.manifest == nil:
	case override && !exists:
		return fmt.Errorf("datablock %q overrides nothing: no mod has declared that name", name)
	case !exists || !x.scripts.owners.owns(owner, x.mod):
	case !x.manifest.DependsOn(owner):
		return fmt.Errorf("mods %s and %s both declare datablock %q: choose another name. To change the one of %s, add it to depends in mod.toml of %s and write override = true",
			owner, x.mod.Name, name, owner, x.mod.Name)
	case !override:
		return fmt.Errorf("mods %s and %s both declare datablock %q: choose another name. To change the one of %s, write datablock %q %q { override = true, ... }",
			owner, x.mod.Name, name, owner, class, name)
	}
	return nil
}

// blockName returns the name of a datablock given as a string or a handle.
func (x *instance) blockName(v lua.LValue) string {
	if o := x.values.Lookup(v); o != nil {
		return o.Ident().Name()
	}
	return bind.TextOf(v)
}

func dataBlockKey(a bind.Call) int {
	return a.Return(lua.LNumber(a.Binding().World().Blocks.Newest()))
}

func transmitDataBlocks(a bind.Call) int {
	a.Client(1).Blocks.Transmit(sequence(a, 2))
	return 0
}

// pendingBlock is the handle of a datablock not yet received from the server. It finds the block by
// name and accepts callbacks for it.
type pendingBlock struct {
	blocks *sim.Blocks
	name   string
}

// block returns the datablock of that name, or nil until the server has sent it.
func (f pendingBlock) block() sim.Object { return f.blocks.ByName(f.name) }

func (f pendingBlock) missing() error {
	return fmt.Errorf("datablock %q has not arrived from the server", f.name)
}

func (x *instance) newPendingBlock(name string) lua.LValue {
	return x.values.Userdata(pendingBlock{x.values.World().Blocks, name}, x.meta.pendingBlock)
}

var pendingBlockMeta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexPendingBlock),
	bind.Def("__newindex", "", vm.Both, "", setPendingBlock),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text(pendingBlockArg(a).name) }),
}

func pendingBlockArg(a bind.Call) pendingBlock {
	f, ok := bind.DataArg[pendingBlock](a, 1)
	if !ok {
		a.Wrong(1, "a datablock")
	}
	return f
}

// indexPendingBlock implements reading a future: it reads the received datablock.
func indexPendingBlock(a bind.Call) int {
	f := pendingBlockArg(a)
	o := f.block()
	if o == nil {
		a.Fail("%s", f.missing())
	}
	return a.Index(o, a.String(2))
}

func setPendingBlock(a bind.Call) int {
	f := pendingBlockArg(a)
	fn, ok := a.Get(3).(*lua.LFunction)
	if !ok {
		a.Fail("datablock %q belongs to the server and is read-only here", f.name)
	}
	caller(a).setCallback(blockKey(f.name), a.String(2), fn)
	return 0
}

func (f pendingBlock) Kind() string { return "a datablock" }
func (f pendingBlock) In(x *bind.Binding) lua.LValue {
	return instanceOf(x.Mod).newPendingBlock(f.name)
}

// Send returns the handle of the datablock. It fails until the server has sent the datablock.
func (f pendingBlock) Send() (sim.Value, error) {
	if o := f.block(); o != nil {
		return sim.Handle(o.Ident().ID()), nil
	}
	return sim.Nil(), f.missing()
}

// resetBlock resets a datablock's fields to the values of its parent, or to the defaults of its
// class.
func (x *instance) resetBlock(o sim.Object, parent string) {
	class, from := o.Ident().Class(), x.values.World().Blocks.ByName(parent)
	if b, ok := o.(sim.Datablock); ok && from == nil {
		b.Data().Disinherit()
	}
	for _, f := range class.AllFields() {
		value := class.Default(f)
		if from != nil && from.Ident().Class().Lookup(f.Name) == f {
			value = f.Get(from)
		}
		if err := f.Set(o, value); err != nil {
			panic("BUG: " + err.Error()) // the value came from a field of this kind
		}
	}
}
