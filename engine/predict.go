package engine

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/move"
)

// visibleWarp is the smallest correction, in metres, that counts as visible.
const visibleWarp = 0.1

// prediction is this side's control object at the peer. This side applies its moves immediately to
// its ghost of the object. If the peer's state after a move differs, this side adopts that state
// and replays the later moves.
type prediction struct {
	conn             *Connection
	object           sim.Controllable // nil: none
	chain            chain
	peerChain        chain              // the chain known from the peer; its control groups do not arrive as updates
	results          []predictionResult // see result; nil on a server
	controlAnnounced bool               // scripts were told of the control object in this join
	toldControl      sim.ID             // the control object that scripts were told of last, 0 for none

	ack     uint32          // the newest acknowledged move
	waiting int32           // states waiting in the inbox
	spare   []*pendingState // free list
	flash   [2]float64
}

// pendingState is a control state in the inbox. It waits its turn, because it decides which control
// groups arrive as updates from then on.
type pendingState struct {
	answer move.Answer
	bits   [(move.MaxControlState + 7) / 8]byte
}

// predictionResult is the local result of a move.
type predictionResult struct {
	is     bool
	number uint32
	hash   uint32
	chain  chain
}

// SetMoves sets the source of moves for this host's own control object. The host calls f once per
// tick while there is a control object and room in the move window. The default, nil, selects the
// connection's Pilot.
func (h *Host) SetMoves(f func(c *Connection) sim.Move) { h.moves = f }

// Moves returns the function of SetMoves.
func (h *Host) Moves() func(c *Connection) sim.Move { return h.moves }

// predict runs this side's prediction in a tick: it makes a move and updates the displayed place.
func (p *prediction) predict() {
	c := p.conn
	if c.moves == nil || !c.receives() || c.ended {
		return
	}
	if p.waiting == 0 { // otherwise these moves may have to be replayed
		c.moves.Forget(p.ack)
	}
	if p.object != nil && !p.object.Ident().Alive() {
		p.drive(nil)
	}
	p.announce()
	if p.object == nil {
		return
	}
	p.makeMove()
	for _, l := range p.chain.all() {
		l.Driven()
	}
}

// announce tells scripts of the first control object of a join, and of each change.
func (p *prediction) announce() {
	c := p.conn
	p, now := p, sim.ID(0)
	if p.object != nil {
		now = p.object.Ident().ID()
		if !p.controlAnnounced {
			p.controlAnnounced = true
			c.host.scripts.InitialControlSet(c)
		}
	}
	if now != p.toldControl {
		p.toldControl = now
		c.host.scripts.ConnectionEvent(c, "onControlObjectChange", sim.Handle(now))
	}
}

// makeMove makes and applies the move of this tick. If the move window is full, the control object
// does not move.
func (p *prediction) makeMove() {
	c := p.conn
	if c.moves.Full() {
		c.Control.Stats.Halts++
		return
	}
	m := p.nextMove(p.object).Clamped()
	if !p.object.Ident().Alive() { // the source of the move has deleted it
		return
	}
	p.object.Control(m)
	p.chain.follow(p.object, c.ID(), 0)
	state, n := c.refs.control().encode(p.object)
	p.remember(c.moves.Push(move.Move(m), checksum(state, n)), stateHash(state, n))
	c.Control.Stats.Made++
}

func (p *prediction) nextMove(o sim.Controllable) sim.Move {
	c := p.conn
	if c.host.moves != nil {
		return c.host.moves(c)
	}
	return c.Pilot.moveOf(o)
}

func (p *prediction) remember(number, hash uint32) {
	*p.result(number) = predictionResult{true, number, hash, p.chain}
}

// result returns the place for the result of a move.
func (p *prediction) result(number uint32) *predictionResult {
	const most = move.Max + 2
	if p.results == nil {
		p.results = make([]predictionResult, most)
	}
	return &p.results[number%most]
}

// answered handles a received answer. The acknowledgement takes effect immediately. A control state
// waits in the inbox.
func (p *prediction) answered() error {
	c := p.conn
	a, ok := c.moves.Answer()
	if !ok {
		return nil
	}
	p.ack, p.flash = a.Ack, [2]float64{a.Flash, a.Whiteout}
	if !a.State {
		return nil
	}
	c.Control.Stats.States++
	p.waiting++
	return c.inbox.add(p.newStateNews(&a))
}

func (p *prediction) newStateNews(a *move.Answer) (n *pendingState) {
	if last := len(p.spare) - 1; last >= 0 {
		n, p.spare = p.spare[last], p.spare[:last]
	} else {
		n = new(pendingState)
	}
	n.answer = *a
	n.answer.Bits = n.bits[:copy(n.bits[:], a.Bits)]
	return n
}

func (n *pendingState) run(c *Connection) {
	p := &c.prediction
	c.prediction.adopt(&n.answer)
	p.waiting--
	p.spare = append(p.spare, n)
}

// adopt compares the peer's control state with the local one after the same move, and corrects the
// local one if they differ.
func (p *prediction) adopt(a *move.Answer) {
	ghost := living(p.conn.PeerGhosts.Ghost(a.Object))
	if ghost == nil {
		p.drive(nil)
		return
	}
	o, ok := ghost.(sim.Controllable)
	if !ok {
		p.conn.fail(fmt.Sprintf("the control object is a %s, which accepts no moves", ghost.Ident().Class().Name))
		return
	}
	was := p.result(a.At)
	known := p.object == o && was.is && was.number == a.At
	if known && was.hash == stateHash(a.Bits, a.Len) {
		p.setPeerChain(was.chain)
		return
	}
	p.adoptState(o, a)
}

// adoptState sets the control object to the peer's state and replays the later moves. The displayed
// place moves there smoothly.
func (p *prediction) adoptState(o sim.Controllable, a *move.Answer) {
	c := p.conn
	same := p.object == o
	var before [2 * maxChain]sim.Place
	old := p.chain
	for i, l := range old.all() {
		before[i] = l.Place()
	}
	from := o.Place()
	switch err := c.refs.control().decode(o, a.Bits, a.Len); {
	case err == errUnresolved:
		p.driveWithoutMount(o)
		return
	case err != nil:
		c.fail(fmt.Sprintf("control state of a %s: %v", o.Ident().Class().Name, err))
		return
	}
	if !same {
		p.drive(o)
	}
	p.chain.follow(o, c.ID(), 0)
	p.setPeerChain(p.chain)
	p.remember(a.At, stateHash(a.Bits, a.Len))
	p.replay(o, a.At)
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
		c.Control.Stats.countCorrection(o.Place().Position.Sub(from.Position).Len())
	}
}

// replay applies the moves after number at again.
func (p *prediction) replay(o sim.Controllable, at uint32) {
	c := p.conn
	first, moves := c.moves.Pending()
	c.host.world.Replay(func() {
		for i, m := range moves {
			number := first + uint32(i)
			if int32(number-at) <= 0 {
				continue
			}
			o.Control(sim.Move(m))
			p.chain.follow(o, c.ID(), 0)
			state, n := c.refs.control().encode(o)
			c.moves.SetSum(number, checksum(state, n))
			p.remember(number, stateHash(state, n))
		}
	})
}

// drive changes the control object.
func (p *prediction) drive(o sim.Controllable) {
	p.object = o
	p.setPeerChain(chain{})
	p.chain.follow(o, p.conn.ID(), 0)
	clear(p.results)
}

// setPeerChain sets the chain known from the peer. An object that has left it will arrive in
// updates. Until then it stays where local moves have put it.
func (p *prediction) setPeerChain(now chain) {
	for _, l := range p.peerChain.all() {
		if token, here := p.conn.PeerGhosts.tokens[l.Ident().ID()]; here && !now.has(l) {
			p.conn.PeerGhosts.entry(token).divergedGroups |= l.Ident().Class().Control
		}
	}
	p.peerChain = now
}

// driveWithoutMount handles a state that refers to a missing object: it controls o without the
// objects driven by o.
func (p *prediction) driveWithoutMount(o sim.Controllable) {
	if p.object != o {
		p.drive(o)
	}
	p.setPeerChain(chain{links: [maxChain]sim.Controllable{o}, n: 1})
}
