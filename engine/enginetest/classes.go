package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// ToolData is the datablock class of the rig.
type ToolData struct {
	sim.Block
	Mass float64
	Text string
}

// Tool is a net object with a datablock.
type Tool struct {
	sim.NetObject
	Data sim.BlockRef
	Heat float64
}

// Thing is a net object with one field for each case of replication: a constant, several variables
// and a reference.
type Thing struct {
	sim.NetObject
	Team   int
	At     sim.Vec3
	Energy float64
	Label  string
	Friend sim.ID
}

// Place returns the position of the thing. A thing does not move.
func (t *Thing) Place() sim.Place { return sim.Place{Position: t.At, Radius: 1} }

// Knob is a net object with a hand-written group coder.
type Knob struct {
	sim.NetObject
	On    bool
	Angle int
}

// codeKnob codes the group of a knob.
func codeKnob(c *sim.GroupCoder, o sim.Object) {
	k := o.(*Knob)
	c.Flag(&k.On)
	c.End("on")
	if k.On {
		c.Int(&k.Angle, 0, 359)
	}
	c.End("angle")
}

// Classes returns a new table with the classes of the rig. Server and clients both use it.
func Classes(t testing.TB) *sim.Classes {
	classes := sim.NewClasses()
	require.NoError(t, engine.Register(classes))
	for _, c := range []sim.Class{toolDataClass, toolClass, thingClass, knobClass, bodyClass, runnerClass, cartClass} {
		require.NoError(t, classes.Register(c))
	}
	return classes
}

var toolDataClass = sim.Class{
	Name: "ToolData", Parent: "SimDataBlock", Kind: sim.BlockClass,
	New: func() sim.Object { return &ToolData{Mass: 1} },
	Fields: []sim.Field{
		sim.FloatField("mass", 1, 0, 1e6, func(d *ToolData) *float64 { return &d.Mass }),
		sim.TextField("text", 2, 32<<10, func(d *ToolData) *string { return &d.Text }),
	},
}

var toolClass = sim.Class{
	Name: "Tool", Parent: "NetObject",
	New: func() sim.Object { return new(Tool) },
	Fields: []sim.Field{
		sim.BlockField("dataBlock", 0, "ToolData", func(t *Tool) *sim.BlockRef { return &t.Data }),
		sim.FloatField("heat", 1, 0, 1, func(t *Tool) *float64 { return &t.Heat }).WithBits(8),
	},
}

var thingClass = sim.Class{
	Name: "Thing", Parent: "NetObject",
	New: func() sim.Object { return new(Thing) },
	Fields: []sim.Field{
		sim.IntField("team", 0, 0, 7, func(t *Thing) *int { return &t.Team }),
		sim.VecField("at", 1, 1024, func(t *Thing) *sim.Vec3 { return &t.At }).WithStep(0.0625),
		sim.FloatField("energy", 2, 0, 100, func(t *Thing) *float64 { return &t.Energy }).WithBits(10),
		sim.TextField("label", 3, 64, func(t *Thing) *string { return &t.Label }),
		sim.RefField("friend", 4, "NetObject", func(t *Thing) *sim.ID { return &t.Friend }),
	},
}

var knobClass = sim.Class{
	Name: "Knob", Parent: "NetObject",
	New: func() sim.Object { return new(Knob) },
	Fields: []sim.Field{
		sim.BoolField("on", 1, func(k *Knob) *bool { return &k.On }),
		sim.IntField("angle", 1, 0, 359, func(k *Knob) *int { return &k.Angle }),
	},
	Coders: map[uint8]func(*sim.GroupCoder, sim.Object){1: codeKnob},
}
