package script

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

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

// Help returns the console help for the rows of a name; see reference.Help.
func (s *Scripts) Help(name string) string { return reference.Help(s.List(), name) }
