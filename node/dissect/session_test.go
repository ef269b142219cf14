package dissect_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/node/dissect"
)

// parts are names of fields, as regular expressions, that a session has. Together they are nearly
// all parts of the protocol.
var parts = []string{
	`^header\.gaps\.1\.lost`, `^rates\.size`, `^rates\.announces`, `^rates\.route\.reset`,
	`^moves\.view`, `^moves\.fov`, `^moves\.whiteout`, `^moves\.3\.triggers`, `^moves\.checksum`,
	`^moves\.state\.nextJump`, `^moves\.state\.mount\.spin\.x`, `^moves\.state\.image\.0\.ammunition`, `^moves\.state\.flies`,
	`^moves\.state\.mount\.seat`, `^moves\.state\.pitch`, `^moves\.state\.bits`, `^events\.unordered\.0\.kind`, `^events\.channel0\.0\.oldest`, `^events\.channel0\.next`,
	`^events\.channel1\.0\.parcel`, `argument\.0\.negative`, `argument\.\d\.yaw`, `^class\.\d\.step`, `^datablock\.baseKey`,
	`^parcel\.argument\.\d\.value`, `^ghosts\.epoch`, `^ghosts\.kills\.0\.id`, `^ghosts\.updates\.0\.group1\.older`, `velocity\.x`,
	`^argument\.15`, `^accepted`, `^challenge`, `^code`,
}

// TestSession plays a minute with nearly every part of the protocol, and reads it.
func TestSession(t *testing.T) {
	for seed := range testenv.Sweep(t, 1) {
		readSession(t, playSession(t, seed+1))
	}
}

// readSession reads a session with nearly every part of the protocol.
func readSession(t *testing.T, r *recorded) {
	seen := map[string]bool{}
	for _, p := range r.packets() {
		require.NoError(t, dissect.PrintJSON(io.Discard, p))
		for _, f := range p.Fields {
			seen[f.Name] = true
		}
		for _, e := range p.Processed {
			for _, f := range e.Fields {
				seen[f.Name] = true
			}
		}
	}
	var names strings.Builder
	for name := range seen {
		names.WriteString(name + "\n")
	}
	for _, part := range parts {
		assert.True(t, regexp.MustCompile(`(?m)`+part).MatchString(names.String()), "no field has a name like %s", part)
	}
}

// TestSessions reads sessions with other moves, words and losses.
func TestSessions(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 60) {
		all := playSession(t, seed+2).packets()
		assert.Greater(t, len(all), 2000, "seed %d", seed)
	}
}

// script is a session that is played.
type script struct {
	*recorded
	rng     *rand.Rand
	blocks  *sim.Blocks
	things  []*enginetest.Thing
	objects map[string]sim.Object
	rides   bool // the player sits in the vehicle
}

func playSession(t testing.TB, seed uint64) *recorded {
	line := netcore.LinkParams{Delay: 25 * ms, Jitter: 20 * ms, Loss: 0.08, Reorder: 0.05, Duplicate: 0.03, Corrupt: 0.01}
	o := enginetest.Options{Seed: seed, Up: line, Down: line}
	o.Classes = func(cs *sim.Classes) { require.NoError(t, game.Register(cs)) }
	r := record(t, o)
	s := &script{recorded: r, rng: rand.New(rand.NewPCG(seed, 2)), blocks: r.Server.World().Blocks, objects: map[string]sim.Object{}}
	_, err := r.Server.World().Classes().Declare(probe(8))
	require.NoError(t, err)
	s.declare()
	args := make([]string, 16)
	for i := range args {
		args[i] = strings.Repeat(string(rune('a'+i)), 60) // more than one packet carries
	}
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute, Args: args}))
	r.Until(time.Minute, func() bool {
		c := r.Clients[0].Host.Server()
		return c != nil && c.Join.Phase() == engine.PhaseGame
	})
	for _, c := range [][2]string{{"Player", "Light"}, {"Vehicle", "Truck"}, {"Turret", "Gun"}, {"Camera", ""}, {"Runner", ""}, {"Probe", ""}} {
		s.make(c[0], c[1])
	}
	r.Clients[0].SetMoves(func(*engine.Connection) sim.Move {
		m := sim.Move{Y: 16, X: int8(s.rng.IntN(9)), Yaw: int16(s.rng.IntN(400) - 200), Triggers: uint8(s.rng.IntN(8))}
		if s.rides {
			m.Triggers &= 1 // a jump would be the end of the ride
		}
		return m
	})
	for tick := range 1900 {
		s.tick(tick)
		r.Run(32 * ms)
	}
	r.Peer(0).Disconnect("the session is over")
	r.Run(time.Second)
	return r
}

// declare declares the datablocks.
func (s *script) declare() {
	for _, b := range [][2]string{{"ProjectileData", "Shot"}, {"ShapeBaseImageData", "Rifle"}, {"PlayerData", "Light"}, {"VehicleData", "Truck"}, {"TurretData", "Gun"}, {"ToolData", "Hammer"}} {
		_, _, err := s.blocks.Declare(b[0], b[1], "", func(o sim.Object) error {
			switch b[1] {
			case "Rifle":
				set(s.t, o, "projectile", s.handle("Shot"))
			case "Truck":
				set(s.t, o, "seats", sim.Number(2))
			}
			return nil
		})
		require.NoError(s.t, err)
	}
}

func (s *script) handle(block string) sim.Value {
	return sim.Handle(s.blocks.ByName(block).Ident().ID())
}

func (s *script) make(class, block string) {
	o, err := s.Server.World().New(class, func(o sim.Object) error {
		if block != "" {
			set(s.t, o, "dataBlock", s.handle(block))
		}
		return nil
	})
	require.NoError(s.t, err)
	s.objects[class] = o
}

func (s *script) control(class string) {
	_ = s.Peer(0).Control.Set(s.objects[class].(sim.Controllable))
}

// tick does what happens in a tick.
func (s *script) tick(tick int) {
	s.change(tick)
	s.talk(tick)
	client, player := s.Clients[0], s.objects["Player"]
	switch tick {
	case 1:
		s.control("Player")
		set(s.t, player, "image0", s.handle("Rifle"))
	case 180:
		s.rides = true
	case 200:
		set(s.t, player, "mount", sim.Handle(s.objects["Vehicle"].Ident().ID()))
	case 350:
		set(s.t, player, "seat", sim.Number(1)) // a passenger
	case 450:
		s.rides = false
		set(s.t, player, "mount", sim.Nil())
		s.control("Turret")
	case 550:
		s.control("Camera")
	case 620:
		s.control("Runner")
	case 700:
		s.control("Player")
		client.Host.Server().Camera.SetFOV(70)
		client.Host.Server().Camera.SetFirstPerson(false)
	case 720:
		s.Peer(0).Tints.Set(engine.WhiteOut, 0.7, 1000)
		s.Peer(0).Tints.Set(engine.DamageFlash, 0.3, 500)
	case 800:
		s.Net.Blackout(s.Net.Now(), s.Net.Now()+3*time.Second) // the base becomes far
	case 1000:
		s.migrate()
	case 1200:
		change := s.Server.World().Begin()
		_, err := s.Server.World().Classes().Redeclare(probe(12))
		require.NoError(s.t, err)
		change.Commit()
	case 1400:
		s.Peer(0).Ghosting.Reset()
		s.Server.Lead(s.Peer(0), 2)
	}
	if tick > 900 && tick%20 == 0 {
		client.Settings.Size = []int{100, 1400, 250}[s.rng.IntN(3)]
		client.Settings.Rate = []float64{20, netcore.Auto}[s.rng.IntN(2)]
		client.Apply()
	}
}

// migrate gives the client another address.
func (s *script) migrate() {
	client := s.Clients[0]
	s.Net.Attach(client.Addr, idle{})
	client.Addr = netcore.SimAddr(40)
	s.Net.Attach(client.Addr, &recorder{client, s.w})
	line := netcore.LinkParams{Delay: 40 * ms, Loss: 0.05}
	s.Net.Link(client.Addr, s.Server.Addr, line, line)
}

// idle is a machine that does nothing.
type idle struct{}

func (idle) Receive(netcore.Time, netcore.Addr, []byte)         {}
func (idle) Tick(netcore.Time)                                  {}
func (idle) Send(netcore.Time, func(to netcore.Addr, b []byte)) {}

// change changes objects of the server.
func (s *script) change(tick int) {
	if len(s.things) < 12 && tick%10 == 0 {
		s.things = append(s.things, s.thing(fmt.Sprint("thing ", tick), sim.Vec3{X: float64(tick % 500)}))
	}
	if tick%75 == 74 {
		s.Server.World().Delete(s.things[0])
		s.things = s.things[1:]
	}
	for i, o := range s.things {
		if s.rng.IntN(3) == 0 {
			o.At.X, o.Energy = float64((tick*(i+3)+s.rng.IntN(9))%1000), float64(tick%100)
			o.Mark(1<<1 | 1<<2)
		}
		if s.rng.IntN(40) == 0 {
			o.Label, o.Friend = fmt.Sprint("label ", tick), s.things[0].ID()
			o.Mark(1<<3 | 1<<4)
		}
	}
	if o := s.Server.World().Find(s.objects["Probe"].Ident().ID()); o != nil {
		set(s.t, o, "aim", sim.Rotation(sim.Rot{Yaw: float64(tick % 360)}))
		set(s.t, o, "near", sim.Vec(sim.Vec3{X: float64(tick%200)/4 - 25}))
		set(s.t, o, "count", sim.Number(float64(tick%900)))
		set(s.t, o, "exact", sim.Number(float64(tick%100)/11))
	}
	if tick%300 == 150 {
		_, _, err := s.blocks.Declare("ToolData", "Hammer", "", func(o sim.Object) error {
			o.(*enginetest.ToolData).Mass, o.(*enginetest.ToolData).Text = float64(tick), strings.Repeat("long ", tick/10)
			return nil
		})
		require.NoError(s.t, err)
		_, _, err = s.blocks.Declare("ToolData", fmt.Sprint("Tool", tick), "Hammer", nil)
		require.NoError(s.t, err)
	}
}

// talk calls commands in both directions.
func (s *script) talk(tick int) {
	n := sim.Number(float64(tick))
	if tick%5 == 0 {
		s.call(false, event.Guarantee(s.rng.IntN(3)), "Call", sim.Number(float64(-tick)), sim.Tag("tag %1"), sim.Nil(), sim.Bool(true), sim.Number(0.1),
			sim.Vec(sim.Vec3{X: 1}), sim.Rotation(sim.Rot{Yaw: 4}), sim.Handle(s.things[0].ID()), s.handle("Hammer"), n, sim.Handle(s.Peer(0).ID()))
	}
	if tick%40 == 0 {
		s.call(false, event.Ordered, fmt.Sprint("Long", tick%80), sim.String(strings.Repeat("words of a command ", s.rng.IntN(120))), sim.Handle(s.things[len(s.things)-1].ID()))
	}
	if c := s.Clients[0].Host.Server(); c != nil && tick%7 == 0 {
		args := []sim.Value{n, sim.Client(7, "Ann"), sim.String(strings.Repeat("up ", s.rng.IntN(30))), sim.Tag(fmt.Sprint("text ", tick%50))}
		if o := c.Control.Object(); o != nil {
			args = append(args, sim.Handle(o.Ident().ID()))
		}
		if b := s.Clients[0].World().Blocks.ByName("Truck"); b != nil {
			args = append(args, sim.Handle(b.Ident().ID()))
		}
		require.NoError(s.t, c.Commands.Send(engine.CommandOptions{Guarantee: event.Guarantee(s.rng.IntN(3))}, sim.Tag("Up"), args))
	}
}
