package sim

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// A fingerprint tells whether a peer's class is equal to one of this side, with all that its code
// can rely on: its ancestors, and the classes that its fields refer to, and so on. So Go code only
// meets objects and datablocks of the classes that it was written for.

// Fingerprints returns the fingerprints of the registered net and block classes, by their numbers.
func (cs *Classes) Fingerprints() []uint32 {
	own := cs.wire[:cs.registered()]
	lines, prints := make(map[*Class]uint64, len(own)), make([]uint32, len(own))
	for _, c := range own {
		h := fnv.New64a()
		io.WriteString(h, c.agreement())
		lines[c] = h.Sum64()
	}
	for i, c := range own {
		h := fnv.New64a()
		for _, reached := range cs.reach(c) {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], lines[reached])
			h.Write(b[:])
		}
		prints[i] = uint32(h.Sum64())
	}
	return prints
}

// NamedFingerprints returns the fingerprints of the registered net and block classes by name.
func (cs *Classes) NamedFingerprints() map[string]uint32 {
	named := make(map[string]uint32, cs.registered())
	for i, print := range cs.Fingerprints() {
		named[cs.wire[i].Name] = print
	}
	return named
}

// reach returns a class, its ancestors and the classes that its fields refer to, and those of each
// of these, by name. All are registered net or block classes.
func (cs *Classes) reach(c *Class) []*Class {
	all := []*Class{c}
	for i := 0; i < len(all); i++ {
		next := []*Class{all[i].parent}
		for _, f := range all[i].fields {
			if f.Kind == KindObject {
				next = append(next, cs.Lookup(f.Class))
			}
		}
		for _, n := range next {
			if n != nil && n.Kind != PlainClass && n.spec == nil && !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, byClassName)
	return all
}

// Needed reports whether a peer must have the class as this side has it: no description replaces
// the code that computes its moves or reads its groups.
func (c *Class) Needed() bool {
	_, driven := c.model.(Controllable)
	return c.Moves || driven && c.spec == nil || len(c.Coders) > 0
}

// Lacking returns the first class that a peer with these fingerprints must have and lacks or has
// otherwise, or nil.
func (cs *Classes) Lacking(prints []uint32) *Class {
	for i, print := range cs.Fingerprints() {
		if cs.wire[i].Needed() && !slices.Contains(prints, print) {
			return cs.wire[i]
		}
	}
	return nil
}

// agreement returns describe. Of a registered class it is known, because each host hashes it.
func (c *Class) agreement() string {
	if c.agreed != "" {
		return c.agreed
	}
	return c.describe()
}

// describe returns everything of a net or block class that two peers must agree on, as text.
func (c *Class) describe() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%q %q %d %t\n", c.Name, c.Parent, c.Kind, c.Abstract)
	for _, f := range c.fields {
		f.describe(&w)
		w.WriteString(c.Default(f).Literal() + "\n")
	}
	for i := range c.groups {
		if c.groups[i].coder != nil {
			fmt.Fprintf(&w, "group %d by hand\n", i)
		}
	}
	return w.String()
}

func byClassName(a, b *Class) int { return cmp.Compare(a.Name, b.Name) }
