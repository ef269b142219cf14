package engine

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// visibleWarp is the correction, in metres, from which on an eye may see it.
const visibleWarp = 0.1

// prediction is what this side controls at its peer's: its ghost of the control
// object, on which moves are done as soon as they are made. When the peer's
// state after a move is not as it was here, it is taken over, and the moves
// since are done once more.
type prediction struct {
	object sim.Controlled // nil: none
	chain  chain
	held   chain // as the peer has it: the control groups of these do not come as updates
	after  [netcore.MaxMoves + 2]predicted
	told   bool // scripts know of the control object, in this join

	ack     uint32       // the newest answer
	waiting int          // states that wait in the inbox
	spare   []*stateNews // to be used again
	flash   [2]float64
}

// stateNews is a control state that waits in the inbox for its turn: it says
// from when on what comes as updates, and must not be late for them.
type stateNews struct {
	answer netcore.Answer
	bits   [(netcore.MaxControlState + 7) / 8]byte
}

// predicted is what came of a move here.
type predicted struct {
	is     bool
	number uint32
	hash   uint32
	chain  chain
}

// SetMoves sets who makes the moves of what this host controls at a peer's: f
// is called once in each tick in which there is a control object and room for
// one more move. nil, as at first, is the connection's Pilot.
func (h *Host) SetMoves(f func(c *Connection) sim.Move) { h.moves = f }

// predict is this side's part in what it controls: the move of this tick, and
// what is shown of it.
func (c *Connection) predict() {
	if c.moves == nil || !c.receives() || c.ended {
		return
	}
	p := &c.prediction
	if p.waiting == 0 { // else the moves after one may have to be done once more
		c.moves.Settle(p.ack)
	}
	if p.object != nil && !p.object.Ident().Alive() {
		c.drive(nil)
	}
	if p.object == nil {
		return
	}
	if !p.told {
		p.told = true
		c.host.scripts.InitialControlSet(c)
	}
	c.makeMove()
	for _, l := range p.chain.all() {
		l.Driven()
	}
}

// makeMove makes the move of this tick and does it, unless too many wait: then
// time stands still for the control object.
func (c *Connection) makeMove() {
	if c.moves.Full() {
		c.ControlStats.Halts++
		return
	}
	p := &c.prediction
	m := c.nextMove(p.object).Clamped()
	if !p.object.Ident().Alive() { // whoever was asked for the move has deleted it
		return
	}
	p.object.Control(m)
	p.chain.follow(p.object, c.ID(), 0)
	state, n := c.controlState(p.object)
	c.remember(c.moves.Push(netcore.Move(m), checksum(state, n)), stateHash(state, n))
	c.ControlStats.Made++
}

func (c *Connection) nextMove(o sim.Controlled) sim.Move {
	if c.host.moves != nil {
		return c.host.moves(c)
	}
	return c.pilotMove(o)
}

func (c *Connection) remember(number, hash uint32) {
	p := &c.prediction
	p.after[number%uint32(len(p.after))] = predicted{true, number, hash, p.chain}
}

// answered takes in what the peer has answered: how far it is at once, a control
// state when its turn comes.
func (c *Connection) answered() error {
	a, ok := c.moves.Answer()
	if !ok {
		return nil
	}
	p := &c.prediction
	p.ack, p.flash = a.Ack, [2]float64{a.Flash, a.Whiteout}
	if !a.State {
		return nil
	}
	c.ControlStats.States++
	p.waiting++
	return c.arrived(p.news(&a))
}

func (p *prediction) news(a *netcore.Answer) (n *stateNews) {
	if last := len(p.spare) - 1; last >= 0 {
		n, p.spare = p.spare[last], p.spare[:last]
	} else {
		n = new(stateNews)
	}
	n.answer = *a
	n.answer.Bits = n.bits[:copy(n.bits[:], a.Bits)]
	return n
}

func (n *stateNews) run(c *Connection) {
	p := &c.prediction
	c.adopt(&n.answer)
	p.waiting--
	p.spare = append(p.spare, n)
}

// adopt takes over the peer's state of the control object, if it is another
// than the one here after that move.
func (c *Connection) adopt(a *netcore.Answer) {
	p := &c.prediction
	ghost := living(c.Ghost(a.Object))
	if ghost == nil {
		c.drive(nil)
		return
	}
	o, ok := ghost.(sim.Controlled)
	if !ok {
		c.fail(fmt.Sprintf("a %s as control object, which no moves drive", ghost.Ident().Class().Name))
		return
	}
	was := &p.after[a.At%uint32(len(p.after))]
	known := p.object == o && was.is && was.number == a.At
	if known && was.hash == stateHash(a.Bits, a.Len) {
		c.hold(was.chain)
		return
	}
	c.correct(o, a)
}

// correct sets the control object to the peer's state and does the moves since
// then once more. What is shown goes there smoothly.
func (c *Connection) correct(o sim.Controlled, a *netcore.Answer) {
	p := &c.prediction
	same := p.object == o
	var before [2 * maxChain]sim.Place
	old := p.chain
	for i, l := range old.all() {
		before[i] = l.Place()
	}
	from := o.Place()
	switch err := c.readState(o, a.Bits, a.Len); {
	case err == errUnresolved:
		c.driveAlone(o)
		return
	case err != nil:
		c.fail(fmt.Sprintf("control state of a %s: %v", o.Ident().Class().Name, err))
		return
	}
	if !same {
		c.drive(o)
	}
	p.chain.follow(o, c.ID(), 0)
	c.hold(p.chain)
	c.remember(a.At, stateHash(a.Bits, a.Len))
	c.replay(o, a.At)
	for _, l := range p.chain.all() {
		place := l.Shown(0)
		if l == o {
			place = from
		}
		for i, was := range old.all() {
			if was == l {
				place = before[i]
			}
		}
		l.Received(place)
	}
	if same {
		c.countCorrection(o.Place().Position.Sub(from.Position).Len())
	}
}

// replay does the moves after one once more.
func (c *Connection) replay(o sim.Controlled, at uint32) {
	first, moves := c.moves.Waiting()
	c.host.world.Replay(func() {
		for i, m := range moves {
			number := first + uint32(i)
			if int32(number-at) <= 0 {
				continue
			}
			o.Control(sim.Move(m))
			c.prediction.chain.follow(o, c.ID(), 0)
			state, n := c.controlState(o)
			c.moves.SetSum(number, checksum(state, n))
			c.remember(number, stateHash(state, n))
		}
	})
}

// drive changes what this side controls.
func (c *Connection) drive(o sim.Controlled) {
	p := &c.prediction
	p.object = o
	c.hold(chain{})
	p.chain.follow(o, c.ID(), 0)
	p.after = [len(p.after)]predicted{}
}

// hold takes note of what the peer has in the chain. What it has there no longer
// it will tell as it is; until then it is where moves have brought it here.
func (c *Connection) hold(now chain) {
	p := &c.prediction
	for _, l := range p.held.all() {
		if token, here := c.tokens[l.Ident().ID()]; here && !now.has(l) {
			c.entry(token).stray |= l.Ident().Class().Control
		}
	}
	p.held = now
}

// driveAlone is what is left of a state that cannot be read: it is that of o,
// and what o drives is not here.
func (c *Connection) driveAlone(o sim.Controlled) {
	p := &c.prediction
	if p.object != o {
		c.drive(o)
	}
	c.hold(chain{links: [maxChain]sim.Controlled{o}, n: 1})
}

func (c *Connection) countCorrection(size float64) {
	s := &c.ControlStats
	s.Corrections++
	if size > visibleWarp {
		s.Visible++
	}
	s.LargestWarp = max(s.LargestWarp, size)
}
