package sim

import (
	"fmt"
	"slices"
)

// Set is an object that refers to other objects, each at most once, in the order of addition. A
// deleted member leaves the set. The zero Set is empty and can be used without a world.
type Set struct {
	Identity
	members    []Object // nil where one was removed
	at         map[*Identity]int
	iterations int // running iterations: while above 0, members keep their indices
}

// Add appends o. It fails if o is not alive. An existing member keeps its place.
func (s *Set) Add(o Object) error {
	i := o.Ident()
	if !i.Alive() {
		return fmt.Errorf("%s is not in the world", i)
	}
	if s.insert(o) {
		i.sets = append(i.sets, s)
	}
	return nil
}

// Remove takes o out and reports whether it was a member.
func (s *Set) Remove(o Object) bool {
	if !s.erase(o) {
		return false
	}
	i := o.Ident()
	at := slices.Index(i.sets, s)
	i.sets = slices.Delete(i.sets, at, at+1)
	return true
}

// Has reports whether o is a member.
func (s *Set) Has(o Object) bool {
	_, has := s.at[o.Ident()]
	return has
}

// Len returns the number of members.
func (s *Set) Len() int { return len(s.at) }

// At returns the i-th member, counted from 0, or nil.
func (s *Set) At(i int) Object {
	if i < 0 || i >= len(s.at) {
		return nil
	}
	if len(s.at) == len(s.members) {
		return s.members[i]
	}
	for _, o := range s.members {
		if o == nil {
			continue
		}
		if i == 0 {
			return o
		}
		i--
	}
	return nil
}

// Each calls do with each member in order until do returns false. The set can change meanwhile:
// removed members are skipped, added ones are not visited.
func (s *Set) Each(do func(Object) bool) {
	s.iterations++
	defer func() {
		s.iterations--
		s.compact()
	}()
	for i, n := 0, len(s.members); i < n; i++ {
		if o := s.members[i]; o != nil && !do(o) {
			return
		}
	}
}

// Members appends the members to dst, in order.
func (s *Set) Members(dst []Object) []Object {
	for _, o := range s.members {
		if o != nil {
			dst = append(dst, o)
		}
	}
	return dst
}

func (s *Set) insert(o Object) bool {
	if s.Has(o) {
		return false
	}
	s.saveForRollback(o)
	if s.at == nil {
		s.at = make(map[*Identity]int)
	}
	s.at[o.Ident()] = len(s.members)
	s.members = append(s.members, o)
	return true
}

func (s *Set) erase(o Object) bool {
	at, has := s.at[o.Ident()]
	if !has {
		return false
	}
	s.saveForRollback(o)
	s.members[at] = nil
	delete(s.at, o.Ident())
	s.compact()
	return true
}

// compact closes the holes once they are as many as the members. The average cost per removal is
// therefore constant.
func (s *Set) compact() {
	if s.iterations > 0 || len(s.members) < 2*len(s.at) || len(s.members) == len(s.at) {
		return
	}
	n := 0
	for _, o := range s.members {
		if o != nil {
			s.members[n] = o
			s.at[o.Ident()] = n
			n++
		}
	}
	clear(s.members[n:])
	s.members = s.members[:n]
}

// saveForRollback tells an open change that a member is added or removed.
func (s *Set) saveForRollback(o Object) {
	if w := o.Ident().world; w != nil && w.change != nil {
		w.change.saveMembership(s, o)
	}
}

// reorder restores an earlier list of members.
func (s *Set) reorder(members []Object) {
	s.members = members
	clear(s.at)
	for at, o := range members {
		if o != nil {
			s.at[o.Ident()] = at
		}
	}
}

func (s *Set) set() *Set { return s }

// clear removes all members, because the set is deleted.
func (s *Set) clear() {
	for _, o := range s.members {
		if o != nil {
			s.Remove(o)
		}
	}
}

// Group is a set that owns its members. Every object is in exactly one group and is deleted with
// it.
type Group struct {
	Set
}

// Add moves o here from its current group. It fails if o or the group is not alive, if o cannot
// leave its group, or if o contains this group.
func (g *Group) Add(o Object) error {
	i := o.Ident()
	switch {
	case !i.Alive():
		return fmt.Errorf("%s is not in the world", i)
	case !g.Alive() || g.world != i.world:
		return fmt.Errorf("%s is not in the world", &g.Identity)
	case i.group == g:
		return nil
	case i.fixed:
		return fmt.Errorf("%s cannot leave its group", i)
	}
	for up := g; up != nil; up = up.group {
		if &up.Identity == i {
			return fmt.Errorf("%s cannot be inside itself", i)
		}
	}
	g.take(o)
	return nil
}

// Remove moves o to the root group and reports whether it was a member. Objects cannot be removed
// from the root group.
func (g *Group) Remove(o Object) bool {
	i := o.Ident()
	if i.group != g || i.fixed || g == g.world.Root {
		return false
	}
	g.world.Root.take(o)
	return true
}

func (g *Group) take(o Object) {
	i := o.Ident()
	if i.group != nil {
		i.group.erase(o)
	}
	g.insert(o)
	i.group = g
}

func (g *Group) owner() *Group { return g }

// replace puts one object into the place of another member.
func (s *Set) replace(was, is Object) {
	at := s.at[was.Ident()]
	delete(s.at, was.Ident())
	s.at[is.Ident()] = at
	s.members[at] = is
}
