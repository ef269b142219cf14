package nodetest

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// player is a person with a machine, who starts a client again whenever it ends.
type player struct {
	machine
	system *system
	number int // from 1
	key    seal.KeyPair
	place  int          // of its address
	wants  bool         // to play
	node   *node.Client // nil: no client runs
	again  netcore.Time // when the next client starts
	moves  int16        // the number of the newest move
	rate   string       // of Config.Vars: PACKETSxBYTES; "modem"; "default"

	ordered, sure, up int // commands that have come, and were sent, when probe.count was run last
}

func newPlayer(s *system, number int) *player {
	p := &player{system: s, number: number, key: s.identity(number), rate: "default"}
	p.machine = machine{net: s.net, addr: address(number, 0), died: &s.born}
	s.net.Attach(p.addr, &p.machine)
	s.operator.names[p.key.Public.String()] = p.key.Public
	return p
}

// start starts a client.
func (p *player) start() {
	e := p.edge(p.system.Seed, func(_ netcore.Addr, d []byte) { p.net.Send(p.addr, serverAddr, d) })
	seed := p.system.Seed + uint64(p.number)<<32
	cfg := node.Config{
		Common: node.Common{Name: fmt.Sprint("player", p.number), Seed: &seed, Identity: &p.key, Mods: []fs.FS{modFolder()}, Register: registerPuppet, Output: func(line string) { p.system.oracles.playerPrinted(p, line) }, Log: p.system.oracles.logOf(fmt.Sprint("player", p.number))},
		Client: node.ClientConfig{Address: "10.0.0.1:28000#" + p.system.server.key.Public.String(), Reconnect: true, Wander: p.system.server.game != "probe"},
	}
	switch p.rate {
	case "default":
	case "modem":
		cfg.Vars = []node.Var{{Name: "net.profile", Value: p.rate}}
	default:
		packets, size := p.receives()
		cfg.Vars = []node.Var{{Name: "net.rate", Value: fmt.Sprint(packets)}, {Name: "net.size", Value: fmt.Sprint(size)}}
	}
	var err error
	if p.node, err = node.NewClientOn(cfg, e); err != nil {
		p.system.fail("start", "player %d: %v", p.number, err)
		return
	}
	p.moves = 0
	if !cfg.Client.Wander {
		p.node.Host().SetMoves(p.move)
	}
	p.runs = p
}

// receives returns the packets per second, and the bytes of each, that a player has asked for. Its
// rate is not "default".
func (p *player) receives() (packets float64, size int) {
	if p.rate == "modem" {
		return 10, 200
	}
	_, _ = fmt.Sscanf(p.rate, "%gx%d", &packets, &size)
	return packets, size
}

// move makes the next move. Its yaw is its number.
func (p *player) move(*engine.Connection) sim.Move {
	p.moves++
	if p.moves <= 0 {
		p.moves = 1
	}
	return sim.Move{Yaw: p.moves, Y: sim.MoveFull}
}

func (p *player) receive(_ netcore.Addr, d []byte) { p.node.Receive(d) }

func (p *player) step() {
	if p.node.Step() != nil {
		p.end()
	}
}

// end ends the client in order, as a person does who closes it.
func (p *player) end() {
	if p.node == nil {
		return
	}
	_ = p.node.Close()
	p.node, p.runs, p.held = nil, nil, nil
	p.again = p.net.Now() + time.Second + time.Duration(p.system.random.Int64N(int64(time.Second)))
}

// keepRunning starts a client if the player wants to play.
func (p *player) keepRunning() {
	if p.node == nil && p.wants && p.net.Now() >= p.again && p.system.failure == nil {
		p.start()
	}
}

// exec runs a line on the client's console.
func (p *player) exec(line string) {
	if p.node != nil && p.node.Ready() {
		_, _ = p.node.Console().Exec(line)
	}
}

// rebind moves the machine to another address. Packets on their way to the old one are lost.
func (p *player) rebind(otherIP bool) {
	p.net.Attach(p.addr, nobody{})
	if otherIP {
		p.place++
		p.addr = address(p.number, p.place)
	} else {
		p.addr.Port++
	}
	p.net.Attach(p.addr, &p.machine)
	p.system.line.link(p.system, p)
}

// connection returns the connection to the server, or nil.
func (p *player) connection() *engine.Connection {
	if p.node == nil {
		return nil
	}
	return p.node.Host().Server()
}

// inGame reports whether the player is in the game, on both sides.
func (p *player) inGame() bool {
	c, v := p.connection(), p.peer()
	return c != nil && v != nil && c.Join.Phase() == engine.PhaseGame && v.Join.Phase() == engine.PhaseGame
}

// peer returns the server's newest open connection with the player's key, or nil.
func (p *player) peer() (newest *engine.Connection) {
	if p.system.server.node == nil {
		return nil
	}
	for _, c := range p.system.server.node.Host().Connections() {
		if c.Inbound() && !c.Bot() && c.Key() == p.key.Public {
			if _, over := c.Net().Closed(); !over {
				newest = c
			}
		}
	}
	return newest
}
