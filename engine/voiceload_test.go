package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// roomOutcome is what voices must not change.
type roomOutcome struct {
	age  [roomLines]int // ticks: the oldest ghost of a client with each line
	lost int            // moves that the server made up or discarded
	cpu  time.Duration  // of the server, for each tick
}

// The lines of the players, with IP and UDP headers.
const (
	narrow  = iota // 64 kbit/s
	carries        // 80 kbit/s: the narrowest line with room for a talker
	wide
	roomLines
)

// lineOf returns the line of a player: every second one is wide.
func lineOf(i int) int { return []int{narrow, wide, carries, wide}[i%4] }

// timedHost measures what a host takes.
type timedHost struct {
	*engine.Host
	spent *time.Duration
}

func (h timedHost) measure(f func()) {
	begun := cpuTime()
	f()
	*h.spent += cpuTime() - begun
}

func (h timedHost) Receive(at netcore.Time, from netcore.Addr, d []byte) {
	h.measure(func() { h.Host.Receive(at, from, d) })
}
func (h timedHost) Tick(now netcore.Time) { h.measure(func() { h.Host.Tick(now) }) }
func (h timedHost) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	h.measure(func() { h.Host.Send(now, out) })
}

// playRoom lets players run in one room, and talk for three seconds.
func playRoom(t *testing.T, mode string, n int) (o roomOutcome, v *voiceRig) {
	v = newVoiceRig(t, mode, enginetest.Options{Clients: n})
	v.stand(0.25)
	clock := new(enginetest.Thing) // its position is the tick
	v.Server.World().Add(clock)
	for i, c := range v.Clients {
		switch lineOf(i) {
		case narrow:
			v.Peer(i).Line.SetSendRate(engine.Rate{Packets: 20, Size: 372})
		case carries:
			v.Peer(i).Line.SetSendRate(engine.Rate{Packets: 20, Size: 472})
		}
		c.Host.SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Y: 4, Yaw: 3000} })
	}
	tick := func() {
		clock.At.X += 0.0625
		clock.Mark(1 << 1)
		v.Run(engine.TickTime)
	}
	for _, p := range v.people {
		p.talks, p.size = true, 45 // 2,250 bytes/s, as speech
	}
	for range 60 { // until each side knows what its line carries now
		tick()
	}
	lost := func() (sum int) {
		for i := range n {
			sum += v.Peer(i).Control.Stats.Null + v.Peer(i).Control.Stats.Dropped
		}
		return sum
	}
	for _, p := range v.people {
		p.frames, p.heard = 0, nil
	}
	o.lost = -lost()
	defer lockThread()()
	v.Net.Attach(v.Server.Addr, timedHost{v.Server.Host, &o.cpu})
	for range 94 {
		tick()
		for i, c := range v.Clients {
			if g, ok := ghostOf(v.Peer(i), c.Host.Server(), clock).(*enginetest.Thing); ok {
				o.age[lineOf(i)] = max(o.age[lineOf(i)], int((clock.At.X-g.At.X)/0.0625))
			}
		}
	}
	o.lost += lost()
	o.cpu /= 94
	return o, v
}

// TestRoomFullOfTalkers lets everybody in a room talk. No more moves are lost than without voice.
// Where the line has room no ghost is older by more than a tick. A narrow line hears one talker at
// a time, who takes a third of it. The long form has 64 players.
func TestRoomFullOfTalkers(t *testing.T) {
	n := testenv.Length(12, 64)
	without, _ := playRoom(t, "off", n)
	with, v := playRoom(t, "proximity", n)
	assert.LessOrEqual(t, with.lost, without.lost, "moves")
	for _, line := range []int{carries, wide} {
		assert.LessOrEqual(t, with.age[line], without.age[line]+1, "ticks")
	}
	for i, p := range v.people {
		frames, want := len(p.heard), p.frames
		if lineOf(i) == wide {
			want *= voice4
		}
		assert.InDelta(t, want, frames, float64(want)/8, "player %d hears %v", i, p.from())
	}
	t.Logf("%d players: %+v without voice, %+v with it; %+v", n, without, with, v.Server.Voices.Figures())
}

// voice4 is how many talkers a wide line hears.
const voice4 = 4
