package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// A Phase is how far a join has come. Scripts lead it from one to the next;
// the engine watches that it moves.
//
//	joining ──TransmitDataBlocks──► datablocks ──ActivateGhosting──► ghosts ──EnterGame──► game
//	   ▲                                                                                    │
//	   └─────────────────────────────── ResetGhosting (a map change) ───────────────────────┘
type Phase uint8

const (
	PhaseJoining Phase = iota
	PhaseDataBlocks
	PhaseGhosts
	PhaseGame
)

var phaseNames = [...]string{"joining", "datablocks", "ghosts", "game"}

func (p Phase) String() string { return phaseNames[p] }

// A step is a message of the join from the called side. All of them carry a
// sequence number, and a stale answer is ignored, so a map change during a join
// needs no special case.
type step uint8

const (
	stepDataBlocksStart step = iota // count blocks follow
	stepDataBlocksDone              // that was the last
	stepGhostsStart                 // always-ghosts follow
	stepGhostsDone                  // that was the last
	stepGhostsEnd                   // ghosting is over, forget the ghosts
	stepEnterGame                   // the join is complete
	steps
)

type phaseStep struct {
	step  step
	seq   uint32
	count uint64
}

func (e *phaseStep) KindID() netcore.EventID { return phaseStepID }

func (e *phaseStep) Serialize(s *netcore.EventCodec) {
	n := int(e.step)
	s.Int(&n, 0, int(steps)-1)
	s.Uint(&e.seq, 32)
	s.Var(&e.count)
	if s.Reading() {
		e.step = step(n)
	}
}

func (e *phaseStep) Process(n *netcore.Conn) error {
	return owner(n).arrived(e)
}

// run takes the step on the calling side.
func (e *phaseStep) run(c *Connection) {
	switch e.step {
	case stepDataBlocksStart:
		c.received, c.expected = 0, int(min(e.count, sim.MaxBlocks))
	case stepDataBlocksDone:
		c.post(&phaseAnswer{answerDataBlocks, e.seq}, bulk)
	case stepGhostsStart:
		if c.phase != PhaseGame {
			c.phase = PhaseGhosts
		}
	case stepGhostsDone:
		c.post(&phaseAnswer{answerGhosts, e.seq}, commands)
	case stepGhostsEnd:
		c.phase = PhaseJoining
		c.prediction.told = false
	case stepEnterGame:
		if c.phase != PhaseGame {
			c.phase = PhaseGame
			c.host.entered(c)
		}
	}
}

// An answer tells the called side that the caller has what was sent.
type answer uint8

const (
	answerDataBlocks answer = iota
	answerGhosts
	answers
)

type phaseAnswer struct {
	answer answer
	seq    uint32
}

func (e *phaseAnswer) KindID() netcore.EventID { return phaseAnswerID }

func (e *phaseAnswer) Serialize(s *netcore.EventCodec) {
	n := int(e.answer)
	s.Int(&n, 0, int(answers)-1)
	s.Uint(&e.seq, 32)
	if s.Reading() {
		e.answer = answer(n)
	}
}

func (e *phaseAnswer) Process(n *netcore.Conn) error {
	return owner(n).arrived(e)
}

// run hears the answer; a stale one, or one to what was not asked, is ignored.
func (e *phaseAnswer) run(c *Connection) {
	switch {
	case e.answer == answerDataBlocks && e.seq == c.transfer.seq && c.transfer.done:
		c.transfer.done = false
		c.host.scripts.DataBlocksDone(c, e.seq)
	case e.answer == answerGhosts && e.seq == c.ghostSeq && c.always == alwaysThere:
		c.always = alwaysDone
		c.sight.open()
		c.host.scripts.GhostAlwaysDone(c)
	}
}

// ActivateGhosting begins the ghost phase of the join: the always-ghosts, then
// GhostAlwaysDone on this side when the peer has them all. What is in scope by
// distance follows only then.
func (c *Connection) ActivateGhosting() { c.host.world.Hold(c.activateGhosting) }

func (c *Connection) activateGhosting() {
	if c.ended || c.net == nil || !c.sends() {
		return
	}
	c.forgetScope()
	if c.phase != PhaseGame {
		c.setPhase(PhaseGhosts)
	}
	c.ghostSeq++
	c.always = alwaysBegun
	c.ghosts.Activate(true)
	c.sight.begin(c.host.scope, c, &c.gate)
}

// ResetGhosting ends ghosting for a map change: the peer forgets its ghosts and
// the join begins anew.
func (c *Connection) ResetGhosting() { c.host.world.Hold(c.resetGhosting) }

func (c *Connection) resetGhosting() {
	if c.ended || c.net == nil || !c.sends() {
		return
	}
	c.forgetScope()
	c.setPhase(PhaseJoining)
	c.ghostSeq++
	c.post(&phaseStep{stepGhostsEnd, c.ghostSeq, 0}, commands)
}

// forgetScope takes everything out of the peer's scope at once.
func (c *Connection) forgetScope() {
	c.always = alwaysOff
	c.sight.reset()
	c.gate.reset()
	c.ghosts.Activate(false)
	c.ghosts.Reset()
}

// always is how far a connection's always-ghosts have come.
type always uint8

const (
	alwaysOff   always = iota // there are none
	alwaysBegun               // ghosting begins with this tick
	alwaysSent                // the peer has been told, and gets them
	alwaysThere               // it has them, and is asked whether it is done with them
	alwaysDone                // it is
)

// stepAlways brings the ghost phase on: the peer is told that it begins when
// this tick has found what is always in scope, and that it is over when all of
// that has arrived. What waits for a datablock or a class is not waited for.
func (c *Connection) stepAlways() {
	if c.always == alwaysBegun {
		c.always = alwaysSent
		c.post(&phaseStep{stepGhostsStart, c.ghostSeq, uint64(c.ghosts.Len())}, commands)
	}
	if c.always == alwaysSent && c.sight.settled(func(n uint32) bool { return c.ghosts.Live(n) || !c.gate.passed.has(n) }) {
		c.always = alwaysThere
		c.post(&phaseStep{stepGhostsDone, c.ghostSeq, 0}, commands)
	}
}

// EnterGame ends the join: from here on the peer plays. Scripts are told
// (EnteredGame) when they have come back from this call.
func (c *Connection) EnterGame() { c.host.world.Hold(c.enterGame) }

func (c *Connection) enterGame() {
	if c.ended {
		return
	}
	c.played = true
	c.setPhase(PhaseGame)
	c.post(&phaseStep{stepEnterGame, c.ghostSeq, 0}, commands)
	c.inbox = append(c.inbox, inGame{})
}

// inGame is the news that a client is in the game, on the called side.
type inGame struct{}

func (inGame) run(c *Connection) {
	if c.phase == PhaseGame {
		c.host.scripts.EnteredGame(c)
	}
}

// setPhase moves the join on, and its deadline with it.
func (c *Connection) setPhase(p Phase) {
	c.phase = p
	c.progress()
}

// watch notes that the join moves when something this side sent has arrived,
// be it a piece of a large datablock or a ghost. Before the peer has been heard, time is
// the handshake's.
func (c *Connection) watch() {
	if c.bot {
		return
	}
	if n := c.events.Stats().Delivered + c.ackedCount; n != c.delivered || !c.net.Established() {
		c.delivered = n
		c.progress()
	}
}

// progress notes that the join moves.
func (c *Connection) progress() { c.progressAt = c.host.Now() }

// overdue reports whether the join has stood still for too long. What counts
// is progress, not the whole: a modem may take a minute. A peer that has played
// waits between two missions for this side, for as long as that takes, and a bot
// always does.
func (c *Connection) overdue() bool {
	waits := c.bot || c.played && c.phase == PhaseJoining
	return c.called && c.phase != PhaseGame && !waits && c.host.Now()-c.progressAt > c.host.cfg.JoinTimeout.Milliseconds()
}
