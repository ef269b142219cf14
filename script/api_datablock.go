package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// dataBlockLib has the functions for declaring and transmitting datablocks.
func dataBlockLib() Lib {
	return Lib{"Datablocks", []Func{
		{`datablock "Class" "Name" { inherit = "Other", field = value }`, "", Both, "Declares or changes a datablock and returns its handle. On a client, in shared/, it declares nothing: the handle stands for what the server sends.", nil},
		{"datablock", "class: string -> fun(name: string): fun(fields: table?): Datablock", Both, "The function behind that notation.", datablock},
		{"function Handle:onAdd(obj: Object)", "", Both, "A callback of a datablock: an object that has it is whole. Blocks that inherit from it answer to it too.", nil},
		{"function Handle:onRemove(obj: Object)", "", Both, "An object that has the datablock goes; it can be read for the last time.", nil},
		{"dataBlockKey", "-> integer", Both, "The newest modified key: it grows whenever a datablock changes.", dataBlockKey},
		{"transmitDataBlocks", "client: Client|integer, sequence: integer", Server, "Sends every datablock newer than what the client has; onDataBlocksDone follows.", transmitDataBlocks},
	}}
}

func datablock(a Args) int {
	class := a.Word(1)
	if _, err := a.ext().world().Classes().Find(class); err != nil {
		a.Fail("%s", err)
	}
	return a.Return(a.Mod.State.Bind(&Func{Name: "datablock", Params: "name: string", Realm: Both, Fn: func(a Args) int {
		return a.namedBlock(class, a.String(1))
	}}))
}

func (a Args) namedBlock(class, name string) int {
	return a.Return(a.Mod.State.Bind(&Func{Name: "datablock", Params: "fields: table?", Realm: Both, Fn: func(a Args) int {
		if a.Mod.Host.Side == Client {
			return a.Return(a.ext().futureBlock(name))
		}
		return a.declareBlock(class, name, a.OptTable(1))
	}}))
}

func (a Args) declareBlock(class, name string, fields *lua.LTable) int {
	a.Charge(makeCost)
	x := a.ext()
	parent := ""
	own := x.mod.State.Lua().NewTable()
	if fields != nil {
		a.named(fields)
		fields.ForEach(func(k, v lua.LValue) {
			if key, ok := k.(lua.LString); ok && key == "inherit" {
				parent = x.blockName(v)
				return
			}
			own.RawSet(k, v)
		})
	}
	if limit := x.scripts.caps.blocks; len(x.anew) >= limit && !x.anew[strings.ToLower(name)] {
		a.Fail("a mod may declare %d datablocks", limit)
	}
	anew := x.declaresAnew(name)
	o, _, err := x.world().Blocks.Declare(class, name, parent, func(o sim.Object) error {
		if anew {
			x.beginAnew(o, parent)
		}
		return x.setFields(o, own)
	})
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Return(x.object(o.Ident().ID()))
}

// blockName returns the name of a datablock given as a string or a handle.
func (x *ext) blockName(v lua.LValue) string {
	if o := x.lookup(v); o != nil {
		return o.Ident().Name()
	}
	return textOf(v)
}

func dataBlockKey(a Args) int {
	return a.Return(lua.LNumber(a.ext().world().Blocks.Newest()))
}

func transmitDataBlocks(a Args) int {
	a.client(1).TransmitDataBlocks(a.sequence(2))
	return 0
}

// future is the handle of a datablock not yet received from the server. It finds the block by name
// and accepts callbacks for it.
type future struct {
	blocks *sim.Blocks
	name   string
}

// block returns the datablock of that name, or nil until the server has sent it.
func (f future) block() sim.Object { return f.blocks.ByName(f.name) }

func (f future) missing() error {
	return fmt.Errorf("datablock %q has not come from the server", f.name)
}

func (x *ext) futureBlock(name string) lua.LValue {
	return x.userdata(future{x.world().Blocks, name}, x.meta.future)
}

var futureMeta = []Func{
	{"__index", "", Both, "", indexFuture},
	{"__newindex", "", Both, "", setFuture},
	{"__tostring", "", Both, "", func(a Args) int { return a.Text(a.future().name) }},
}

func (a Args) future() future {
	u, _ := a.Get(1).(*lua.LUserData)
	f, ok := u.Value.(future)
	if !ok {
		a.wrong(1, "a datablock")
	}
	return f
}

// indexFuture implements reading a future: it reads the received datablock.
func indexFuture(a Args) int {
	f := a.future()
	o := f.block()
	if o == nil {
		a.Fail("%s", f.missing())
	}
	return a.index(o, a.String(2))
}

func setFuture(a Args) int {
	f := a.future()
	fn, ok := a.Get(3).(*lua.LFunction)
	if !ok {
		a.Fail("datablock %q belongs to the server and is read-only here", f.name)
	}
	a.ext().setCallback(blockKey(f.name), a.String(2), fn)
	return 0
}
