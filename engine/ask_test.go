package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// nosy asks a host everything that can be asked, at random moments.
type nosy struct {
	*engine.Host
	rng *rand.Rand
	now netcore.Time
	n   int // rounds of questions
}

func (a *nosy) Receive(now netcore.Time, from netcore.Addr, datagram []byte) {
	a.ask(now)
	a.Host.Receive(now, from, datagram)
	a.ask(now)
}

func (a *nosy) Tick(now netcore.Time) {
	a.ask(now)
	a.Host.Tick(now)
	a.ask(now)
}

func (a *nosy) Send(now netcore.Time, out func(to netcore.Addr, datagram []byte)) {
	a.ask(now)
	a.Host.Send(now, out)
	a.ask(now)
}

// ask asks up to three times. Only the question for the next packet is asked each time, as a server
// does.
func (a *nosy) ask(now netcore.Time) {
	a.now = max(a.now, now)
	for range a.rng.IntN(3) {
		a.Due(a.now)
		if a.rng.IntN(20) > 0 {
			continue
		}
		a.n++
		a.Status()
		a.Summary()
		for _, c := range a.Connections() {
			a.askAbout(c)
		}
	}
}

// askAbout asks about a connection.
func (a *nosy) askAbout(c *engine.Connection) {
	h := a.Host
	for _, lines := range []func(*engine.Connection) []string{h.Inspector.GhostLines, h.Inspector.ScopeLines, h.Inspector.NetLines, h.Inspector.MoveLines} {
		lines(c)
	}
	h.Inspector.Radar(c, 20, 10)
	h.Inspector.EachGhostView(c, func(*engine.GhostView) {})
	h.Inspector.EachUnseen(c, sim.Vec3{}, 100, func(*engine.GhostView) bool { return true })
	c.Visible.Eye()
	c.Line.Ping()
	c.Line.Loss()
	c.Commands.Queued("ctf")
	c.Line.SendRate()
	c.Camera.View()
	c.Tints.Strength(engine.DamageFlash)
	c.Control.Object()
	c.Control.Waiting()
	c.Line.Interrupted()
	c.PeerGhosts.Each(func(o sim.Object) bool { c.PeerGhosts.IDOf(o); return true })
	if c.Net() == nil {
		return
	}
	c.Line.Measured()
	c.Net().Due(a.now)
	c.Events().Due(a.now)
	c.Events().Queued()
	c.Events().Idle()
	c.Ghosts().Due(a.now)
	c.Ghosts().Pending()
	c.Ghosts().Waiting()
}

// TestQuestionsChangeNothing checks that hosts that are asked at any moment send the same packets
// as hosts that are not. A journal has no questions, so a replay could differ otherwise. The game
// is that of TestRandomFaults, in which half of the clients get fewer packets than there are ticks.
func TestQuestionsChangeNothing(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 10) {
		quiet, asked := newChaos(t, seed, nil), newChaos(t, seed, nil)
		for i, p := range append(asked.r.Clients, asked.r.Server) {
			a := &nosy{Host: p.Host, rng: rand.New(rand.NewPCG(seed, uint64(i)))}
			asked.r.Net.Attach(p.Addr, a)
			asked.asks = append(asked.asks, func() { a.ask(0) })
			t.Cleanup(func() { require.NotZero(t, a.n) })
		}
		for range testenv.Length(80, 150) {
			for _, c := range []*chaos{quiet, asked} {
				c.round()
			}
			require.Equal(t, quiet.r.Net.Hash(), asked.r.Net.Hash(), "seed %d, at %v", seed, quiet.r.Net.Now())
		}
	}
}
