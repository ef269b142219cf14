// Package rules is a game of its own on torc: three Go classes, a command and a mod. The server and
// the clients share it, also the client for browsers.
package rules

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// A Beacon is a light that is seen from far away. It goes on and off every second.
type Beacon struct {
	game.Marker
	Reach float64 // metres
	Lit   bool
}

// The fields of a group travel together. Group 0 is sent on creation only. 1 and 2 are those of
// SceneObject.
const beaconGroup = 3

// blink is the time between two changes of a beacon, in ticks of 32 ms.
const blink = 31

// Tick switches the light. Mark tells the clients in this tick. A ghost has what the server sends.
func (b *Beacon) Tick(n uint64) {
	if !b.IsGhost() && n%blink == 0 {
		b.Lit = !b.Lit
		b.Mark(1 << beaconGroup)
	}
}

// A Crate is an item with a load. It falls and slides like each item, also on clients.
type Crate struct {
	game.Item
	Load int // kilograms
}

const crateGroup = 3

// CrateData is what crates of one kind share.
type CrateData struct {
	game.ItemData
	Fragile bool
}

// Register adds the classes. A client without them gets descriptions.
func Register(classes *sim.Classes) error {
	for _, c := range []sim.Class{
		{
			Name: "Beacon", Parent: "Marker", Doc: "A light that is seen from far away.",
			New: func() sim.Object { return &Beacon{Marker: game.Defaults[game.Marker](), Reach: 100} },
			Fields: []sim.Field{
				sim.FloatField("reach", beaconGroup, 0, 1024, func(b *Beacon) *float64 { return &b.Reach }).
					WithStep(0.25).WithDoc("from how far it is seen, in metres"),
				sim.BoolField("lit", beaconGroup, func(b *Beacon) *bool { return &b.Lit }).WithDoc("it shines now"),
			},
		},
		{
			Name: "Crate", Parent: "Item", Doc: "An item with a load.",
			New: func() sim.Object { return &Crate{Item: game.Defaults[game.Item]()} },
			Fields: []sim.Field{
				sim.IntField("load", crateGroup, 0, 500, func(c *Crate) *int { return &c.Load }).WithDoc("what it carries, in kilograms"),
			},
		},
		{
			Name: "CrateData", Parent: "ItemData", Doc: "What crates of one kind share.",
			New: func() sim.Object { return &CrateData{ItemData: game.Defaults[game.ItemData]()} },
			Fields: []sim.Field{
				sim.BoolField("fragile", 0, func(d *CrateData) *bool { return &d.Fragile }).WithDoc("it breaks easily"),
			},
		},
	} {
		if err := classes.Register(c); err != nil {
			return err
		}
	}
	return nil
}
