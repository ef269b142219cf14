package game

import "github.com/torc-engine/torc/engine/sim"

// maxClasses is the maximum number of classes of a classMask.
const maxClasses = 16

// A classMask has the objects of some classes, and of classes that inherit from them. The zero
// classMask has all objects.
type classMask struct {
	named   bool // false: all objects
	list    []*sim.Class
	walls   bool // it has Boxes, by their name
	unknown error
}

// classes reads all further arguments, each the name of a class. nil and "" are no class. A class
// that does not exist is in unknown, because a client may not have received it yet.
func (a *args) classes(w *sim.World) (m classMask) {
	if len(a.list)-a.next > maxClasses {
		a.fail("the number of classes", "at most "+digits(maxClasses), sim.Number(float64(len(a.list)-a.next)))
		return m
	}
	wall := w.Classes().Lookup(boxClass.Name)
	for a.next < len(a.list) {
		name := a.text("class", sim.MaxName)
		if name == "" {
			continue
		}
		m.named = true
		class, err := w.Classes().Find(name)
		if err != nil {
			m.unknown = err
			continue
		}
		m.list = append(m.list, class)
		m.walls = m.walls || class.IsA(wall) || wall.IsA(class)
	}
	return m
}

// has reports whether an object is in the mask.
func (m *classMask) has(o sim.Object) bool { return !m.named || m.hasClass(o.Ident().Class()) }

// hasClass reports whether the objects of a class are in the mask.
func (m *classMask) hasClass(class *sim.Class) bool {
	if !m.named {
		return true
	}
	for _, c := range m.list {
		if class.IsA(c) {
			return true
		}
	}
	return false
}
