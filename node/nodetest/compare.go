package nodetest

import (
	"fmt"
	"runtime"

	"github.com/torc-engine/torc/engine/sim"
)

// transient has the classes whose objects are too short-lived to compare.
var transient = map[string]bool{"Projectile": true, "Explosion": true, "Item": true, "Player": true}

// Fixed returns the objects that a mission has placed in a world, by class and place.
func Fixed(w *sim.World, ghosts bool) map[string]int {
	all := map[string]int{}
	w.Each(nil, func(o sim.Object) bool {
		p, placed := o.(sim.Placer)
		class := o.Ident().Class().Name
		if placed && o.Ident().IsGhost() == ghosts && !transient[class] && class != "Flag" && class != "Vehicle" {
			at := p.Place().Position
			all[fmt.Sprintf("%s %.0f %.0f", class, at.X, at.Y)]++
		}
		return true
	})
	return all
}

// Size returns the number of goroutines and the bytes of live heap of the process.
func Size() (goroutines int, heap uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}
