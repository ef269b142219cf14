package bench

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

// lineMatch is a match of capture the flag without end. One player is on a line.
type lineMatch struct {
	line.Medium
	server *luaHost
	player *linePlayer
	start  netcore.Time // of the measurement
}

// newLineMatch returns a match after some console lines of the server, with a player in it. The
// player's line has a capacity and a queue from the
// server, and the same delay, jitter and loss in each direction.
func newLineMatch(m line.Medium, seed uint64, way netsim.Direction, setup ...string) (*lineMatch, error) {
	up := netsim.Direction{LinkParams: way.LinkParams}
	m.Set(up, way)
	x := &lineMatch{Medium: m}
	side := uint16(seed) << 8
	var err error
	if x.server, err = newSide(side, true, x.watch, "base", "ctf"); err != nil {
		return nil, err
	}
	if err := x.server.say("ctf.warmup = 0", "ctf.timeLimit = 1440", "ctf.scoreLimit = 100"); err != nil {
		return nil, err
	}
	client, err := newSide(side+1, false, nil, "base")
	if err != nil {
		return nil, err
	}
	x.player = &linePlayer{luaHost: client, trip: 2*(way.Delay+way.Jitter) + way.Queue, moves: walk(seed)}
	client.host.SetMoves(x.player.move)
	phase := rand.New(rand.NewPCG(seed, 3))
	at := func() netcore.Time { return m.Now() + netcore.Time(phase.Int64N(int64(engine.TickTime))) }
	m.Pair(&tickingHost{Machine: x.server.host, host: x.server.host, next: at()}, &tickingHost{Machine: x.player, host: client.host, next: at()}, 0)
	if err := client.host.Dialer.Connect("server:1", engine.ConnectArgs{Timeout: time.Minute}); err != nil {
		return nil, err
	}
	return x, x.join(setup)
}

// watch measures the player's body on the server after a step of its tick.
func (x *lineMatch) watch(done engine.Step) {
	if x.player != nil && (done == engine.StepReceive || done == engine.StepMoves || done == engine.StepReplicate) {
		x.player.force.look(x.Now(), done == engine.StepMoves)
	}
}

// join waits until the player has a body, runs the lines of the setup, and waits some seconds more.
func (x *lineMatch) join(setup []string) error {
	for end := x.Now() + time.Minute; ; x.Run(x.Now() + liveStep) {
		if s := x.player.host.Server(); s != nil && s.Control.Object() != nil {
			break
		}
		if x.Now() > end {
			return errors.Join(errors.New("the player has no body after 1 minute"), x.fault())
		}
	}
	conns := x.server.host.Connections()
	x.player.force.conn = conns[len(conns)-1]
	if err := x.server.say(setup...); err != nil {
		return err
	}
	x.Run(x.Now() + lineSettle)
	x.player.begun, x.start = x.player.counts, x.Now()
	x.player.begun.halts, x.player.begun.null = x.player.host.Server().Control.Stats.Halts, x.player.force.conn.Control.Stats.Null
	return nil
}

// lineSettle is the time in which a connection finds the rate and the jitter of its line.
const lineSettle = 5 * time.Second

// minutes returns for how long the match has been measured.
func (x *lineMatch) minutes() float64 { return (x.Now() - x.start).Minutes() }

// counted returns the player's events since the start of the measurement.
func (x *lineMatch) counted() counts {
	n, from := x.player.counts, x.player.begun
	n.halts, n.null = x.player.host.Server().Control.Stats.Halts-from.halts, x.player.force.conn.Control.Stats.Null-from.null
	n.corrections, n.visible, n.forced = n.corrections-from.corrections, n.visible-from.visible, n.forced-from.forced
	return n
}

func (x *lineMatch) fault() error {
	return errors.Join(errors.Join(x.server.faults...), errors.Join(x.player.faults...))
}

// walk returns random moves on foot. The same seed always returns the same moves.
func walk(seed uint64) func(int, sim.Object) sim.Move {
	rng, m := rand.New(rand.NewPCG(seed, 8)), sim.Move{}
	return func(int, sim.Object) sim.Move {
		if rng.IntN(20) == 0 {
			m = sim.Move{Y: int8(rng.IntN(33) - 16), X: int8(rng.IntN(33) - 16)}
			m.SetTrigger(sim.JumpTrigger, rng.IntN(10) == 0)
		}
		m.Yaw, m.Pitch = int16(rng.IntN(801)-400), int16(rng.IntN(101)-50)
		return m
	}
}
