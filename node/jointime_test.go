package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// joinTimes are the times of a join since the start of the client.
type joinTimes struct{ accepted, game, control time.Duration }

// joinCase is a server and a line. steers is false if the server gives players no control object.
type joinCase struct {
	server ServerConfig
	steers bool
	rtt    time.Duration
}

var (
	baseAlone = joinCase{}
	ctfRidge  = joinCase{server: ServerConfig{Load: []string{"ctf"}, Mission: "ridge"}, steers: true}
)

// run joins, and prints what crosses the line in each round trip.
func (j joinCase) run(t *testing.T) (times joinTimes) {
	seed, net, link := uint64(1), netsim.New(1), netcore.LinkParams{Delay: j.rtt / 2}
	common := Common{Name: "Ann", Seed: &seed, Resolve: engine.ResolveTo(netcore.SimAddr(1))}
	server, err := NewServer(Config{Common: common, Server: j.server})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	client, err := NewClient(Config{Common: common, Client: ClientConfig{Address: "torc.test:28000"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	net.Attach(netcore.SimAddr(1), server.Host())
	net.Attach(netcore.SimAddr(2), client.Host())
	net.Link(netcore.SimAddr(2), netcore.SimAddr(1), link, link)
	require.NoError(t, server.Start())
	net.Run(10*engine.TickTime, engine.TickTime) // the mission loads
	start := net.Now()
	trips := func() float64 { return float64(net.Now()-start) / float64(j.rtt) }
	net.Watch = func(_ netcore.Time, from, _ netcore.Addr, b []byte) {
		who := "client"
		if from == netcore.SimAddr(1) {
			who = "server"
		}
		t.Logf("%5.2f round trips: the %s sends %d bytes", trips(), who, len(b))
	}
	require.NoError(t, client.Start())
	reach := func(what string, is func(c *engine.Connection) bool) time.Duration {
		require.True(t, net.RunWhile(start+time.Minute, engine.TickTime, func() bool {
			c := client.Host().Server()
			return c == nil || !is(c)
		}), what)
		t.Logf("%5.2f round trips: %s, after %v", trips(), what, net.Now()-start)
		return net.Now() - start
	}
	times.accepted = reach("accepted", func(*engine.Connection) bool { return true })
	times.game = reach("in the game", func(c *engine.Connection) bool { return c.Join.Phase() == engine.PhaseGame })
	if j.steers {
		times.control = reach("steers", func(c *engine.Connection) bool { return c.Control.Object() != nil })
	}
	return times
}

// TestRoundTripsOfAJoin joins at two round-trip times, so that the ticks drop out.
func TestRoundTripsOfAJoin(t *testing.T) {
	for name, j := range map[string]joinCase{"base": baseAlone, "ridge": ctfRidge} {
		t.Run(name, func(t *testing.T) {
			const short, long = 8 * engine.TickTime, 24 * engine.TickTime
			j.rtt = short
			a := j.run(t)
			j.rtt = long
			b := j.run(t)
			const trip = long - short
			assert.LessOrEqual(t, b.accepted-a.accepted, 3*trip)
			assert.LessOrEqual(t, b.game-a.game, 5*trip)
			assert.LessOrEqual(t, b.control-a.control, 6*trip)
		})
	}
}

// TestTimeOfAJoin joins the mission of base, and a match, at a round-trip time of 300 ms.
func TestTimeOfAJoin(t *testing.T) {
	for name, j := range map[string]joinCase{"base": baseAlone, "ridge": ctfRidge} {
		t.Run(name, func(t *testing.T) {
			j.rtt = 300 * time.Millisecond
			times := j.run(t)
			assert.LessOrEqual(t, max(times.game, times.control), 2*time.Second)
		})
	}
}
