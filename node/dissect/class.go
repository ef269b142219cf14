package dissect

import (
	"strings"

	"github.com/torc-engine/torc/netcore/capture"
)

const (
	maxGroups  = 31 // number of the last group
	maxClasses = 1 << classBits
)

// class is a class with the cells of its groups.
type class struct {
	capture.Class
	id     int
	parent *class // nil: none, or unknown
	groups []group
	ready  bool // groups are made
}

// group is a part of a ghost's state.
type group struct {
	cells  []cell
	smooth bool
	byHand bool
}

// classes are the classes of a session, by id. Those of a server's mods come last.
type classes struct {
	list   []*class
	left   int // classes of the server's list that are still to come
	byName map[string]*class
}

func newClasses(list []capture.Class) *classes {
	cs := &classes{byName: map[string]*class{}}
	for _, c := range list {
		cs.add(c, nil)
	}
	for _, c := range cs.list {
		c.parent = cs.named(c.Parent)
	}
	return cs
}

// add adds a class under the next id. It takes over its name.
func (cs *classes) add(c capture.Class, parent *class) *class {
	added := &class{Class: c, id: len(cs.list), parent: parent}
	cs.list = append(cs.list, added)
	cs.byName[strings.ToLower(c.Name)] = added
	return added
}

// put puts a class of the server's list into its place. Parents can come later, so the last one
// finds them.
func (cs *classes) put(id int, c capture.Class) {
	added := &class{Class: c, id: id}
	cs.list[id] = added
	cs.byName[strings.ToLower(c.Name)] = added
	if cs.left--; cs.left > 0 {
		return
	}
	for _, c := range cs.list {
		c.parent = cs.named(c.Parent)
	}
}

// of returns the class with an id, nil if there is none.
func (cs *classes) of(id int) *class {
	if id < 0 || id >= len(cs.list) {
		return nil
	}
	return cs.list[id]
}

func (cs *classes) named(name string) *class { return cs.byName[strings.ToLower(name)] }

// isBlock reports whether a field refers to a datablock.
func (cs *classes) isBlock(f *capture.Field) bool {
	c := cs.named(f.Class)
	return f.Kind == capture.Object && c != nil && c.Kind == capture.BlockClass
}

// ghost returns the class of a ghost with an id, with its cells. It returns nil if no ghost has it.
func (cs *classes) ghost(id int) *class {
	c := cs.of(id)
	if c == nil || c.Kind != capture.NetClass || c.Abstract {
		return nil
	}
	if !c.ready {
		c.makeGroups(cs)
	}
	return c
}

// makeGroups makes the cells of the groups.
func (c *class) makeGroups(cs *classes) {
	c.groups, c.ready = make([]group, 1), true
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Group < 0 || f.Group > maxGroups {
			continue
		}
		g := c.group(f.Group)
		g.cells = append(g.cells, cs.cells(f)...)
	}
	for _, i := range c.ByHand {
		if i >= 0 && i <= maxGroups {
			c.group(i).byHand = true
		}
	}
	for i := range c.groups {
		g := &c.groups[i]
		g.findRates()
		g.smooth = i > 0 && len(g.cells) > 0
		for k := range g.cells {
			g.smooth = g.smooth && g.cells[k].smooth
		}
	}
}

func (c *class) group(i int) *group {
	for len(c.groups) <= i {
		c.groups = append(c.groups, group{})
	}
	return &c.groups[i]
}

// all returns the mask of all groups.
func (c *class) all() uint32 { return uint32(1<<len(c.groups) - 1) }

// nearest returns the first of some names that the class or one of its ancestors has, "" for none.
func (c *class) nearest(names ...string) string {
	for depth := 0; c != nil && depth < maxClasses; depth++ {
		for _, name := range names {
			if c.Name == name {
				return name
			}
		}
		c = c.parent
	}
	return ""
}
