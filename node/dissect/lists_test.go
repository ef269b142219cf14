package dissect_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/node/dissect"
)

// lamp and lampData are of classes that only the server has.
type (
	lamp struct {
		enginetest.Thing
		power float64
		tone  string
		aim   sim.Rot
		near  sim.ID
		kind  sim.BlockRef
		lit   bool
	}
	lampData struct {
		enginetest.ToolData
		size float64
	}
)

// flare is an event of the program, and other one that only the server has.
type (
	flare struct{ strength int }
	other struct{ flare }
)

func (f *flare) Serialize(s *bitstream.Codec) { s.Int(&f.strength, 0, 100) }
func (f *flare) Receive(*engine.Connection)   {}

// lists gives a host more classes and events than others.
func lists(t testing.TB, classes []sim.Class, kinds ...engine.CustomKind) func(*engine.Config) {
	return func(c *engine.Config) {
		for _, class := range classes {
			require.NoError(t, c.Classes.Register(class))
		}
		c.Events = append(c.Events, kinds...)
	}
}

// playLists is a join with other lists of classes and events at the server, an object and a
// datablock of its classes, and an event that both have.
func playLists(t testing.TB) *recorded {
	flares := engine.CustomKind{Name: "flare", New: func() engine.CustomEvent { return new(flare) }}
	others := engine.CustomKind{Name: "afar", New: func() engine.CustomEvent { return new(other) }}
	r := record(t, enginetest.Options{Seed: 9, Both: lists(t, nil, flares), Server: lists(t, []sim.Class{
		{
			Name: "LampData", Parent: "ToolData", New: func() sim.Object { return &lampData{size: 3} },
			Fields: []sim.Field{sim.FloatField("size", 0, 0, 50, func(d *lampData) *float64 { return &d.size }).WithBits(9)},
		},
		{
			Name: "Lamp", Parent: "Thing", New: func() sim.Object { return &lamp{power: 40, tone: "warm"} },
			Fields: []sim.Field{
				sim.FloatField("power", 6, 0, 100, func(l *lamp) *float64 { return &l.power }).WithBits(9).WithJumps(),
				sim.TextField("tone", 7, 700, func(l *lamp) *string { return &l.tone }),
				sim.RotField("aim", 7, func(l *lamp) *sim.Rot { return &l.aim }).WithBits(12),
				sim.RefField("near", 8, "Thing", func(l *lamp) *sim.ID { return &l.near }),
				sim.BoolField("lit", 8, func(l *lamp) *bool { return &l.lit }),
				sim.BlockField("dataBlock", 0, "LampData", func(l *lamp) *sim.BlockRef { return &l.kind }),
			},
		},
	}, others)})
	r.slow(8)
	w := r.Server.World()
	_, _, err := w.Blocks.Declare("LampData", "Bright", "", nil)
	require.NoError(t, err)
	_, err = w.Classes().Declare(sim.ClassSpec{Name: "Torch", Parent: "Lamp", Source: "a test", Fields: []sim.FieldSpec{{Name: "smoke", Kind: sim.KindBool}}})
	require.NoError(t, err)
	r.Join()
	for _, class := range []string{"Lamp", "Torch"} {
		o, err := w.New(class, func(o sim.Object) error {
			set(t, o, "dataBlock", sim.Handle(w.Blocks.ByName("Bright").Ident().ID()))
			set(t, o, "power", sim.Number(77))
			return nil
		})
		require.NoError(t, err)
		set(t, o, "lit", sim.Bool(true))
	}
	sent, err := r.Peer(0).SendEvent(&flare{70})
	require.NoError(t, err)
	require.True(t, sent)
	sent, err = r.Peer(0).SendEvent(new(other))
	require.NoError(t, err)
	require.False(t, sent)
	r.Run(time.Second)
	return r
}

// TestOtherLists reads the lists of a server that its client has otherwise, and what follows with
// their numbers. The capture of an earlier program has no fingerprints, and says so.
func TestOtherLists(t *testing.T) {
	r := playLists(t)
	all := r.packets()
	assert.InDelta(t, 77, field(all, "ghosts.creates.0.power").Means, 0.1)
	var texts strings.Builder
	named := map[string]bool{}
	for _, p := range all {
		for _, f := range p.Fields {
			named[f.Name] = true
		}
		for _, e := range p.Processed {
			fmt.Fprintln(&texts, e.Text)
			for _, f := range e.Fields {
				named[f.Name] = true
			}
		}
	}
	for _, name := range []string{
		"prints", "print.0", "welcome.classes", "welcome.kinds", "welcome.kind.0", "welcome.zeros",
		"class.known", "class.print", "class.parent", "class.1.max", "class.0.jumps", "class.default.tone.given", "class.default.tone",
	} {
		assert.True(t, named[name], "no field %s", name)
	}
	for _, text := range []string{"is the client's Thing", ": LampData, a ToolData", ": Lamp, a Thing", ": Torch, a Lamp", `LampData "Bright"`, "flare, an event of the program, 1 bytes: 46"} {
		assert.Contains(t, texts.String(), text)
	}
	old := bytes.ReplaceAll(r.file.Bytes(), []byte(`"print":`), []byte(`"other":`))
	err := dissect.Read(bytes.NewReader(old), func(*dissect.Packet) error { return nil })
	assert.ErrorContains(t, err, "with the fingerprint")
}
