package tape

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// Difference returns the first difference of world b from world a, besides texts; "" if there is none.
func Difference(a, b *sim.World) (text string) {
	n := 0
	a.Each(nil, func(o sim.Object) bool {
		n++
		text = differs(o, b)
		return text == ""
	})
	if text == "" {
		b.Each(nil, func(sim.Object) bool { n--; return true })
		if n != 0 {
			text = fmt.Sprintf("the world has %d objects more", -n)
		}
	}
	return text
}

// differs returns how the object of the same id in world b differs from o.
func differs(o sim.Object, b *sim.World) string {
	id := o.Ident()
	other := b.Find(id.ID())
	if other == nil || other.Ident().Class().Name != id.Class().Name {
		return fmt.Sprintf("object %d is no %s", id.ID(), id.Class().Name)
	}
	for _, f := range id.Class().AllFields() {
		is, was := f.Get(other), f.Get(o)
		if is.Kind() != was.Kind() || is != was && is.Kind() != sim.KindString && is.Kind() != sim.KindTag {
			return fmt.Sprintf("object %d, a %s: field %s is %s, and was %s", id.ID(), id.Class().Name, f.Name, is.Print(b), was.Print(b))
		}
	}
	return ""
}
