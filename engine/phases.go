package engine

import (
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// A Phase is the progress of a join. Scripts start each phase. The engine ends joins without
// progress.
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

// A phaseStepKind is the kind of a step: a message from the server side that leads the client. Steps
// of a join have a sequence number, and stale answers are ignored. So a map change during a join needs no special
// case.
type phaseStepKind uint8

const (
	stepDataBlocksStart phaseStepKind = iota // count blocks follow
	stepDataBlocksDone                       // all blocks sent
	stepGhostsStart                          // always-ghosts follow
	stepGhostsDone                           // all always-ghosts sent
	stepGhostsEnd                            // ghosting ends, delete the ghosts
	stepEnterGame                            // the join is complete
	stepPace                                 // game time has count percent of its normal speed; 0 is a pause
	stepView                                 // the player's camera changes: count is its field of view in degrees, personThird or personFirst
	steps
)

type phaseStep struct {
	step  phaseStepKind
	seq   uint32
	count uint64
}

func (e *phaseStep) KindID() event.KindID { return phaseStepID }

func (e *phaseStep) Serialize(s *event.Codec) {
	n := int(e.step)
	s.Int(&n, 0, int(steps)-1)
	s.Uint(&e.seq, 32)
	s.Var(&e.count)
	if s.Reading() {
		e.step = phaseStepKind(n)
	}
}

func (e *phaseStep) Process(n *netcore.Conn) error {
	return owner(n).arrived(e)
}

// run handles the step on the client side.
func (e *phaseStep) run(c *Connection) {
	switch e.step {
	case stepDataBlocksStart:
		c.received, c.expected = 0, int(min(e.count, sim.MaxBlocks))
	case stepDataBlocksDone:
		c.post(&phaseAnswer{answerDataBlocks, e.seq}, bulk)
	case stepView:
		c.applyView(e.count)
	case stepGhostsStart:
		c.alwaysGhosts.total = int(min(e.count, 1<<16))
		c.host.scripts.ConnectionEvent(c, "onGhostAlwaysStarted", sim.Number(float64(c.alwaysGhosts.total)))
		c.tellAlwaysGhosts()
		if c.phase != PhaseGame {
			c.phase = PhaseGhosts
		}
	case stepGhostsDone:
		c.post(&phaseAnswer{answerGhosts, e.seq}, commands)
	case stepGhostsEnd:
		c.alwaysGhosts = alwaysGhosts{}
		c.phase = PhaseJoining
		c.prediction.controlAnnounced = false
	case stepEnterGame:
		if c.phase != PhaseGame {
			c.phase = PhaseGame
			c.host.entered(c)
		}
	case stepPace:
		c.pace = int(min(e.count, maxPace))
		if 0 < c.pace && c.pace < minPace {
			c.pace = minPace
		}
	}
}

// A phaseAnswerKind is the kind of an answer: a report to the server side that the client has
// received everything.
type phaseAnswerKind uint8

const (
	answerDataBlocks phaseAnswerKind = iota
	answerGhosts
	answers
)

type phaseAnswer struct {
	answer phaseAnswerKind
	seq    uint32
}

func (e *phaseAnswer) KindID() event.KindID { return phaseAnswerID }

func (e *phaseAnswer) Serialize(s *event.Codec) {
	n := int(e.answer)
	s.Int(&n, 0, int(answers)-1)
	s.Uint(&e.seq, 32)
	if s.Reading() {
		e.answer = phaseAnswerKind(n)
	}
}

func (e *phaseAnswer) Process(n *netcore.Conn) error {
	return owner(n).arrived(e)
}

// run handles the answer. It ignores stale and unexpected answers.
func (e *phaseAnswer) run(c *Connection) {
	switch {
	case e.answer == answerDataBlocks && e.seq == c.transfer.seq && c.transfer.done:
		c.transfer.done = false
		c.host.scripts.DataBlocksDone(c, e.seq)
	case e.answer == answerGhosts && e.seq == c.ghostSeq && c.always == alwaysThere:
		c.always = alwaysDone
		c.visible.open()
		c.host.scripts.GhostAlwaysDone(c)
	}
}

// alwaysGhosts counts the ghosts that have come to the client side in a join. total is the number of
// always-ghosts, which come first. It is 0 until the server has told it.
type alwaysGhosts struct{ received, total int }

// tellAlwaysGhosts tells scripts of the client side how many always-ghosts have come, if any.
func (c *Connection) tellAlwaysGhosts() {
	if a := c.alwaysGhosts; 0 < a.received && a.received <= a.total {
		c.host.scripts.ConnectionEvent(c, "onGhostAlwaysObjectReceived", sim.Number(float64(a.received)), sim.Number(float64(a.total)))
	}
}

// joining is the progress of a connection's join.
type joining struct {
	phase        Phase
	alwaysGhosts alwaysGhosts
	played       bool         // it has entered the game before
	connected    bool         // announced to scripts
	connArgs     []string     // of the connect request
	progressAt   int64        // simulation time of the join's last progress in ms
	delivered    uint64       // delivered events and acked ghosts at the last check
	heard        netcore.Time // when the peer's last authentic packet came, at the last check
}

// ActivateGhosting starts the ghost phase of the join. The peer first receives the always-ghosts.
// When it has them all, GhostAlwaysDone is called on this side. Then the objects in scope by
// distance follow.
func (c *Connection) ActivateGhosting() { c.host.world.OnCommit(c.activateGhosting) }

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
	c.visible.begin()
}

// ResetGhosting ends ghosting for a map change. The peer deletes its ghosts, and the join starts
// again.
func (c *Connection) ResetGhosting() { c.host.world.OnCommit(c.resetGhosting) }

func (c *Connection) resetGhosting() {
	if c.ended || c.net == nil || !c.sends() {
		return
	}
	c.forgetScope()
	c.setPhase(PhaseJoining)
	c.ghostSeq++
	c.post(&phaseStep{stepGhostsEnd, c.ghostSeq, 0}, commands)
}

// forgetScope removes everything from the peer's scope.
func (c *Connection) forgetScope() {
	c.always = alwaysOff
	c.visible.reset()
	c.gate.reset()
	c.ghosts.Activate(false)
	c.ghosts.Reset()
}

// ghostPhase is the progress of a connection's always-ghosts.
type ghostPhase uint8

const (
	alwaysOff   ghostPhase = iota // not started
	alwaysBegun                   // ghosting begins with this tick
	alwaysSent                    // announced to the peer, being sent
	alwaysThere                   // the peer has them and is asked to confirm
	alwaysDone                    // confirmed
)

// stepAlways advances the ghost phase. It announces the start to the peer when this tick has found
// the objects that are always in scope. It announces the end when all of them have arrived. It does
// not wait for objects that the gate holds back.
func (c *Connection) stepAlways() {
	if c.always == alwaysBegun {
		c.always = alwaysSent
		c.post(&phaseStep{stepGhostsStart, c.ghostSeq, uint64(c.ghosts.Len())}, commands)
	}
	if c.always == alwaysSent && c.visible.settled(func(n uint32) bool { return c.ghosts.Live(n) || !c.gate.passed.has(n) }) {
		c.always = alwaysThere
		c.post(&phaseStep{stepGhostsDone, c.ghostSeq, 0}, commands)
	}
}

// EnterGame completes the join: the peer now plays. EnteredGame is called after this call has
// returned.
func (c *Connection) EnterGame() { c.host.world.OnCommit(c.enterGame) }

func (c *Connection) enterGame() {
	if c.ended {
		return
	}
	c.played = true
	c.setPhase(PhaseGame)
	c.post(&phaseStep{stepEnterGame, c.ghostSeq, 0}, commands)
	c.inbox = append(c.inbox, enteredGame{})
}

// enteredGame reports to the server side's scripts that a client is in the game.
type enteredGame struct{}

func (enteredGame) run(c *Connection) {
	if c.phase == PhaseGame {
		c.host.scripts.EnteredGame(c)
	}
}

// setPhase starts a phase and restarts the join timeout.
func (c *Connection) setPhase(p Phase) {
	c.phase = p
	c.progress()
}

// checkProgress counts each delivery to the peer as progress of the join, including parts of a large
// datablock and ghosts. Until the first packet of this side is known to have arrived, each authentic
// packet of the peer counts.
func (c *Connection) checkProgress() {
	if c.bot {
		return
	}
	n, heard := c.events.Stats().Delivered+c.ackedCount, c.net.Heard()
	if n != c.delivered || heard != c.heard && !c.net.Established() {
		c.progress()
	}
	c.delivered, c.heard = n, heard
}

// progress restarts the join timeout.
func (c *Connection) progress() { c.progressAt = c.host.Now() }

// overdue reports whether the join has made no progress for too long. The total duration is
// unlimited: on a modem a join can take a minute. A peer that has played before waits for this side
// between two missions, without a timeout. So does a bot.
func (c *Connection) overdue() bool {
	waits := c.bot || c.played && c.phase == PhaseJoining
	return c.inbound && c.phase != PhaseGame && !waits && c.host.Now()-c.progressAt > c.joinTimeout().Milliseconds()
}

// joinTimeout returns the longest time without progress. A peer that gets no packet of this side repeats
// its introduction every 0.4 s, and some of these packets can be lost.
func (c *Connection) joinTimeout() time.Duration {
	if c.net.Established() {
		return c.host.cfg.JoinTimeout
	}
	return 2 * c.host.cfg.JoinTimeout
}
