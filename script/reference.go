package script

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// Reference returns the complete model: all rows, the rows for tests, the classes, and the console
// of this side.
func (s *Scripts) Reference() *reference.Model {
	libs := s.Runtime.List()
	if s.parts != nil {
		if tests := s.parts.tests(); !slices.ContainsFunc(libs, func(l vm.Lib) bool { return l.Name == tests.Name }) {
			libs = append(slices.Clip(libs), tests)
		}
	}
	r := reference.New(libs)
	for _, c := range s.engine.World().Classes().List() {
		e := reference.Class{Name: c.Name, Doc: c.Doc, Datablock: c.Kind == sim.BlockClass, Abstract: c.Abstract, DataBlock: c.DataBlock}
		if p := c.ParentClass(); p != nil {
			e.Parent = p.Name
		}
		r.Classes = append(r.Classes, e)
	}
	r.AddConsole(s.console, s.Runtime.Side)
	return r
}

// Help returns the console help for a name; see reference.Model.Help.
func (s *Scripts) Help(name string) string { return s.currentReference().Help(name) }

// currentReference is Reference with the members of the classes that mods have declared, or that a
// server has described.
func (s *Scripts) currentReference() *reference.Model {
	r := s.Reference()
	var declared []vm.Lib
	for _, c := range s.engine.World().Classes().List() {
		if c.Spec() != nil || c.Described() {
			declared = append(declared, bind.ClassRows(c))
		}
	}
	r.Chapters = append(r.Chapters, reference.New(declared).Chapters...)
	return r
}
