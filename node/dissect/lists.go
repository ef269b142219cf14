package dissect

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/netcore/capture"
)

// A server and a client with other lists: the welcome has the server's kinds of events, and its
// first descriptions are its classes.

const groupBits = 5

// welcome says which lists a server has that differ from those of its client.
type welcome struct {
	classes int
	kinds   []uint32 // fingerprints
}

// readWelcome reads the welcome: bytes that hold the lists, where they lie.
func readWelcome(t *trace) *welcome {
	defer t.within("welcome")()
	size := int(min(t.varint("bytes"), maxWelcome+1))
	if size > maxWelcome {
		t.fail("bytes", "a welcome of more than %d bytes", maxWelcome)
	}
	if size == 0 || !t.ok() {
		return nil
	}
	from := t.pos()
	w := &welcome{classes: t.ranged("classes", 0, maxClasses)}
	w.kinds = readPrints(t, t.ranged("kinds", 0, maxKinds), "kind")
	rest := from + 8*size - t.pos()
	if t.ok() && (rest < 0 || rest >= 8) {
		t.fail("bytes", "the lists of the server do not end with the welcome")
	}
	t.raw("zeros", max(rest, 0))
	return w
}

// readPrints reads n fingerprints.
func readPrints(t *trace, n int, name string) (prints []uint32) {
	for i := 0; i < n && t.ok(); i++ {
		prints = append(prints, uint32(t.bits(fmt.Sprintf("%s.%d", name, i), 32)))
	}
	return prints
}

// adopt takes over the lists of the server. w is nil if they are equal.
func (s *session) adopt(w *welcome) {
	if w == nil {
		return
	}
	own := s.header.Kinds
	s.kinds = slices.Clone(own[:min(streamKinds, len(own))])
	for _, print := range w.kinds {
		kind := capture.Kind{Name: fmt.Sprintf("with the fingerprint %08x", print)}
		if i := slices.IndexFunc(own, func(k capture.Kind) bool { return k.Print == print }); i >= 0 {
			kind = own[i]
		}
		s.kinds = append(s.kinds, kind)
	}
	s.classes = &classes{list: make([]*class, w.classes), left: w.classes, byName: map[string]*class{}}
}

// describeListed reads a class of the server's list.
func (r *reading) describeListed(t *trace) (text string) {
	cs := r.s.classes
	id := int(t.bits("id", classBits))
	known := t.flag("known")
	if t.ok() && (id >= len(cs.list) || cs.list[id] != nil) {
		t.fail("id", "the list has no class %d, or has it already", id)
	}
	var c capture.Class
	if known {
		c = r.listedPrint(t)
	} else {
		c = cs.readListed(t)
	}
	if !t.ok() {
		return ""
	}
	cs.put(id, c)
	if known {
		return fmt.Sprintf("class %d is the client's %s", id, c.Name)
	}
	return fmt.Sprintf("class %d: %s, a %s", id, c.Name, c.Parent)
}

// listedPrint reads the fingerprint of a class that both sides have.
func (r *reading) listedPrint(t *trace) (c capture.Class) {
	print := uint32(t.bits("print", 32))
	for _, c := range r.s.header.Classes {
		if c.Print == print && print != 0 && t.ok() {
			t.fields[len(t.fields)-1].Means = c.Name
			return c
		}
	}
	t.fail("print", "no class of the capture has the fingerprint %08x", print)
	return c
}

// readListed reads a class that the client lacks.
func (cs *classes) readListed(t *trace) (c capture.Class) {
	c.Name = t.text("name", maxName)
	parent := cs.of(int(t.bits("parent", classBits)))
	c.Abstract = t.flag("abstract")
	defaults := !c.Abstract || t.flag("defaults")
	n := int(t.bits("fields", 7))
	switch {
	case !t.ok():
		return c
	case parent == nil:
		t.fail("parent", "there is no parent class")
		return c
	case n > maxFields:
		t.fail("fields", "more than %d fields", maxFields)
	}
	c.Parent, c.Kind, c.ByHand = parent.Name, parent.Kind, parent.ByHand
	c.Fields = append(c.Fields, parent.Fields...)
	for i := 0; i < n && t.ok(); i++ {
		leave := t.withinItem(i)
		c.Fields = append(c.Fields, cs.readListedField(t))
		leave()
	}
	if !defaults {
		return c
	}
	defer t.within("default")()
	for _, f := range c.Fields {
		if f.Kind != capture.Object && t.ok() && t.flag(f.Name+".given") {
			f.Bits, f.Step = 0, 0 // exact
			cs.readValue(t, f.Name, &f)
		}
	}
	return c
}

// readListedField reads a field of a class that the client lacks.
func (cs *classes) readListedField(t *trace) (f capture.Field) {
	f.Name = t.text("name", maxName)
	f.Group = int(t.bits("group", groupBits))
	if !readFieldKind(t, &f) {
		return f
	}
	switch f.Kind {
	case capture.String:
		f.Max = int(min(t.varint("max"), maxDescription))
	case capture.Object:
		t.flag("datablock")
		f.Class = t.text("class", maxName)
	default:
		readNumbers(t, &f)
	}
	f.Jumps = t.flag("jumps")
	if t.flag("rated") {
		f.Rate = t.text("rate", maxName)
	}
	return f
}
