package bench

import (
	"math/rand/v2"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// The links for vehicles.
var driveLinks = []lagLink{{0, 0}, {100 * time.Millisecond, 0.02}, {200 * time.Millisecond, 0.05}}

// driverClients returns one client for each pair of vehicle and link.
func driverClients() (clients []lagClient) {
	for _, kind := range []string{"Scout", "Tank", "Transport"} {
		for _, link := range driveLinks {
			clients = append(clients, lagClient{name: kind, link: link, moves: driver(uint64(len(clients))), drive: kind})
		}
	}
	return clients
}

// keepDrivingLua is Lua for the server. It keeps a client's player in a vehicle of the given
// datablock. If the vehicle is lost, the player gets a new one far from all others.
const keepDrivingLua = `
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

// driver returns random driving moves: mostly forward, in curves, sometimes in reverse. The same
// seed always returns the same moves.
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
