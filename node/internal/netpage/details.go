package netpage

import (
	"cmp"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/netcore/ghost"
)

// details returns the parts that change slowly. The classes are those of one client.
func (t *Taker) details(c *engine.Connection) *Details {
	d := &Details{
		P50Us: t.Pulse.Quantile(0.5).Microseconds(), P99Us: t.Pulse.Quantile(0.99).Microseconds(),
		Classes: []Class{}, Mods: []Mod{}, Events: []Event{},
	}
	if c != nil {
		d.Classes = classCosts(t.Host.World().Classes(), c.Ghosts())
	}
	t.mods(d)
	return d
}

// classCosts returns the cost of each class that a stream has sent, most bits first.
func classCosts(classes *sim.Classes, g *ghost.Stream) []Class {
	all := []Class{}
	for id := 0; ; id++ {
		class := classes.ByWire(id)
		if class == nil {
			break
		}
		if n := g.ClassStats(uint16(id)).Sent; n != (ghost.ClassCount{}) {
			all = append(all, Class{class.Name, n.Creates, n.CreateBits, n.Updates, n.UpdateBits})
		}
	}
	order.StableBy(all, func(a, b Class) int {
		return cmp.Compare(b.CreateBits+b.UpdateBits, a.CreateBits+a.UpdateBits)
	})
	return all
}

// mods fills the usage of the mods, and of the events with the most time.
func (t *Taker) mods(d *Details) {
	for _, m := range t.Scripts.Runtime.Mods {
		total := m.Total()
		one := Mod{
			Name: console.Clean(m.Name), Us: total.Time.Microseconds(), Calls: total.Calls, Errors: total.Errors, MaxUs: total.Max.Microseconds(),
			Instructions: total.Instructions, Faults: m.Faults(), Suspended: console.Clean(m.Suspended()), Handlers: []string{},
		}
		for _, h := range m.SuspendedHandlers() {
			one.Handlers = append(one.Handlers, console.Clean(h))
		}
		d.Mods = append(d.Mods, one)
		events := m.Events()
		for _, e := range events[:min(len(events), maxEvents)] {
			d.Events = append(d.Events, Event{one.Name, console.Clean(e.Event), e.Time.Microseconds(), e.Calls, e.Errors, e.Max.Microseconds()})
		}
	}
	order.StableBy(d.Mods, func(a, b Mod) int { return cmp.Compare(b.Us, a.Us) })
	order.StableBy(d.Events, func(a, b Event) int { return cmp.Compare(b.Us, a.Us) })
	d.Events = d.Events[:min(len(d.Events), maxEvents)]
}
