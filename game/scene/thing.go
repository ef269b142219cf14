package scene

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// A Kind says how a thing is drawn. Views from above draw later kinds over earlier ones.
type Kind uint8

// The kinds of things.
const (
	Unseen    Kind = iota
	Building       // a box
	Structure      // a thing that stays in place
	Pickup         // an item
	Gun            // a turret
	Ride           // a vehicle
	Person         // a player
	Shot           // a projectile in flight
	Burst          // an explosion
	Banner         // a flag
	Waypoint       // a place that is shown at any distance
	Kinds          // the number of kinds
)

// kindNames are the names of the kinds, in lower case.
var kindNames = [Kinds]string{"unseen", "building", "structure", "pickup", "gun", "ride", "person", "shot", "burst", "banner", "waypoint"}

// String returns the name of a kind.
func (k Kind) String() string { return kindNames[min(k, Kinds-1)] }

// A Thing is a visible object at the time of a frame.
type Thing struct {
	ID   sim.ID // of the object; a Burst has that of its projectile
	Kind Kind
	sim.Place
	Size   sim.Vec3 // in metres, zero if unknown; X of a Burst is its radius at its end
	Team   int      // 0 is none
	Name   string   // as the server has sent it: any characters
	Shape  string   // likewise
	Look   *look.Look
	Held   *look.Look // of the image in its hand, nil for none
	States look.State
	State  string  // the state of its own or its skin, as the server has sent it
	Fade   float64 // 0: visible, 1: invisible
	Health float64 // 0…1; below 0: it cannot be damaged
	Energy float64 // 0…1; below 0: it has none
	Mount  sim.ID  // the object that it sits on, or that fired the Shot or Burst; 0 for none
	Age    float64 // of a Burst: 0 at its beginning, 1 at its end
	Own    bool    // this client controls it
}

// FadedFrom is the fade from which views show nothing but the faint shape of a thing: no name, no
// particles, no place on a map, except that of the own body. The page has the same number.
const FadedFrom = 0.5

// Down reports whether a thing is destroyed.
func (t *Thing) Down() bool { return t.Health == 0 }
