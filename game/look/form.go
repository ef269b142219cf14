package look

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
)

// Form stores a look in a text field. A look is a list of elements. Each is a table with the name
// of its kind, and with attributes by name.
var Form sim.Form = form{}

type form struct{}

// Pack returns the text of a look. The error names the element and the attribute.
func (form) Pack(t *sim.Tree) (string, error) {
	if len(t.Named) > 0 {
		return "", fmt.Errorf("look must be a list of elements, got the key %s", first(t.Named))
	}
	if len(t.List) > MaxElements {
		return "", fmt.Errorf("look has %d elements: it must have at most %d", len(t.List), MaxElements)
	}
	l := &Look{}
	for i, item := range t.List {
		e, err := parse(item)
		if err != nil {
			return "", fmt.Errorf("look: element %d%w", i+1, err)
		}
		l.Elements = append(l.Elements, e)
	}
	text := l.encode()
	if len(text) > MaxText {
		return "", fmt.Errorf("look takes %d bytes: it must take at most %d", len(text), MaxText)
	}
	return text, nil
}

// parse reads an element. The error continues "element 3".
func parse(item any) (Element, error) {
	t, ok := item.(*sim.Tree)
	if !ok {
		return Element{}, fmt.Errorf(` must be a table such as { "box", size = 1 }, got %s`, literal(item))
	}
	if len(t.List) != 1 {
		return Element{}, fmt.Errorf(` must have one value without a name, its kind, as in { "box", size = 1 }: it has %d`, len(t.List))
	}
	v, _ := t.List[0].(sim.Value)
	kind := kindOf(v.Text())
	if kind == 0 {
		return Element{}, fmt.Errorf(": unknown kind %s%s", literal(t.List[0]), nearest(v.Text(), kindNames()))
	}
	e := kinds[kind].standard
	for _, name := range slices.Sorted(maps.Keys(t.Named)) {
		a := attributeOf(kind, name)
		if a == nil {
			return e, fmt.Errorf(" (%s): unknown attribute %s%s", kind, sim.String(name).Literal(), nearest(name, attributeNames(kind)))
		}
		if err := a.set(&e, t.Named[name]); err != nil {
			return e, fmt.Errorf(" (%s): %w", kind, err)
		}
	}
	return e, nil
}

// Unpack returns a look as Pack takes it. Attributes with their standard values are left out.
func (form) Unpack(text string) (*sim.Tree, bool) {
	l, ok := Decode(text)
	if !ok {
		return nil, false
	}
	t := &sim.Tree{}
	for i := range l.Elements {
		e := &l.Elements[i]
		row := &sim.Tree{List: []any{sim.String(e.Kind.String())}, Named: map[string]any{}}
		for _, n := range uses[e.Kind] {
			if a := &rows[n]; !a.same(e, &kinds[e.Kind].standard) {
				row.Named[a.name] = a.value(e)
			}
		}
		t.List = append(t.List, row)
	}
	return t, true
}

// value returns the value of an element.
func (a *attribute) value(e *Element) sim.Value {
	switch p := a.at(e).(type) {
	case *float64:
		return sim.Number(*p)
	case *sim.Vec3:
		return sim.Vec(*p)
	case *sim.Rot:
		return sim.Rotation(*p)
	case *bool:
		return sim.Bool(*p)
	case *string:
		return sim.String(*p)
	}
	return sim.String(a.at(e).(*Color).String())
}

// attributeOf returns the attribute of a kind with a name, or nil.
func attributeOf(k Kind, name string) *attribute {
	for _, n := range uses[k] {
		if rows[n].name == name {
			return &rows[n]
		}
	}
	return nil
}

func attributeNames(k Kind) (names []string) {
	for _, n := range uses[k] {
		names = append(names, rows[n].name)
	}
	return names
}

func kindNames() (names []string) {
	for k := Box; k < endOfKinds; k++ {
		names = append(names, k.String())
	}
	return names
}

// nearest returns the end of an error about an unknown name.
func nearest(name string, among []string) string {
	if n := spell.Nearest(name, among); n != "" {
		return fmt.Sprintf(", did you mean %q?", n)
	}
	return ": it must be one of " + strings.Join(among, ", ")
}

func first(m map[string]any) string {
	return sim.String(slices.Sorted(maps.Keys(m))[0]).Literal()
}
