package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// A naiveWorld is a simple model of declared classes and their objects. It holds class descriptions
// and field values by name.
type naiveWorld struct {
	specs   map[string]ClassSpec
	objects map[ID]*naiveObject
}

type naiveObject struct {
	class  string
	values map[string]naiveValue
}

type naiveValue struct {
	kind  ValueKind
	value Value
}

func (n *naiveWorld) clone() *naiveWorld {
	c := &naiveWorld{specs: map[string]ClassSpec{}, objects: map[ID]*naiveObject{}}
	for name, s := range n.specs {
		c.specs[name] = s
	}
	for id, o := range n.objects {
		values := map[string]naiveValue{}
		for name, v := range o.values {
			values[name] = v
		}
		c.objects[id] = &naiveObject{o.class, values}
	}
	return c
}

// fields returns all declared fields of a class, including those of its parents.
func (n *naiveWorld) fields(class string) []FieldSpec {
	s, ok := n.specs[class]
	if !ok {
		return nil
	}
	return append(n.fields(s.Parent), s.Fields...)
}

func (n *naiveWorld) isA(class, other string) bool {
	for class != other {
		s, ok := n.specs[class]
		if !ok {
			return other == "NetObject"
		}
		class = s.parent()
	}
	return true
}

// takes reports whether a field accepts a value.
func (n *naiveWorld) takes(f FieldSpec, v naiveValue) bool {
	switch {
	case v.kind != f.Kind:
		return false
	case f.Kind == KindNumber:
		x := v.value.Number()
		return x >= f.Lo && x <= f.Hi && (!f.Whole || x == float64(int(x)))
	case f.Kind == KindString:
		return len(v.value.Text()) <= f.Max
	case f.Kind == KindObject && !v.value.IsNil():
		to := n.objects[v.value.Object()]
		return to != nil && n.isA(to.class, f.Class)
	}
	return true
}

func naiveDefault(f FieldSpec) Value {
	switch f.Kind {
	case KindNumber:
		return Number(min(max(0, f.Lo), f.Hi))
	case KindString:
		return String("")
	case KindBool:
		return Bool(false)
	}
	return Nil()
}

// become gives every object the fields of the current declaration of its class.
func (n *naiveWorld) become() {
	for _, o := range n.objects {
		values := map[string]naiveValue{}
		for _, f := range n.fields(o.class) {
			v, had := o.values[f.Name]
			if !had || !n.takes(f, v) {
				v = naiveValue{f.Kind, naiveDefault(f)}
			}
			values[f.Name] = v
		}
		o.values = values
	}
}

// A randomHistory is a world, its naive model, and the random changes of both.
type randomHistory struct {
	t      *testing.T
	seed   uint64
	rng    *rand.Rand
	w      *World
	naive  *naiveWorld
	done   int // number of successful redeclarations
	undone int
}

var historyNames = []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon"}

func (h *randomHistory) spec() ClassSpec {
	s := ClassSpec{Name: historyNames[h.rng.IntN(5)], Parent: []string{"NetObject", "Guest", "Clock", "Alpha", "Beta", "Gamma"}[h.rng.IntN(6)], Source: "x"}
	for i := range h.rng.IntN(6) {
		f := FieldSpec{Name: fmt.Sprint("f", (i*3+h.rng.IntN(3))%9)}
		switch f.Kind = []ValueKind{KindNumber, KindNumber, KindString, KindBool, KindObject}[h.rng.IntN(5)]; f.Kind {
		case KindNumber:
			f.Lo, f.Hi, f.Whole = float64(h.rng.IntN(3)), float64(3+h.rng.IntN(30)), h.rng.IntN(2) == 0
		case KindString:
			f.Max = 1 + h.rng.IntN(8)
		case KindObject:
			f.Class = []string{"NetObject", s.Name, "Guest"}[h.rng.IntN(3)]
		}
		if h.rng.IntN(3) == 0 {
			f.Group = "joined"
		}
		s.Fields = append(s.Fields, f)
	}
	h.rng.Shuffle(len(s.Fields), func(i, k int) { s.Fields[i], s.Fields[k] = s.Fields[k], s.Fields[i] })
	return s
}

// declare declares or redeclares a class, if that is possible.
func (h *randomHistory) declare(open bool) {
	s := h.spec()
	_, known := h.naive.specs[s.Name]
	var err error
	before := worldState(h.w, h.w.next)
	switch {
	case known && open:
		if _, err = h.w.classes.Redeclare(s); err == nil {
			h.done++
		}
	default:
		_, err = h.w.classes.Declare(s)
	}
	if err != nil {
		require.Equal(h.t, before, worldState(h.w, h.w.next), "seed %d: %v", h.seed, err)
		return
	}
	h.naive.specs[s.Name] = s
}

func (h *randomHistory) block() {
	name, parent := fmt.Sprint("block", h.rng.IntN(6)), []string{"", "plain", "block1", "block2"}[h.rng.IntN(4)]
	_, _, _ = h.w.Blocks.Declare([]string{"ThingData", "BigData"}[h.rng.IntN(2)], name, parent, setter(row{"mass", Number(float64(h.rng.IntN(4)))}))
}

// make makes an object of the class that has the name now.
func (h *randomHistory) make() {
	name := historyNames[h.rng.IntN(5)]
	if _, ok := h.naive.specs[name]; !ok {
		return
	}
	o, err := h.w.New(name, nil)
	require.NoError(h.t, err, "seed %d", h.seed)
	n := &naiveObject{class: name, values: map[string]naiveValue{}}
	for _, f := range h.naive.fields(name) {
		n.values[f.Name] = naiveValue{f.Kind, naiveDefault(f)}
	}
	h.naive.objects[o.Ident().ID()] = n
}

func (h *randomHistory) ids() (ids []ID) {
	for id := range h.naive.objects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// set sets a field of an object to a random value. World and model must agree whether it is valid.
func (h *randomHistory) set() {
	ids := h.ids()
	if len(ids) == 0 {
		return
	}
	id := ids[h.rng.IntN(len(ids))]
	o, n := h.w.Find(id), h.naive.objects[id]
	fields := h.naive.fields(n.class)
	if len(fields) == 0 {
		return
	}
	f := fields[h.rng.IntN(len(fields))]
	v := naiveValue{f.Kind, naiveDefault(f)}
	switch f.Kind {
	case KindNumber:
		v.value = Number(float64(h.rng.IntN(70)) / 2)
	case KindString:
		v.value = String("abcdefgh"[:h.rng.IntN(9)])
	case KindBool:
		v.value = Bool(h.rng.IntN(2) == 0)
	case KindObject:
		v.value = Handle(ids[h.rng.IntN(len(ids))])
	}
	err := o.Ident().Class().Lookup(f.Name).Set(o, v.value)
	require.Equal(h.t, h.naive.takes(f, v), err == nil, "seed %d: %s of %s: %v", h.seed, f.Name, n.class, err)
	if err == nil {
		n.values[f.Name] = v
	}
}

func (h *randomHistory) delete() {
	if ids := h.ids(); len(ids) > 0 {
		id := ids[h.rng.IntN(len(ids))]
		require.NoError(h.t, h.w.Delete(h.w.Find(id)))
		delete(h.naive.objects, id)
	}
}

// same compares every object with the model.
func (h *randomHistory) same() {
	for _, id := range h.ids() {
		o, n := h.w.Find(id), h.naive.objects[id]
		require.NotNil(h.t, o, "seed %d", h.seed)
		require.Same(h.t, h.w.classes.Lookup(n.class), o.Ident().Class(), "seed %d", h.seed)
		require.Equal(h.t, id, o.Ident().ID())
		for name, v := range n.values {
			if v.kind == KindObject && h.naive.objects[v.value.Object()] == nil {
				v.value = Nil()
			}
			require.Equal(h.t, v.value, field(o, name), "seed %d: %s of %s", h.seed, name, o.Ident())
		}
	}
	count := 0
	h.w.Each(h.w.classes.Lookup("NetObject"), func(Object) bool { count++; return true })
	require.Equal(h.t, len(h.naive.objects), count, "seed %d", h.seed)
}

// change runs one change, as the reload of a mod does. It commits or rolls back at random.
func (h *randomHistory) change() {
	before, first := h.naive.clone(), h.w.next
	was := worldState(h.w, first)
	c := h.w.Begin()
	for range h.rng.IntN(12) {
		switch h.rng.IntN(4) {
		case 0, 1:
			h.declare(true)
		case 2:
			h.block()
		case 3:
			h.make()
		}
	}
	var made []ID
	for _, id := range h.ids() {
		if id >= first {
			made = append(made, id)
		}
	}
	require.Equal(h.t, made, c.Made(), "seed %d", h.seed)
	if h.rng.IntN(2) == 0 {
		c.Rollback()
		h.naive = before
		h.undone++
		require.Equal(h.t, was, worldState(h.w, first), "seed %d", h.seed)
	} else {
		c.Commit()
		h.naive.become()
	}
	h.same()
}

// TestChangesAgainstANaiveWorld compares objects with the model after random histories of committed
// and rolled back changes.
func TestChangesAgainstANaiveWorld(t *testing.T) {
	done, undone := 0, 0
	for seed := range testenv.Seeds(t, 12, 60) {
		h := &randomHistory{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 3)), w: guestWorld(t), naive: (&naiveWorld{}).clone()}
		for range 30 {
			switch n := h.rng.IntN(20); {
			case n < 2:
				h.declare(false)
			case n < 3:
				h.block()
			case n < 8:
				h.make()
			case n < 14:
				h.set()
			case n < 15:
				h.delete()
			case n < 16:
				h.w.Sweep()
			case n < 17:
				h.w.Tick(1)
			default:
				h.change()
			}
		}
		h.same()
		done, undone = done+h.done, undone+h.undone
	}
	require.NotZero(t, done)
	require.NotZero(t, undone)
}
