package bench

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// tickingHost is a host on a network that calls Tick in shorter steps. The host ticks every 32 ms.
type tickingHost struct {
	netsim.Machine // the host, perhaps with measurements around it
	host           *engine.Host
	next           netcore.Time // time of the next tick
	then           func()       // called after each tick; can be nil
}

// Tick implements netsim.Machine.
func (t *tickingHost) Tick(now netcore.Time) {
	for t.next <= now {
		t.next += engine.TickTime
		t.Machine.Tick(now)
		if t.then != nil {
			t.then()
		}
	}
}

// Due returns when the host next has something to send.
func (t *tickingHost) Due(now netcore.Time) netcore.Time { return t.host.Due(now) }
