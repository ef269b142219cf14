package script

import (
	"cmp"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
)

// objectTicks runs onTick of objects.
type objectTicks struct {
	engine   *engine.Host
	dispatch *dispatcher
	scratch  []tickTarget
	from     sim.ID // object to continue with, because its onTick was deferred to this tick
}

// A tickTarget is an object whose class has onTick.
type tickTarget struct {
	o     sim.Object
	class *tickClass
}

type tickClass struct {
	class *sim.Class
	event string
	chain []target
}

// run runs onTick of every object whose class has one, in id order. If a mod runs out of
// its share of the tick, the next tick begins with its first skipped object.
func (k *objectTicks) run() {
	classes := k.classes()
	if len(classes) == 0 {
		return
	}
	all := k.scratch[:0]
	k.engine.World().Each(nil, func(o sim.Object) bool {
		for i := range classes {
			if classes[i].class == o.Ident().Class() {
				all = append(all, tickTarget{o, &classes[i]})
			}
		}
		return true
	})
	k.scratch = all
	first, _ := slices.BinarySearchFunc(all, k.from, func(t tickTarget, id sim.ID) int { return cmp.Compare(t.o.Ident().ID(), id) })
	k.from = 0
	for i := range all {
		t := all[(first+i)%len(all)]
		switch wait := k.dispatch.runtime.Busy() && k.dispatch.runtime.BusyFor(t.class.chain[0].mod); {
		case !t.o.Ident().Alive():
		case !wait:
			k.runOne(t)
		case k.from == 0:
			k.from = t.o.Ident().ID()
		}
	}
	clear(all)
}

func (k *objectTicks) runOne(t tickTarget) {
	k.dispatch.runChain(t.class.event, t.class.chain, func(x *bind.Binding) ([]lua.LValue, error) {
		return []lua.LValue{x.Object(t.o.Ident().ID())}, nil
	})
}

// classes returns the classes that define or inherit onTick.
func (k *objectTicks) classes() []tickClass {
	if !k.dispatch.chains.has("onTick") {
		return nil
	}
	var list []tickClass
	for _, c := range k.engine.World().Classes().List() {
		if chain := k.dispatch.chains.classChain(c, "onTick"); len(chain) > 0 && c.Kind != sim.BlockClass {
			list = append(list, tickClass{c, c.Name + " onTick", chain})
		}
	}
	return list
}
