package dissect_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/dissect"
)

// recorded is a rig whose client writes a capture.
type recorded struct {
	*enginetest.Rig
	t    testing.TB
	file bytes.Buffer
	w    *capture.Writer
}

// record makes a rig. The client is not connected yet.
func record(t testing.TB, o enginetest.Options) *recorded {
	r := &recorded{t: t}
	both := o.Both
	o.Both = func(c *engine.Config) {
		if both != nil {
			both(c)
		}
		if !c.Server {
			r.w = capture.NewWriter(&r.file, dissect.Header(capture.Client, c.Classes, engine.EventKinds(c.Events...)))
			c.Keys = func(_ netcore.Addr, k seal.SessionKeys) { r.w.Session(micros(r.Net.Now()), k.Seal, k.Open) }
		}
	}
	r.Rig = enginetest.New(t, o)
	client := r.Clients[0]
	r.Net.Attach(client.Addr, &recorder{client, r.w})
	for _, p := range []*enginetest.Player{r.Server, client} {
		p.Quiet = true
		p.Handler = func(*engine.Connection, []sim.Value) {}
	}
	return r
}

// slow gives both sides a low rate, so that a capture is small.
func (r *recorded) slow(rate float64) {
	for _, p := range []*enginetest.Player{r.Server, r.Clients[0]} {
		p.Settings.Rate, p.Settings.Size = rate, 600
		p.Apply()
	}
}

func micros(t netcore.Time) int64 { return int64(t / time.Microsecond) }

// recorder is a client with a capture of its datagrams.
type recorder struct {
	*enginetest.Player
	w *capture.Writer
}

func (r *recorder) Receive(now netcore.Time, from netcore.Addr, b []byte) {
	r.w.Packet(micros(now), capture.Server, b)
	r.Player.Receive(now, from, b)
}

func (r *recorder) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	r.Player.Send(now, func(to netcore.Addr, b []byte) {
		r.w.Packet(micros(now), capture.Client, b)
		out(to, b)
	})
}

// packets returns the packets of the capture, all of which must be readable.
func (r *recorded) packets() (all []*dissect.Packet) {
	require.NoError(r.t, r.w.Err())
	return packets(r.t, r.file.Bytes())
}

func packets(t testing.TB, file []byte) (all []*dissect.Packet) {
	require.NoError(t, dissect.Read(bytes.NewReader(file), func(p *dissect.Packet) error {
		all = append(all, p)
		return nil
	}))
	return all
}

// thing adds a thing to the server.
func (r *recorded) thing(label string, at sim.Vec3) *enginetest.Thing {
	o, err := r.Server.World().New("Thing", func(o sim.Object) error {
		thing := o.(*enginetest.Thing)
		thing.Label, thing.At, thing.Team = label, at, len(label)%8
		return nil
	})
	require.NoError(r.t, err)
	return o.(*enginetest.Thing)
}

// call calls a command of the client, or of the server.
func (r *recorded) call(toServer bool, g event.Guarantee, name string, args ...sim.Value) {
	c := r.Peer(0)
	if toServer {
		c = r.Clients[0].Host.Server()
	}
	require.NoError(r.t, c.Commands.Send(engine.CommandOptions{Guarantee: g}, sim.Tag(name), args))
}

// blocks declares datablocks of the server.
func (r *recorded) blocks(names ...string) {
	for i, name := range names {
		_, _, err := r.Server.World().Blocks.Declare("ToolData", name, names[0], func(o sim.Object) error {
			o.(*enginetest.ToolData).Mass = float64(i) + 0.5
			return nil
		})
		if i == 0 {
			_, _, err = r.Server.World().Blocks.Declare("ToolData", name, "", nil)
		}
		require.NoError(r.t, err)
	}
}

// probe describes a class that a mod declares, with a field of each kind.
func probe(bits int) sim.ClassSpec {
	return sim.ClassSpec{Name: "Probe", Parent: "Thing", Source: "a test", Fields: []sim.FieldSpec{
		{Name: "heat", Group: "g", Kind: sim.KindNumber, Lo: 0, Hi: 1, Bits: bits, Default: sim.Number(0.5)},
		{Name: "spin", Group: "g", Kind: sim.KindNumber, Lo: -8, Hi: 8, Bits: bits},
		{Name: "aim", Kind: sim.KindRot, Bits: 10},
		{Name: "count", Kind: sim.KindNumber, Lo: -5, Hi: 1000, Whole: true, Default: sim.Number(7)},
		{Name: "exact", Kind: sim.KindNumber, Lo: -10, Hi: 10},
		{Name: "near", Kind: sim.KindVec, Lo: -50, Hi: 50, Step: 0.25, Default: sim.Vec(sim.Vec3{X: 1})},
		{Name: "lit", Kind: sim.KindBool},
		{Name: "word", Kind: sim.KindString, Max: 20, Default: sim.String("none")},
		{Name: "to", Kind: sim.KindObject, Class: "Thing"},
		{Name: "made", Kind: sim.KindObject, Class: "ToolData"},
	}}
}

// set sets a field of an object.
func set(t testing.TB, o sim.Object, field string, v sim.Value) {
	f, err := o.Ident().Class().Field(field)
	require.NoError(t, err)
	require.NoError(t, f.Set(o, v))
}

// field returns the last value of a field among packets, by the end of its name.
func field(all []*dissect.Packet, suffix string) (f *dissect.Field) {
	for _, p := range all {
		for i := range p.Fields {
			if strings.HasSuffix(p.Fields[i].Name, suffix) {
				f = &p.Fields[i]
			}
		}
	}
	return f
}
