package engine

import (
	"bytes"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// thing is a net object with a position.
type thing struct {
	sim.NetObject
	place     sim.Place
	animation float64
	mount     sim.Object
}

func (o *thing) Place() sim.Place   { return o.place }
func (o *thing) Animation() float64 { return o.animation }
func (o *thing) Mount() sim.Object  { return o.mount }

// pawn is a thing driven by moves.
type pawn struct{ thing }

func (o *pawn) Received(sim.Place)      {}
func (o *pawn) Interpolate(uint64)      {}
func (o *pawn) Shown(float64) sim.Place { return o.place }
func (o *pawn) Control(sim.Move)        {}
func (o *pawn) CodeControl(sim.Coder)   {}
func (o *pawn) Driven()                 {}

// score is a net object without a position.
type score struct{ sim.NetObject }

// testSink is a scopeSink with a limited number of places. A freed place becomes available after
// some ticks, as a ghost id does after a round trip.
type testSink struct {
	most   int
	lag    int
	in     map[uint32]bool
	dying  []int // ticks until each freed place is available
	admits map[uint32]int
	expels map[uint32]int
}

func newTestSink(most int) *testSink {
	return &testSink{most: most, in: map[uint32]bool{}, admits: map[uint32]int{}, expels: map[uint32]int{}}
}

func (d *testSink) admit(n uint32) bool {
	if !d.in[n] && len(d.in)+len(d.dying) >= d.most {
		return false
	}
	d.in[n] = true
	d.admits[n]++
	return true
}

func (d *testSink) expel(n uint32) {
	if d.in[n] {
		delete(d.in, n)
		d.expels[n]++
		if d.lag > 0 {
			d.dying = append(d.dying, d.lag)
		}
	}
}

func (d *testSink) forget(n uint32) { d.expel(n) }

func (d *testSink) step() {
	d.dying = slices.DeleteFunc(d.dying, func(left int) bool { return left == 1 })
	for i := range d.dying {
		d.dying[i]--
	}
}

// oracle is a set of scripts that decide what is visible.
type oracle struct {
	NopScripts
	asked  int // calls of InScope
	answer func(o sim.Object, c *Connection) (visible, asked bool)
	busy   func() bool
}

func (s *oracle) InScope(o sim.Object, c *Connection, _ bool) (visible, asked bool) {
	s.asked++
	if s.answer == nil {
		return true, false
	}
	return s.answer(o, c)
}

func (s *oracle) Busy() bool { return s.busy != nil && s.busy() }

// scopeRig is a host's scope with sinks that send nothing.
type scopeRig struct {
	t       testing.TB
	host    *Host
	scope   *scope
	scripts *oracle
	sinks   []*testSink
	log     bytes.Buffer
	last    uint32
}

// interests maps classes of things to the viewers' interest in them.
var interests = map[string]float64{"Thing": 0, "Shot": 0.3, "Walker": 0.75, "Car": 0.75, "Loot": 0.25}

func newScopeRig(t testing.TB, sinks ...*testSink) *scopeRig {
	classes := sim.NewClasses()
	require.NoError(t, Register(classes))
	for _, name := range []string{"Car", "Loot", "Shot", "Thing", "Walker"} {
		require.NoError(t, classes.Register(sim.Class{
			Name: name, Parent: "NetObject", Interest: interests[name], New: func() sim.Object { return new(thing) },
		}))
	}
	require.NoError(t, classes.Register(sim.Class{Name: "Pawn", Parent: "NetObject", New: func() sim.Object { return new(pawn) }}))
	require.NoError(t, classes.Register(sim.Class{Name: "Score", Parent: "NetObject", New: func() sim.Object { return new(score) }}))
	r := &scopeRig{t: t, scripts: &oracle{}, sinks: sinks}
	r.host = &Host{world: sim.NewWorld(classes), scripts: r.scripts}
	r.host.attach()
	r.host.cfg.Log = slog.New(slog.NewTextHandler(&r.log, nil))
	r.scope = newScope(r.host)
	r.host.scope = r.scope
	for range sinks {
		c := r.host.newConnection(true)
		r.host.world.Add(c)
		r.host.conns = append(r.host.conns, c)
	}
	for i, c := range r.host.conns {
		c.Visible.attach(r.scope, c, sinks[i])
		c.Visible.begin()
		c.Visible.open()
	}
	return r
}

// conn returns the first connection.
func (r *scopeRig) conn() *Connection { return r.host.conns[0] }

// object adds an object of a class.
func (r *scopeRig) object(class string, place sim.Place) sim.Object {
	o, err := r.host.world.New(class, nil)
	require.NoError(r.t, err)
	switch o := o.(type) {
	case *thing:
		o.place = place
	case *pawn:
		o.place = place
	}
	r.last++
	o.Ident().SetNumber(r.last)
	r.scope.add(r.last, o)
	return o
}

func (r *scopeRig) thing(x, y float64) *thing {
	return r.object("Thing", sim.Place{Position: sim.Vec3{X: x, Y: y}, Radius: 1}).(*thing)
}

// viewer adds a thing and makes it the scope object of the first connection.
func (r *scopeRig) viewer(distance float64) *thing {
	o := r.thing(0, 0)
	require.NoError(r.t, r.conn().Visible.SetObject(o))
	r.conn().Visible.SetView(ScopeView{Distance: distance})
	return o
}

func (r *scopeRig) move(o *thing, x, y float64) {
	o.place.Position.X, o.place.Position.Y = x, y
	r.scope.update(o.Number())
}

// delete removes an object from the world, as the world's sweep does.
func (r *scopeRig) delete(o sim.Object) {
	require.NoError(r.t, r.host.world.Delete(o))
	r.scope.remove(o.Ident().Number())
	o.Ident().SetNumber(0)
	r.host.world.Sweep()
}

// sweep removes several objects from the world at once.
func (r *scopeRig) sweep(all ...*thing) {
	numbers := make([]uint32, len(all))
	for i, o := range all {
		require.NoError(r.t, r.host.world.Delete(o))
		numbers[i] = o.Number()
	}
	r.scope.removeAll(numbers)
	r.host.world.Sweep()
	for i, c := range r.host.conns {
		for _, n := range numbers {
			require.False(r.t, r.sinks[i].in[n] || c.Visible.in.has(n) || c.Visible.where(n) >= 0)
		}
	}
}

// run runs a number of ticks.
func (r *scopeRig) run(ticks int) {
	for range ticks {
		r.host.tick++
		for _, d := range r.sinks {
			d.step()
		}
		r.scope.step()
	}
}

// sees reports whether the first connection has an object in scope.
func (r *scopeRig) sees(o sim.Object) bool { return r.sinks[0].in[o.Ident().Number()] }

// logged counts the lines of the log that contain a text.
func (r *scopeRig) logged(text string) int { return strings.Count(r.log.String(), text) }

// sane checks the invariants of each VisibleSet.
func (r *scopeRig) sane() {
	for i, c := range r.host.conns {
		v := &c.Visible
		in := map[uint32]bool{}
		for at, e := range v.entries {
			require.Equal(r.t, at, v.where(e.number))
		}
		for n := range v.in.all() {
			in[n] = true
		}
		require.Equal(r.t, in, r.sinks[i].in)
		require.Equal(r.t, len(v.entries), v.index.used)
		require.Equal(r.t, len(v.entries), v.listed.len())
	}
}

var notNumbers = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e30, 0}
