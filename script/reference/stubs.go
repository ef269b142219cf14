package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/script/vm"
)

// luaChapters lists the chapters that an editor already knows from Lua 5.1. torcInLua lists their
// entries that are specific to torc.
var (
	luaChapters = []string{"Base", "Numbers", "Strings", "Tables", "Coroutines", "Files"}
	torcInLua   = []string{"traceback", "exec", "eval"}
)

// stubHead is the beginning of the stubs, with declarations that have no row.
const stubHead = `---@meta torc
-- What a mod may call, for editors with the Lua language server. Written by: torc mod docs --format lua

---An object whose class is not known here: it may have any field.
---@class Object: SimObject
---@field [string] any

---@alias Group SimSet
---@alias Client GameConnection
---@alias Datablock SimDataBlock

---@class tag
---@operator concat(any): string
---@operator len: integer

---@class Field

---@class Mod
---@field [string] any

---@class Class
---@field name string
---@field [string] any

---@class serverCmd
---@field [string] fun(client: Client, ...: any)
serverCmd = {}

---@class clientCmd
---@field [string] fun(...: any)
clientCmd = {}
`

// A stubWriter writes annotations for the Lua language server.
type stubWriter struct {
	strings.Builder
	r *Model
}

// Stubs writes the reference as annotations for the Lua language server. The result is valid Lua
// that is never run.
func (r *Model) Stubs() string {
	w := &stubWriter{r: r}
	w.WriteString(stubHead)
	w.valueTypes()
	w.connectionCallbacks()
	for i := range r.Classes {
		w.class(&r.Classes[i])
	}
	w.constructors()
	w.functions()
	w.console()
	return w.String()
}

// line writes a line.
func (w *stubWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// doc writes the doc of an entry as a comment, with its realm.
func (w *stubWriter) doc(e *Symbol) {
	w.line("")
	w.line("---%s%s", e.Doc, realmNote(e.Realm))
}

func realmNote(realm string) string {
	switch realm {
	case vm.Server.Letters():
		return " (server)"
	case vm.Client.Letters():
		return " (client)"
	}
	return ""
}

// valueTypes writes the types that are not classes of the game.
func (w *stubWriter) valueTypes() {
	begun := map[string]bool{}
	w.r.Entries(func(e *Symbol) bool {
		if (e.Kind == KindField || e.Kind == KindMethod) && !begun[e.Of] && w.r.Class(e.Of) == nil {
			begun[e.Of] = true
			w.line("\n---@class %s", e.Of)
			if e.Of == "vec" {
				w.line("---@operator add(vec): vec\n---@operator sub(vec): vec\n---@operator mul(number): vec\n---@operator div(number): vec\n---@operator unm: vec")
			}
			w.members(e.Of)
		}
		return true
	})
}

// members writes the fields and methods of a type after the header of its class.
func (w *stubWriter) members(of string) {
	w.each(of, KindField, func(e *Symbol) {
		w.line("---@field %s %s # %s%s", e.Name, stubTypes(e.Types), e.Doc, realmNote(e.Realm))
	})
	w.line("local %s_ = {}", of)
	w.each(of, KindMethod, func(e *Symbol) { w.function(e, of+"_:"+e.Name) })
}

func (w *stubWriter) each(of, kind string, fn func(e *Symbol)) {
	w.r.Entries(func(e *Symbol) bool {
		if e.Of == of && e.Kind == kind {
			fn(e)
		}
		return true
	})
}

// connectionCallbacks writes the callbacks of connections as fields of their table, and the global callbacks.
func (w *stubWriter) connectionCallbacks() {
	w.line("\n---@class GameConnectionCallbacks")
	w.each("GameConnection", KindCallback, func(e *Symbol) {
		w.line("---@field %s? %s # %s%s", e.Name, funType(e.Signature(), ""), e.Doc, realmNote(e.Realm))
	})
	w.line("---@field [string] function\nGameConnection = {}")
	w.each("", KindCallback, func(e *Symbol) {
		w.doc(e)
		w.line("---@type %s|nil", parens(funType(e.Signature(), "")))
		w.line("%s = nil", e.Name)
	})
}

// class writes a class of the game, its fields for construction, and its members.
func (w *stubWriter) class(c *Class) {
	parent, given := "", ""
	if c.Parent != "" {
		parent, given = ": "+c.Parent, ": "+c.Parent+".fields"
	}
	w.line("\n---@class %s.fields%s", c.Name, given)
	switch {
	case c.Name == "SimObject":
		w.line("---@field name? string")
	case c.Name == "SimDataBlock":
		w.line("---@field inherit? string|Datablock")
	}
	w.each(c.Name, KindField, func(e *Symbol) {
		if !slices.Contains([]string{"SimObject", "GameConnection"}, c.Name) {
			w.line("---@field %s? %s", e.Name, w.fieldValueTypes(e.Types))
		}
	})
	w.line("\n---%s", c.Doc)
	w.line("---@class %s%s", c.Name, parent)
	for _, e := range w.callbacks(c) {
		w.line("---@field %s", e)
	}
	if c.Name == "SimSet" {
		w.line("---@operator len: integer")
	}
	w.members(c.Name)
}

// callbacks lists the callbacks that a mod can define in a datablock of this class.
func (w *stubWriter) callbacks(block *Class) []string {
	if !block.Datablock {
		return nil
	}
	var list []string
	if block.Name == "SimDataBlock" {
		list = append(list, "onAdd? fun(self: Datablock, obj: Object)", "onRemove? fun(self: Datablock, obj: Object)", "[string] fun(self: Datablock, obj: any, ...: any)")
	}
	for i := range w.r.Classes {
		of := &w.r.Classes[i]
		if of.DataBlock != block.Name {
			continue
		}
		seen := map[string]bool{}
		for c := of; c != nil; c = w.r.Class(c.Parent) {
			w.each(c.Name, KindCallback, func(e *Symbol) {
				if !seen[e.Name] {
					seen[e.Name] = true
					list = append(list, e.Name+"? "+funType(e.Signature(), "self: "+block.Name+", obj: "+of.Name)+" # "+e.Doc)
				}
			})
		}
	}
	return list
}

// fieldValueTypes returns the type of a value for a field. Datablocks can also be given by name.
func (w *stubWriter) fieldValueTypes(t vm.Types) string {
	for _, one := range t {
		if c := w.r.Class(one.Name); c != nil && c.Datablock {
			return "string|" + stubTypes(t)
		}
	}
	return stubTypes(w.acceptedTypes(t))
}

// acceptedTypes returns the types that a function accepts for a parameter of type t. A class also
// accepts Object, an object of unknown class.
func (w *stubWriter) acceptedTypes(t vm.Types) vm.Types {
	t = parameterTypes(t)
	for _, one := range t {
		if c := w.r.Class(one.Name); c != nil && !c.Datablock && c.Name != "SimObject" && !one.List {
			return append(t, vm.Type{Name: "Object"})
		}
	}
	return t
}

// constructors writes the functions that make objects and datablocks or iterate over objects. Each
// class of the game gets an overload.
func (w *stubWriter) constructors() {
	for _, n := range []struct {
		name      string
		datablock bool
		shape     string
	}{
		{"new", false, "---@overload fun(class: %[1]q): fun(fields?: %[1]s.fields): %[1]s"},
		{"objects", false, "---@overload fun(class: %[1]q): fun(): %[1]s"},
		{"datablock", true, "---@overload fun(class: %[1]q): fun(name: string): fun(fields?: %[1]s.fields): %[1]s"},
	} {
		e := w.find(n.name)
		if e == nil {
			continue
		}
		w.doc(e)
		for _, c := range w.r.Classes {
			if c.Datablock == n.datablock && (!c.Abstract || n.name == "objects") {
				w.line(n.shape, c.Name)
			}
		}
		w.signature(e.Signature())
		w.line("function %s(class) end", n.name)
	}
}

func (w *stubWriter) find(name string) *Symbol {
	var found *Symbol
	w.each("", KindFunction, func(e *Symbol) {
		if e.Name == name {
			found = e
		}
	})
	return found
}

// functions writes the globals: functions, tables of functions, and values.
func (w *stubWriter) functions() {
	for _, c := range w.r.Chapters {
		for i := range c.Entries {
			e := &c.Entries[i]
			switch {
			case slices.Contains(luaChapters, c.Name) && !slices.Contains(torcInLua, e.Name):
			case e.Kind == KindValue && e.Of == "":
				w.doc(e)
				w.line("---@type %s\n%s = nil", stubTypes(e.Types), e.Name)
			case e.Kind == KindFunction && e.Of == "" && e.Name != "new" && e.Name != "datablock" && e.Name != "objects":
				w.global(e)
			}
		}
	}
}

// global writes a global function. A function with members becomes a callable table.
func (w *stubWriter) global(e *Symbol) {
	var members []*Symbol
	w.each(e.Name, KindFunction, func(m *Symbol) { members = append(members, m) })
	if members == nil {
		w.function(e, e.Name)
		return
	}
	w.doc(e)
	w.line("---@class %s_delivery\n---@overload %s\n%s = {}", e.Name, funType(e.Signature(), ""), e.Name)
	for _, m := range members {
		w.function(m, e.Name+"."+m.Name)
	}
}

// function writes one function with its annotations. head is its full name.
func (w *stubWriter) function(e *Symbol, head string) {
	w.doc(e)
	w.signature(e.Signature())
	names := make([]string, len(e.Params))
	for i, p := range e.Params {
		names[i] = p.Name
	}
	w.line("function %s(%s) end", head, strings.Join(names, ", "))
}

func (w *stubWriter) signature(s vm.Signature) {
	for _, p := range s.Params {
		name := p.Name
		if p.Optional && !p.Variadic {
			name += "?"
		}
		w.line("---@param %s %s", name, stubTypes(w.acceptedTypes(p.Types)))
	}
	for _, p := range s.Results {
		switch {
		case p.Variadic:
			w.line("---@return %s ...", stubTypes(p.Types))
		default:
			w.line("---@return %s", strings.TrimSpace(stubTypes(p.Types)+" "+p.Name))
		}
	}
}

// stubTypes formats types for annotations.
func stubTypes(t vm.Types) string {
	if len(t) == 0 {
		return "any"
	}
	texts := make([]string, len(t))
	for i, one := range t {
		switch {
		case one.Fun != nil:
			texts[i] = parens(funType(*one.Fun, ""))
		case one.Name == "{}":
			texts[i] = recordType(one.Fields)
		default:
			texts[i] = one.Name
		}
		if one.List {
			texts[i] += "[]"
		}
	}
	return strings.Join(texts, "|")
}

// parameterTypes converts parameter types: Object becomes SimObject, so that any object is accepted.
func parameterTypes(t vm.Types) vm.Types {
	t = slices.Clone(t)
	for i := range t {
		if t[i].Name == "Object" {
			t[i].Name = "SimObject"
		}
	}
	return t
}

func parens(text string) string { return "(" + text + ")" }

// funType formats a function type. before lists parameters that come first.
func funType(s vm.Signature, before string) string {
	var list []string
	if before != "" {
		list = append(list, before)
	}
	for _, p := range s.Params {
		name := p.Name
		if p.Optional && !p.Variadic {
			name += "?"
		}
		list = append(list, name+": "+stubTypes(p.Types))
	}
	text := "fun(" + strings.Join(list, ", ") + ")"
	for i, p := range s.Results {
		text += map[bool]string{true: ": ", false: ", "}[i == 0] + stubTypes(p.Types)
	}
	return text
}

// recordType formats a table type with named fields. A field that can be nil is optional.
func recordType(fields []vm.Param) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		name, types := f.Name, f.Types
		if types.Has("nil") {
			name += "?"
			types = slices.DeleteFunc(slices.Clone(types), func(t vm.Type) bool { return t.Name == "nil" })
		}
		texts[i] = name + ": " + stubTypes(parameterTypes(types))
	}
	return "{ " + strings.Join(texts, ", ") + " }"
}
