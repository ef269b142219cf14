package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// lamp, crate and crateData are classes that only some programs of these tests have.
type (
	lamp struct {
		enginetest.Thing
		power float64
	}
	crate struct {
		enginetest.Tool
		load int
	}
	crateData struct {
		enginetest.ToolData
		size float64
	}
)

var (
	lampClass = sim.Class{
		Name: "Lamp", Parent: "Thing", New: func() sim.Object { return &lamp{power: 40} },
		Fields: []sim.Field{sim.FloatField("power", 6, 0, 100, func(l *lamp) *float64 { return &l.power }).WithBits(9)},
	}
	crateClass = sim.Class{
		Name: "Crate", Parent: "Tool", New: func() sim.Object { return new(crate) },
		Fields: []sim.Field{sim.IntField("load", 2, 0, 500, func(c *crate) *int { return &c.load })},
	}
	crateDataClass = sim.Class{
		Name: "CrateData", Parent: "ToolData", New: func() sim.Object { return &crateData{size: 3, ToolData: enginetest.ToolData{Mass: 9}} },
		Fields: []sim.Field{sim.FloatField("size", 3, 0, 50, func(d *crateData) *float64 { return &d.size })},
	}
	// otherLampClass is the Lamp of another program.
	otherLampClass = sim.Class{
		Name: "Lamp", Parent: "Thing", New: func() sim.Object { return new(lamp) },
		Fields: []sim.Field{sim.BoolField("bright", 5, func(l *lamp) *bool { return new(bool) })},
	}
	// aloneClass comes first in every list.
	aloneClass = sim.Class{Name: "Alone", Parent: "Thing", New: func() sim.Object { return new(enginetest.Thing) }}
)

// wave is an event of a kind that only some programs have. heard counts its times.
type wave struct {
	times int
	heard *int
}

func waves(heard *int) engine.CustomKind {
	return engine.CustomKind{Name: "wave", New: func() engine.CustomEvent { return &wave{heard: heard} }}
}

func (w *wave) Serialize(s *bitstream.Codec) { s.Int(&w.times, 1, 7) }
func (w *wave) Receive(*engine.Connection)   { *w.heard += w.times }

func with(t testing.TB, heard *int, classes ...sim.Class) func(*engine.Config) {
	return func(c *engine.Config) {
		for _, class := range classes {
			require.NoError(t, c.Classes.Register(class))
		}
		if heard != nil {
			c.Events = append(c.Events, waves(heard))
		}
	}
}

// furnish makes objects of all classes of a server.
func furnish(t testing.TB, h *engine.Host) {
	w := h.World()
	_, _, err := w.Blocks.Declare("CrateData", "big", "", nil)
	require.NoError(t, err)
	_, _, err = w.Blocks.Declare("CrateData", "bigger", "big", func(o sim.Object) error {
		return o.Ident().Class().Lookup("size").Set(o, sim.Number(30))
	})
	require.NoError(t, err)
	_, err = w.Classes().Declare(sim.ClassSpec{Name: "Torch", Parent: "Lamp", Fields: []sim.FieldSpec{{Name: "smoke", Kind: sim.KindBool}}})
	require.NoError(t, err)
	make := func(class string, values map[string]sim.Value) {
		o, err := w.New(class, func(o sim.Object) error {
			for name, v := range values {
				if err := o.Ident().Class().Lookup(name).Set(o, v); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
		h.Rules.SetAlways(o)
	}
	make("Lamp", map[string]sim.Value{"power": sim.Number(100), "label": sim.String("lamp")})
	make("Torch", map[string]sim.Value{"smoke": sim.Bool(true)})
	make("Crate", map[string]sim.Value{"dataBlock": sim.String("bigger"), "load": sim.Number(77)})
	make("Thing", map[string]sim.Value{"label": sim.String("thing")})
}

// TestClientsWithOtherClassesJoin lets clients with fewer, other, more and the same classes and
// events join a server. Each sees the objects and datablocks of the server as they are, and only
// those that have the event get it.
func TestClientsWithOtherClassesJoin(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		line := netcore.LinkParams{Loss: loss, Delay: 20 * time.Millisecond}
		heard := make([]int, 6)
		server := []sim.Class{lampClass, crateClass, crateDataClass}
		r := enginetest.New(t, enginetest.Options{Seed: 4, Up: line, Down: line, Server: with(t, &heard[0], server...)})
		programs := []func(*engine.Config){
			nil, // the first client is there
			with(t, nil, otherLampClass),
			with(t, &heard[3], append(server[:3:3], aloneClass)...),
			with(t, &heard[4], server...),
			with(t, &heard[5]),
		}
		for i, program := range programs[1:] {
			c := r.Player(uint16(3+i), 4, false, program)
			r.Clients = append(r.Clients, c)
			r.Net.Link(c.Addr, r.Server.Addr, line, line)
		}
		watcher := r.Player(9, 4, false, nil)
		r.Net.Link(watcher.Addr, r.Server.Addr, line, line)
		r.Server.Settings.MaxWatchers, r.Server.Settings.WatchDelay = 1, 1
		furnish(t, r.Server.Host)
		require.NoError(t, watcher.Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
		r.Join()
		got := 0
		for _, c := range r.Server.Connections() {
			sent, err := c.SendEvent(&wave{times: 2})
			require.NoError(t, err)
			got += map[bool]int{true: 1}[sent]
		}
		assert.Equal(t, 3, got, "of six")
		want := portrait(r.Server.World())
		all := append(r.Clients[:len(r.Clients):len(r.Clients)], watcher)
		r.Until(20*time.Second, func() bool {
			for _, c := range all {
				if portrait(c.World()) != want {
					return false
				}
			}
			return heard[3] == 2 && heard[4] == 2 && heard[5] == 2
		})
		for i, c := range all {
			require.Equal(t, want, portrait(c.World()), "client %d", i)
			if i == 0 {
				assert.IsType(t, new(enginetest.ToolData), c.World().Blocks.ByName("bigger"))
			}
		}
		for _, i := range []int{3, 5} { // and to the server
			sent, err := r.Clients[i-1].Host.Server().SendEvent(&wave{times: 3})
			require.NoError(t, err)
			require.True(t, sent)
		}
		r.Until(5*time.Second, func() bool { return heard[0] == 6 })
		assert.Equal(t, []int{6, 0, 0, 2, 2, 2}, heard)

		// Back on a server of its own program, a client has its own list again.
		other := r.Player(8, 4, true, nil)
		r.Net.Link(r.Clients[0].Addr, other.Addr, line, line)
		for range 2 {
			require.NoError(t, r.Clients[0].Dialer.Connect("host 8", engine.ConnectArgs{}))
			r.Until(10*time.Second, func() bool {
				return len(other.Connections()) == 1 && other.Connections()[0].Join.Phase() == engine.PhaseGame
			})
			assert.Equal(t, other.World().Classes().Hash(), r.Clients[0].World().Classes().Hash())
			require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
			r.Until(10*time.Second, func() bool { return portrait(r.Clients[0].World()) == want })
		}
	}
}

// TestLargerClientJoins checks a client with more classes and events than its server.
func TestLargerClientJoins(t *testing.T) {
	heard := 0
	r := enginetest.New(t, enginetest.Options{})
	r.Clients = nil
	c := r.Player(3, 1, false, with(t, &heard, lampClass, crateClass, crateDataClass, aloneClass))
	r.Link(c)
	declare(t, r.Server.Host, 3, 0)
	_, err := r.Server.World().Classes().Declare(sim.ClassSpec{Name: "Lamp", Parent: "Thing"})
	require.NoError(t, err, "a mod of the server")
	o, err := r.Server.World().New("Lamp", nil)
	require.NoError(t, err)
	r.Server.Rules.SetAlways(o)
	r.Join()
	r.Until(5*time.Second, func() bool { return portrait(c.World()) == portrait(r.Server.World()) })
	sent, err := c.Host.Server().SendEvent(&wave{times: 1})
	require.NoError(t, err)
	assert.False(t, sent)
	r.Run(time.Second)
	assert.Len(t, r.Server.Connections(), 1)
	assert.Equal(t, "ToolData", c.World().Blocks.ByIndex(0).Ident().Class().Name)
	c.Host.Server().Disconnect("")
	r.Run(time.Second)
	assert.Equal(t, lampClass.Fields[0].Name, c.World().Classes().Lookup("Lamp").Fields[0].Name)
}

// TestMissingMovesRefuseAClient checks that a client without a class that moves depend on, or with
// another one, is refused with its name, and that a host that is a server itself takes no numbers.
func TestMissingMovesRefuseAClient(t *testing.T) {
	cart := sim.Class{Name: "Boat", Parent: "Cart", New: func() sim.Object { return new(enginetest.Cart) }}
	solid := aloneClass
	solid.Moves = true
	for name, c := range map[string]struct {
		server, client func(*engine.Config)
		want           string
	}{
		"control object": {with(t, nil, cart), nil, "your program lacks the server's class Boat, or has another one: players' moves depend on it, so use the server's own client"},
		"marked":         {with(t, nil, solid), nil, "your program lacks the server's class Alone, or has another one: players' moves depend on it, so use the server's own client"},
		"mutual":         {with(t, nil, aloneClass), func(c *engine.Config) { c.Mutual = true }, "the class lists differ: client and server are different builds"},
	} {
		r := enginetest.New(t, enginetest.Options{Server: c.server})
		p := r.Player(3, 1, false, c.client)
		r.Link(p)
		require.NoError(t, p.Dialer.Connect("host 1", engine.ConnectArgs{}))
		r.Run(2 * time.Second)
		assert.Contains(t, strings.Join(p.Lines, "\n"), c.want, name)
		assert.Empty(t, r.Server.Connections(), name)
	}
}
