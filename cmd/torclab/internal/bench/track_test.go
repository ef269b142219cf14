package bench

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// pose is a bot's position, view direction and triggers in one tick.
type pose struct {
	at, look sim.Vec3
	triggers uint8
}

// pathRecord is a bot's recorded path, with a stance for each tick.
type pathRecord []pose

const (
	lookAhead = 8  // ticks: a player moves towards this point of its track
	lookFar   = 50 // metres: a player aims at a point this far away
)

// record runs a match of bots and records their tracks. The result is deterministic.
func record(bots int, long time.Duration) ([]pathRecord, error) {
	m, err := newMatch()
	if err != nil {
		return nil, err
	}
	if err := m.say(fmt.Sprintf(`for i = 1, %d do addBot("B" .. i) end`, bots)); err != nil {
		return nil, err
	}
	tracks := make([]pathRecord, bots)
	body := func(i int) *game.Player {
		p, _ := m.host.Connections()[i].Control.Object().(*game.Player)
		return p
	}
	err = m.until("all bots play", func() bool {
		n := 0
		for i := range m.host.Connections() {
			if body(i) != nil {
				n++
			}
		}
		return n == bots
	})
	for end := m.net.Now() + long; err == nil && m.net.Now() < end; {
		m.tick()
		for i := range tracks {
			if p := body(i); p != nil {
				tracks[i] = append(tracks[i], stanceOf(&m.host.Connections()[i].Pilot, p))
			} else {
				tracks[i] = append(tracks[i], pose{})
			}
		}
	}
	if err == nil {
		err = m.fault()
	}
	return tracks, err
}

func stanceOf(pilot *engine.Pilot, p *game.Player) pose {
	place := p.Place()
	look := sim.Look(sim.Turn(place.Rotation.Yaw), sim.Turn(place.Rotation.Pitch))
	return pose{place.Position, look, pilot.Move(place).Triggers}
}

// at returns the stance of a tick. A track repeats when it ends.
func (t pathRecord) at(tick int) pose { return t[tick%len(t)] }

// moves returns the move of a player following a track, with its recorded aim and triggers.
func (t pathRecord) moves(tick int, o sim.Object) sim.Move {
	p, is := o.(*game.Player)
	if !is {
		return sim.Move{}
	}
	to, pilot := t.at(tick+lookAhead), engine.Pilot{}
	eye := p.Place()
	eye.Position = p.EyePoint()
	pilot.MoveTo(to.at, 1)
	pilot.AimAt(eye.Position.Add(to.look.Mul(lookFar)))
	m := pilot.Move(eye)
	m.Triggers = to.triggers
	return m
}
