package dissect_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/node/dissect"
)

// TestAgreesWithReceiver plays on bad lines, and compares what it reads with what the hosts have
// received: the commands in their order, and the values of the ghosts at the end.
func TestAgreesWithReceiver(t *testing.T) {
	for seed := range testenv.Length(5, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { agrees(t, uint64(seed)) })
	}
}

func agrees(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	link := func() netcore.LinkParams {
		return netcore.LinkParams{
			Delay: time.Duration(rng.IntN(80)) * ms, Jitter: time.Duration(rng.IntN(60)) * ms,
			Loss: rng.Float64() * 0.25, Reorder: rng.Float64() * 0.2, Duplicate: rng.Float64() * 0.1, Corrupt: rng.Float64() * 0.05,
		}
	}
	r := record(t, enginetest.Options{Seed: seed, Up: link(), Down: link()})
	r.Server.Settings.Check = seed%5 == 4
	r.Server.Apply()
	heard := map[capture.Side][]string{}
	listen := func(p *enginetest.Player, from capture.Side) {
		p.Handler = func(_ *engine.Connection, args []sim.Value) {
			heard[from] = append(heard[from], args[0].Literal()+" "+args[1].Text())
		}
	}
	listen(r.Clients[0], capture.Server)
	listen(r.Server, capture.Client)
	r.blocks("Hammer", "Saw")
	r.Join()
	r.play(rng)
	r.Net.Link(r.Clients[0].Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{}) // each packet gets its verdict
	r.Run(5 * time.Second)

	ghosts, said := shadows{}, map[capture.Side][]string{}
	all := r.packets()
	slices.SortStableFunc(all, func(a, b *dissect.Packet) int { return cmp.Compare(a.Number, b.Number) }) // as the receiver does
	for _, p := range all {
		if p.Type != "data" || p.Fate == dissect.Lost {
			assert.Empty(t, p.Processed)
			continue
		}
		ghosts.follow(p.Fields)
		for _, e := range p.Processed {
			if e.Name == "Call" {
				said[p.From] = append(said[p.From], fmt.Sprint(e.Args[0].Value, " ", e.Args[1].Value))
			}
		}
	}
	assert.Equal(t, heard, said)
	assert.Greater(t, len(heard[capture.Server]), 100)
	r.compare(ghosts)
}

// play changes objects and calls commands at random for a while.
func (r *recorded) play(rng *rand.Rand) {
	var things []*enginetest.Thing
	for i := range 200 {
		if len(things) < 12 && i%3 == 0 {
			things = append(things, r.thing(fmt.Sprint("thing ", i), sim.Vec3{X: float64(i)}))
		}
		if i%15 == 14 {
			r.Server.World().Delete(things[0])
			things = things[1:]
		}
		for _, o := range things {
			if rng.IntN(3) == 0 {
				o.At.X, o.Energy = o.At.X+rng.Float64(), 100*rng.Float64()
				o.Mark(1<<1 | 1<<2)
			}
			if rng.IntN(20) == 0 {
				o.Label, o.Friend = fmt.Sprint("label ", i), things[0].ID()
				o.Mark(1<<3 | 1<<4)
			}
		}
		r.call(false, event.Guarantee(rng.IntN(3)), "Call", sim.Number(float64(i)), sim.Tag(fmt.Sprint("tag ", i/20)))
		if i%4 == 0 {
			r.call(true, event.Ordered, "Call", sim.Number(float64(i)), sim.String(strings.Repeat("x", rng.IntN(15)*rng.IntN(100))))
		}
		r.Run(time.Duration(rng.IntN(100)) * ms)
	}
}

// shadows are the fields of ghosts as the packets say them, by id and name.
type shadows map[any]map[string]dissect.Field

func (s shadows) follow(fields []dissect.Field) {
	var id any
	for _, f := range fields {
		list, rest, _ := strings.Cut(strings.TrimPrefix(f.Name, "ghosts."), ".")
		_, name, item := strings.Cut(rest, ".")
		switch {
		case !strings.HasPrefix(f.Name, "ghosts.") || !item:
		case name == "id" && list == "kills":
			delete(s, f.Value)
		case name == "id":
			if id = f.Value; s[id] == nil {
				s[id] = map[string]dissect.Field{}
			}
		default:
			s[id][name] = f
		}
	}
}

// compare compares the shadows with the ghosts of the client.
func (r *recorded) compare(s shadows) {
	client := r.Clients[0]
	found := 0
	for id := sim.ID(1); id < 4000; id++ {
		o, ok := client.World().Find(id).(*enginetest.Thing)
		if !ok {
			continue
		}
		number, ok := client.Host.Server().PeerGhosts.IDOf(o)
		require.True(r.t, ok)
		fields := s[uint64(number)]
		require.NotNil(r.t, fields, "ghost %d", number)
		assert.Equal(r.t, o.Label, fields["label"].Value)
		assert.Equal(r.t, o.At.X, fields["at.x"].Means)
		assert.Equal(r.t, o.Energy, fields["energy"].Means)
		found++
	}
	assert.Equal(r.t, len(s), found, "ghosts")
	assert.Greater(r.t, found, 5)
}

// TestNewKeys: a capture of several minutes has several keys in each direction.
func TestNewKeys(t *testing.T) {
	r := record(t, enginetest.Options{Seed: 1, Up: netcore.LinkParams{Loss: 0.2}, Down: netcore.LinkParams{Loss: 0.2}})
	r.Join()
	o := r.thing("moves", sim.Vec3{})
	for range 300 {
		o.At.X++
		o.Mark(1 << 1)
		r.Run(time.Second)
	}
	all := r.packets()
	keys := map[capture.Side]int{}
	for _, p := range all {
		assert.NotEqual(t, "sealed", p.Type, "packet %d", p.Packet)
		for _, f := range p.Fields {
			if f.Value == "key" {
				keys[p.From]++
			}
		}
	}
	assert.GreaterOrEqual(t, keys[capture.Client], 2)
	assert.GreaterOrEqual(t, keys[capture.Server], 2)
	assert.InDelta(t, 300, field(all, "at.x").Means, 5)
}

// TestSpectator: a spectator gets the bytes of a recording.
func TestSpectator(t *testing.T) {
	r := record(t, enginetest.Options{Seed: 1})
	r.Server.Settings.MaxWatchers, r.Server.Settings.WatchDelay = 1, 1
	r.Server.Apply()
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
	r.Run(5 * time.Second)
	n := 0
	for _, p := range r.packets() {
		for _, e := range p.Processed {
			if strings.Contains(e.Text, "bytes of the recording") {
				n++
			}
		}
	}
	assert.NotZero(t, n)
}
