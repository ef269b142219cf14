package bind

import (
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// GameRows returns rows for a game's classes and functions. Each class has a chapter with its own
// fields and methods, and the functions have one.
func GameRows(classes *sim.Classes) []vm.Lib {
	var libs []vm.Lib
	for _, c := range classes.List() {
		if lib := ClassRows(c); len(lib.Funcs) > 0 {
			libs = append(libs, lib)
		}
	}
	if len(classes.Functions()) > 0 {
		lib := vm.Lib{Name: "The world"}
		for _, f := range classes.Functions() {
			lib.Funcs = append(lib.Funcs, functionRow(f).Func())
		}
		libs = append(libs, lib)
	}
	return libs
}

// ClassRows returns rows for the members of a class, without inherited ones.
func ClassRows(c *sim.Class) vm.Lib {
	lib := vm.Lib{Name: "Class " + c.Name}
	if parent := c.ParentClass(); parent != nil {
		lib.Name += ", " + article(parent.Name)
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		lib.Funcs = append(lib.Funcs, Row{c.Name + "." + f.Name, ": " + fieldType(f), vm.Both, fieldDoc(c, f), nil}.Func())
	}
	for i := range c.Methods {
		lib.Funcs = append(lib.Funcs, methodRow(c, &c.Methods[i]).Func())
	}
	for _, e := range c.Events {
		params, results, returns := strings.Cut(e.Params, " -> ")
		if returns {
			results = " -> " + results
		}
		lib.Funcs = append(lib.Funcs, Row{"function " + c.Name + ":" + e.Name + "(" + params + ")" + results, "", vm.Server, reference.Sentence(e.Doc), nil}.Func())
	}
	return lib
}
