package dissect

import (
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/capture"
	events "github.com/torc-engine/torc/netcore/event"
)

// Header returns the header of a capture by a program with some classes and kinds of events.
// Classes that a server's mods declare are not in it, because the server describes them to its
// clients.
func Header(recorder capture.Side, classes *sim.Classes, kinds *events.Kinds) capture.Header {
	h := capture.Header{
		Protocol: protocolVersion, Recorder: recorder, Hash: fmt.Sprintf("%016x", classes.Hash()^kinds.Hash()),
	}
	for _, k := range kinds.List() {
		h.Kinds = append(h.Kinds, capture.Kind{Name: k.Name, From: senders[k.Dir]})
	}
	for i, print := range kinds.Fingerprints() {
		h.Kinds[streamKinds+i].Print = print
	}
	for i, print := range classes.Fingerprints() {
		c := captureClass(classes.ByWire(i))
		c.Print = print
		h.Classes = append(h.Classes, c)
	}
	return h
}

var senders = map[events.Direction]capture.Side{events.ToServer: capture.Client, events.ToClient: capture.Server}

func captureClass(c *sim.Class) capture.Class {
	d := capture.Class{Name: c.Name, Parent: c.Parent, Kind: capture.NetClass, Abstract: c.Abstract}
	if c.Kind == sim.BlockClass {
		d.Kind = capture.BlockClass
	}
	for g := range c.Groups() {
		if c.Coder(g) != nil {
			d.ByHand = append(d.ByHand, g)
		}
	}
	for _, f := range c.AllFields() {
		d.Fields = append(d.Fields, captureField(f))
	}
	return d
}

var captureKinds = map[sim.ValueKind]string{
	sim.KindBool: capture.Bool, sim.KindNumber: capture.Number, sim.KindString: capture.String,
	sim.KindVec: capture.Vector, sim.KindRot: capture.Rotation, sim.KindObject: capture.Object,
}

func captureField(f *sim.Field) capture.Field {
	d := capture.Field{
		Name: f.Name, Group: int(f.Group), Kind: captureKinds[f.Kind], Whole: f.Whole, Bits: f.Bits, Step: f.Step,
		Jumps: f.Jumps, Rate: f.Rate, Max: f.Max, Class: f.Class,
	}
	if !math.IsInf(f.Lo, 0) {
		d.Lo = f.Lo
	}
	if !math.IsInf(f.Hi, 0) {
		d.Hi = f.Hi
	}
	return d
}
