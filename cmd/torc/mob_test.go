package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// words are the arguments that a hostile client sends: valid and meaningless ones.
var words = []string{
	`"use"`, `"drop"`, `"slot1"`, `"slot2"`, `"slot3"`, `"slot9"`, `"scores"`, `"vote yes"`, `""`, `"__index"`, `"map"`, `"kick"`, `"valley"`, `"ridge"`,
	`"Ann"`, `"Bob"`, `"Bot 1"`, `"light"`, `"order"`, `"hold"`, `"%1 %2 %9"`, `"\27[2J"`, `("x"):rep(1000)`, `("\240\159\152\128"):rep(250)`, `"/team"`,
	`"/team " .. ("y"):rep(990)`, `"/vote kick " .. ("z"):rep(980)`, `"/vote map \"ridge"`, `"/loadout heavy"`, `"/loadout of"`, `"/switch"`, `"/switch"`, `"/yes"`, `"/no"`, `"/vote kick Bob"`,
	`"/vote map ridge"`, `"/ \" ' \\"`, `"/say hello"`, `"/help"`, `"/nothing"`, `1`, `0`, `-1`, `0/0`, `1/0`, `2^53`, `1e308`, `true`, `false`, `nil`,
	`vec(0, 0, 0)`, `vec(0/0, 1/0, 1e308)`, `rot(1e308, 0, 0)`, `server`, `server.controlObject`, `{}`, `{ 1, 2, { 3 } }`,
}

// commands are the commands of ctf, base and deathmatch, and some that do not exist.
var commands = []string{
	"Key", "Key", "Key", "Key", "MessageSent", "MessageSent", "TeamMessageSent", "StartVote", "CastVote", "MissionStartPhase1Ack", "MissionStartPhase2Ack",
	"MissionStartPhase3Ack", "setTransform", "mountObject", "damage", "EnterGame", "", "key",
}

// mob is a set of clients that act at random.
type mob struct {
	*table
	rng     *rand.Rand
	clients []*half
	moves   []sim.Move
}

func newMob(t *testing.T, seed uint64, game string) *mob {
	m := &mob{table: newTable(t, seed, game), rng: rand.New(rand.NewPCG(seed, 6))}
	for i, name := range []string{"Ann", "Bob", "Cat"} {
		c := m.join(name, uint16(i+2))
		m.clients, m.moves = append(m.clients, c), append(m.moves, sim.Move{})
		c.host.SetMoves(func(*engine.Connection) sim.Move { return m.move(i) })
	}
	return m
}

func (m *mob) pick(list []string) string { return list[m.rng.IntN(len(list))] }

func (m *mob) move(i int) sim.Move {
	if m.rng.IntN(10) == 0 {
		m.moves[i] = sim.Move{X: int8(m.rng.IntN(256) - 128), Y: int8(m.rng.IntN(256) - 128), Yaw: int16(m.rng.Uint32()), Pitch: int16(m.rng.Uint32()),
			Triggers: uint8(m.rng.Uint32()), FreeLook: m.rng.IntN(4) == 0}
	}
	return m.moves[i]
}

// act sends a random command from a client.
func (m *mob) act(c *half) {
	if c.host.Server() == nil {
		return
	}
	args := make([]string, m.rng.IntN(4))
	for i := range args {
		args[i] = m.pick(words)
	}
	list := strings.Join(append([]string{fmt.Sprintf("%q", m.pick(commands))}, args...), ", ")
	_, _ = c.console.Exec("pcall(commandToServer, " + list + ")")
}

// fate makes random events happen in the match.
func (m *mob) fate() {
	for _, line := range []string{
		`local list = {} for o in objects "ShapeBase" do list[#list + 1] = o end
		 for p in objects "Player" do if math.random(3) == 1 then p:setTransform(list[math.random(#list)].position + vec(0, 0, 0.5), rot(0, 0, 0)) end end`,
		`if find "FlagItem" then for p in objects "Player" do for f in objects "Flag" do if math.random(4) == 1 then p:setTransform(f.position, rot(0, 0, 0)) end end end end`,
		`for o in objects "ShapeBase" do if math.random(8) == 1 then o:damage(nil, o.position, 10000, "laser") end end`,
		`for o in objects "Vehicle" do if math.random(4) == 1 then o:delete() end end`,
		`for o in objects "Player" do if math.random(8) == 1 then o:delete() end end`,
		`for c in clientGroup:each() do if math.random(8) == 1 then c:setControlObject(nil) end end`,
		`for o in objects "Vehicle" do for p in objects "Player" do if math.random(3) == 1 then pcall(o.mountObject, o, p, math.random(8) - 1) end end end`,
	} {
		if m.rng.IntN(8) == 0 {
			m.say(line)
		}
	}
	if m.rng.IntN(40) == 0 {
		m.say(`pcall(loadMission, ({ "valley", "ridge", "arena" })[math.random(3)])`)
	}
}

func (m *mob) again(i int) {
	c := m.clients[i]
	if c.host.Server() != nil {
		if m.rng.IntN(60) == 0 {
			c.host.Dialer.Disconnect("bored")
		}
		return
	}
	if m.rng.IntN(20) == 0 {
		_ = c.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: m.pick([]string{"Ann", "\x1b[2J", "", "A\u202enn", strings.Repeat("n", 300), "%1", "Ann\nBob"})})
	}
}

// calms disconnects and reconnects all clients, and requires that the next mission works for all of
// them.
func (m *mob) calms() {
	m.t.Helper()
	m.say(`for c in clientGroup:each() do if not c.isBot then c:disconnect() end end`)
	m.run(time.Second)
	for i, c := range m.clients {
		_ = c.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: fmt.Sprint("Calm ", i)})
	}
	m.run(time.Second)
	m.say(`loadMission(find "FlagItem" and "valley" or "arena")`)
	m.run(10 * time.Second)
	assert.Len(m.t, m.host.Connections(), len(m.clients)+mobBots)
	m.until(10*time.Second, func() {}, m.everybodyHasABody) // somebody can be dead at one moment
}

// everybodyHasABody reports whether all players have a control object, the clients at their own
// side too.
func (m *mob) everybodyHasABody() bool {
	for _, c := range m.host.Connections() {
		if c.Control.Object() == nil {
			return false
		}
	}
	for _, c := range m.clients {
		if c.own() == nil {
			return false
		}
	}
	return true
}

const mobBots = 4

// ofHostileClients are log lines that such clients cause. A client that joins again before the
// server has answered leaves a connection behind that is interrupted.
var ofHostileClients = []string{"command refused", "unknown command", "player interrupted"}

// TestHostileClientsDoNotBreakMatch runs clients that send and do anything while random events
// happen. No game script fails, and the match goes on.
func TestHostileClientsDoNotBreakMatch(t *testing.T) {
	t.Parallel()
	for seed := range testenv.Seeds(t, 2, 6) {
		m := newMob(t, seed+1, []string{"ctf", "deathmatch"}[seed%2])
		m.addBots(mobBots)
		for range testenv.Length(30, 400) {
			for i, c := range m.clients {
				for range m.rng.IntN(4) {
					m.act(c)
				}
				m.again(i)
			}
			m.fate()
			m.run(time.Duration(m.rng.IntN(8)) * engine.TickTime)
		}
		m.calms()
		for _, line := range m.log {
			if !slices.ContainsFunc(ofHostileClients, func(part string) bool { return strings.Contains(line, part) }) {
				assert.Fail(t, line, "seed %d", seed)
			}
		}
		require.False(t, t.Failed())
	}
}
