package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
)

// viewer returns a program that shows demos.
func viewer(r *enginetest.Rig, number uint16, f *recording.File, program func(*engine.Config)) (*enginetest.Player, *engine.Connection, error) {
	p := r.Player(number, 0, false, program)
	c, err := p.Demos.Play(f, func() {})
	return p, c, err
}

// TestDemosOfOtherClasses records a server with classes of its own, and a client that lacks them.
// Programs with fewer, other, more and the same classes show both demos to their last value, also
// after seeks.
func TestDemosOfOtherClasses(t *testing.T) {
	list := []sim.Class{lampClass, crateClass, crateDataClass}
	r := enginetest.New(t, enginetest.Options{Seed: 4, Server: with(t, nil, list...)})
	furnish(t, r.Server.Host)
	r.Join()
	want := portrait(r.Server.World())
	r.Until(10*time.Second, func() bool { return portrait(r.Clients[0].World()) == want })
	demos := []*demoFile{recordDemo(t, r.Server.Host), recordDemo(t, r.Clients[0].Host)}
	r.Run(time.Second)
	_, err := r.Server.World().New("Lamp", func(o sim.Object) error { return o.Ident().Class().Lookup("power").Set(o, sim.Number(30)) })
	require.NoError(t, err)
	r.Run(12 * time.Second)
	r.Server.Demos.Stop()
	r.Clients[0].Host.Demos.Stop()
	server, client := demos[0].open(t).Header, demos[1].open(t).Header
	assert.Equal(t, server.Classes, client.Classes, "the numbers of both are those of the server")
	assert.Equal(t, server.List, client.List)
	for i, d := range demos {
		for n, program := range []func(*engine.Config){
			nil, with(t, nil, otherLampClass), with(t, nil, append(list[:3:3], aloneClass)...), with(t, nil, list...),
		} {
			p, c, err := viewer(r, uint16(50+10*i+n), d.open(t), program)
			require.NoError(t, err)
			c.Watching.Seek(d.open(t).First() + 5)
			assert.Equal(t, want, portrait(p.World()), "demo %d, program %d", i, n)
			c.Watching.Seek(d.open(t).Last())
			require.NoError(t, c.Watching.Film().Why())
			for _, h := range []*engine.Host{r.Server.Host, r.Clients[0].Host}[i : i+1] {
				assert.Equal(t, cellsOf(h.World()), cellsOf(p.World()), "demo %d, program %d", i, n)
			}
		}
	}
}

// TestDemosNameAClassThatIsMissing: a program refuses a demo that it cannot show, with the name of
// a class. Then it shows another one with its own list.
func TestDemosNameAClassThatIsMissing(t *testing.T) {
	dial := sim.Class{Name: "Dial", Parent: "Thing", New: func() sim.Object { return new(enginetest.Thing) },
		Fields: []sim.Field{sim.BoolField("on", 6, func(*enginetest.Thing) *bool { return new(bool) })},
		Coders: map[uint8]func(*sim.GroupCoder, sim.Object){6: func(*sim.GroupCoder, sim.Object) {}},
	}
	solid := aloneClass
	solid.Moves = true
	large := aloneClass
	large.Fields = []sim.Field{sim.BoolField("large", 6, func(*enginetest.Thing) *bool { return new(bool) })}
	record := func(server, client func(*engine.Config)) *recording.File {
		r := enginetest.New(t, enginetest.Options{Server: server})
		d := recordDemo(t, r.Server.Host)
		r.Run(time.Second)
		r.Server.Demos.Stop()
		f := d.open(t)
		f.Header.Program = "v9"
		return f
	}
	r := enginetest.New(t, enginetest.Options{})
	for class, c := range map[string]struct{ server, client func(*engine.Config) }{
		"Dial":  {with(t, nil, dial), nil},
		"Alone": {with(t, nil, large), with(t, nil, solid)},
	} {
		f := record(c.server, c.client)
		p, _, err := viewer(r, 50, f, c.client)
		require.EqualError(t, err, `the demo is of torc "v9" with the class `+class+`, and this torc lacks it or has another one: play it with that program`)
		f.Header.List = nil
		_, err = p.Demos.Play(f, func() {})
		require.EqualError(t, err, `the demo is of torc "v9" with other classes of objects, and does not describe them: play it with that program`)
		f.Header.List = []byte{1, 0}
		_, err = p.Demos.Play(f, func() {})
		require.EqualError(t, err, `the demo has classes of objects that this torc cannot read: the list of classes is damaged`)
		_, err = p.Demos.Play(record(c.client, nil), func() {})
		require.NoError(t, err, "the program has its own list again")
	}
}
