package dissect

import (
	"fmt"

	"github.com/torc-engine/torc/netcore/capture"
)

const (
	maxDescription = 256 << 10
	maxRecording   = 1 << 10
	maxName        = 64
	maxKey         = 1 << 48
	classBits      = 10
	maxFields      = 64
)

// description describes a class or a datablock.
type description struct {
	class bool
	data  []byte
}

// block is a datablock that the receiver has.
type block struct {
	class *class
	name  string
	key   uint64
}

// describe reads a description in its turn, because it needs the ones before. The positions of its
// fields count from the beginning of its bytes.
func (r *reading) describe(d *description, p *Processed) {
	t := newTrace(d.data)
	if d.class && r.s.classes.left > 0 {
		t.prefix = "class."
		p.Text = r.describeListed(t)
	} else if d.class {
		t.prefix = "class."
		p.Text = r.describeClass(t)
	} else {
		t.prefix = "datablock."
		p.Text = r.describeBlock(t)
	}
	if !t.ok() {
		r.fail("processed", "the description: %s", t.failure())
	}
	p.Fields = t.fields
}

// describeBlock reads a datablock.
func (r *reading) describeBlock(t *trace) (text string) {
	id := int(t.bits("class", classBits))
	c := r.s.classes.of(id)
	if t.ok() && (c == nil || c.Kind != capture.BlockClass || c.Abstract) {
		t.fail("class", "there is no datablock class %d", id)
	}
	index, key := t.bits("index", blockBits), t.varint("key")
	if !t.ok() {
		return ""
	}
	t.fields[len(t.fields)-3].Means = c.Name
	if key > maxKey {
		t.fail("key", "a key above the maximum")
	}
	var base *block
	if t.flag("based") {
		at := t.bits("base", blockBits)
		from, away := t.pos(), uint64(0)
		t.r.Var(&away)
		baseKey := key + (away>>1 ^ -(away & 1))
		t.add("baseKey", from, baseKey)
		if base = r.blocks[at]; t.ok() && (base == nil || base.key != baseKey) {
			t.fail("base", "the datablock %d with key %d is not there", at, baseKey)
		}
	}
	name := t.text("name", maxName)
	if t.flag("inherits") && !t.flag("parentIsBase") {
		t.text("parent", maxName)
	}
	shared := len(c.Fields)
	if base != nil {
		shared = len(base.class.Fields)
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if t.ok() && (i >= shared || !t.flag(f.Name+".same")) {
			r.s.classes.readValue(t, f.Name, f)
		}
	}
	if t.ok() {
		r.blocks[index] = &block{c, name, key}
	}
	return fmt.Sprintf("datablock %d: %s %q", index, c.Name, name)
}

// readValue reads a value of a datablock.
func (cs *classes) readValue(t *trace, name string, f *capture.Field) {
	s := newScale(f)
	number := func(name string) {
		from, code := t.pos(), t.r.ReadBits(s.bits)
		t.add(name, from, code).Means = s.number(code)
	}
	parts := vectorParts
	switch {
	case f.Kind == capture.Bool:
		t.flag(name)
	case f.Kind == capture.String:
		t.text(name, f.Max)
	case cs.isBlock(f):
		if t.flag(name + ".some") {
			t.bits(name, blockBits)
		}
	case f.Kind == capture.Object:
		t.fail(name, "a datablock cannot refer to objects")
	case f.Kind == capture.Number:
		number(name)
	default:
		if f.Kind == capture.Rotation {
			parts = rotationParts
		}
		for _, part := range parts {
			number(name + "." + part)
		}
	}
}

// describeClass reads a class that a mod declares.
func (r *reading) describeClass(t *trace) (text string) {
	cs := r.s.classes
	id := int(t.bits("id", classBits))
	c := capture.Class{Kind: capture.NetClass, Name: t.text("name", maxName)}
	parent := cs.of(int(t.bits("parent", classBits)))
	n := int(t.bits("fields", 7))
	switch {
	case !t.ok():
		return ""
	case id != len(cs.list):
		t.fail("id", "the class %d is described, but %d is next", id, len(cs.list))
	case parent == nil || parent.Kind != capture.NetClass:
		t.fail("parent", "there is no parent class")
	case n > maxFields:
		t.fail("fields", "more than %d fields", maxFields)
	}
	if !t.ok() {
		return ""
	}
	c.Parent = parent.Name
	c.Fields, c.ByHand = append(c.Fields, parent.Fields...), parent.ByHand
	group := highest(parent)
	for i := 0; i < n && t.ok(); i++ {
		leave := t.withinItem(i)
		f, joins := cs.readField(t)
		if !joins || i == 0 {
			group++
		}
		if f.Group = group; group > maxGroups {
			t.fail("joins", "more than %d groups", maxGroups)
		}
		if f.Kind != capture.Object && t.flag("hasDefault") {
			cs.readValue(t, "default", &f)
		}
		leave()
		c.Fields = append(c.Fields, f)
	}
	if !t.ok() {
		return ""
	}
	cs.add(c, parent)
	return fmt.Sprintf("class %d: %s, a %s", id, c.Name, c.Parent)
}

// highest returns the number of the last group of a class.
func highest(c *class) (group int) {
	for i := range c.Fields {
		group = max(group, c.Fields[i].Group)
	}
	for _, i := range c.ByHand {
		group = max(group, i)
	}
	return group
}

// fieldKinds are the kinds of fields, by their codes.
var fieldKinds = [...]string{"", capture.Bool, capture.Number, capture.String, "", capture.Vector, capture.Rotation, capture.Object}

// readField reads a field of a description, without its default.
func (cs *classes) readField(t *trace) (f capture.Field, joins bool) {
	f.Name = t.text("name", maxName)
	joins = t.flag("joins")
	if !readFieldKind(t, &f) {
		return f, joins
	}
	switch f.Kind {
	case capture.String:
		f.Max = int(t.bits("max", 11))
	case capture.Object:
		f.Class = t.text("class", maxName)
	default:
		readNumbers(t, &f)
	}
	return f, joins
}

// readFieldKind reads the kind of a field. It reports whether a field can have it.
func readFieldKind(t *trace, f *capture.Field) bool {
	kind := t.bits("kind", 3)
	if f.Kind = fieldKinds[kind]; f.Kind == "" {
		t.fail("kind", "a field cannot have the kind %d", kind)
		return false
	}
	if t.ok() {
		t.fields[len(t.fields)-1].Means = f.Kind
	}
	return true
}

// readNumbers reads the ranges and widths of a field of numbers.
func readNumbers(t *trace, f *capture.Field) {
	switch f.Kind {
	case capture.Number:
		f.Whole = t.flag("whole")
		f.Lo, f.Hi = t.float("lo"), t.float("hi")
		if !f.Whole {
			readPrecision(t, f)
		}
	case capture.Vector:
		f.Lo, f.Hi = t.float("lo"), t.float("hi")
		readPrecision(t, f)
	case capture.Rotation:
		f.Bits = int(t.bits("bits", 6))
	}
}

func readPrecision(t *trace, f *capture.Field) {
	if f.Bits = int(t.bits("bits", 6)); f.Bits == 0 && t.flag("hasStep") {
		f.Step = t.float("step")
	}
}
