package bench

import (
	"math/rand/v2"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// The lines over which vehicles are driven.
var driveLinks = []lagLink{{0, 0}, {100 * time.Millisecond, 0.02}, {200 * time.Millisecond, 0.05}}

// driverSeats are one for each kind of vehicle and line.
func driverSeats() (seats []lagSeat) {
	for _, kind := range []string{"Scout", "Tank", "Transport"} {
		for _, link := range driveLinks {
			seats = append(seats, lagSeat{name: kind, link: link, moves: driver(uint64(len(seats))), drive: kind})
		}
	}
	return seats
}

// keepDriving is Lua for the server: it sees to it that a client's player sits in
// a vehicle of a kind, and gives him another, far from everybody else, when that
// is lost.
const keepDriving = `
local function look()
  for client in clientGroup:each() do
    local body = client.controlObject
    if client.name == %q and body and not body.mount and not body:isDestroyed() then
      local x = client.id %% 100 * 40
      local vehicle = new "Vehicle" { dataBlock = %q, position = vec(x, 0, terrainHeight(x, 0) + 2), team = body.team }
      vehicle:mountObject(body, 0)
    end
  end
  schedule(500, look)
end
look()`

// driver is how somebody drives about: ahead most of the time, in curves, back
// and round when he feels like it. Somebody with a seed always drives alike.
func driver(seed uint64) func(int, sim.Object) sim.Move {
	rng, m := rand.New(rand.NewPCG(seed, 7)), sim.Move{}
	return func(int, sim.Object) sim.Move {
		if rng.IntN(40) == 0 {
			m = sim.Move{Y: [...]int8{16, 16, 16, 8, -16}[rng.IntN(5)], X: int8(rng.IntN(17) - 8)}
			m.SetTrigger(sim.JetTrigger, rng.IntN(3) == 0)
			m.SetTrigger(sim.CrouchTrigger, rng.IntN(10) == 0)
		}
		m.Yaw, m.Pitch = int16(rng.IntN(401)-200), int16(rng.IntN(101)-50)
		return m
	}
}
