package script

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/fieldtext"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// gameLibs returns rows for a game's classes and functions. Each class has a chapter with its own
// fields and methods, and the functions have one.
func gameLibs(classes *sim.Classes) []vm.Lib {
	var libs []vm.Lib
	for _, c := range classes.List() {
		if lib := classRows(c); len(lib.Funcs) > 0 {
			libs = append(libs, lib)
		}
	}
	if len(classes.Functions()) > 0 {
		lib := vm.Lib{Name: "The world"}
		for _, f := range classes.Functions() {
			lib.Funcs = append(lib.Funcs, functionRow(f).fn())
		}
		libs = append(libs, lib)
	}
	return libs
}

// classRows returns rows for the members of a class, without inherited ones.
func classRows(c *sim.Class) vm.Lib {
	lib := vm.Lib{Name: "Class " + c.Name}
	if parent := c.ParentClass(); parent != nil {
		lib.Name += ", " + fieldtext.Article(parent.Name)
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		lib.Funcs = append(lib.Funcs, row{c.Name + "." + f.Name, ": " + fieldtext.Type(f), vm.Both, fieldtext.Doc(c, f), nil}.fn())
	}
	for i := range c.Methods {
		lib.Funcs = append(lib.Funcs, methodRow(c, &c.Methods[i]).fn())
	}
	for _, e := range c.Events {
		params, results, returns := strings.Cut(e.Params, " -> ")
		if returns {
			results = " -> " + results
		}
		lib.Funcs = append(lib.Funcs, row{"function " + c.Name + ":" + e.Name + "(" + params + ")" + results, "", vm.Server, reference.Sentence(e.Doc), nil}.fn())
	}
	return lib
}

// Reference returns the complete model: all rows, the rows for tests, the classes, and the console
// of this side.
func (s *Scripts) Reference() *reference.Model {
	libs := s.List()
	if tests := TestAPI(); !slices.ContainsFunc(libs, func(l vm.Lib) bool { return l.Name == tests.Name }) {
		libs = append(slices.Clip(libs), tests)
	}
	r := reference.New(libs)
	for _, c := range s.engine.World().Classes().List() {
		e := reference.Class{Name: c.Name, Doc: c.Doc, Datablock: c.Kind == sim.BlockClass, Abstract: c.Abstract, DataBlock: c.DataBlock}
		if p := c.ParentClass(); p != nil {
			e.Parent = p.Name
		}
		r.Classes = append(r.Classes, e)
	}
	r.AddConsole(s.console, s.Side)
	return r
}

// Help returns the console help for a name; see reference.Model.Help.
func (s *Scripts) Help(name string) string { return s.currentReference().Help(name) }

// currentReference is Reference with the members of the classes that mods have declared.
func (s *Scripts) currentReference() *reference.Model {
	r := s.Reference()
	var declared []vm.Lib
	for _, c := range s.engine.World().Classes().List() {
		if c.Spec() != nil {
			declared = append(declared, classRows(c))
		}
	}
	r.Chapters = append(r.Chapters, reference.New(declared).Chapters...)
	return r
}
