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
//	joining ──BlockTransfer.Transmit──► datablocks ──Ghosting.Activate──► ghosts ──Join.Enter──► game
//	   ▲                                                                                          │
//	   └───────────────────────────── Ghosting.Reset (a map change) ──────────────────────────────┘
type Phase uint8

const (
	PhaseJoining    Phase = iota // connected; scripts decide when the next phase begins
	PhaseDataBlocks              // datablocks and classes are sent
	PhaseGhosts                  // the objects that are always in scope are sent
	PhaseGame                    // in the game
)

var phaseNames = [...]string{"joining", "datablocks", "ghosts", "game"}

func (p Phase) String() string { return phaseNames[p] }

// A phaseStepKind is the kind of a step: a message from the server side that leads the client.
// Steps of a join have a sequence number, and stale answers are ignored. So a map change during a
// join needs no special case.
type phaseStepKind uint8

const (
	stepDataBlocksStart phaseStepKind = iota // count blocks follow
	stepDataBlocksDone                       // all blocks sent
	stepGhostsStart                          // always-ghosts follow
	stepGhostsDone                           // all always-ghosts sent, see ghostWait
	stepGhostsEnd                            // ghosting ends, delete the ghosts
	stepEnterGame                            // the join is complete
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
	return owner(n).inbox.add(e)
}

// run handles the step on the client side.
func (e *phaseStep) run(c *Connection) {
	switch e.step {
	case stepDataBlocksStart:
		c.Blocks.received, c.Blocks.expected = 0, int32(min(e.count, sim.MaxBlocks))
	case stepDataBlocksDone:
		c.post(&phaseAnswer{answerDataBlocks, e.seq}, bulk)
		c.host.scripts.ConnectionEvent(c, "onDataBlocksArrived", sim.Number(float64(e.seq)))
	case stepGhostsStart:
		c.Join.alwaysGhosts.total = int32(min(e.count, 1<<16))
		c.host.scripts.ConnectionEvent(c, "onGhostAlwaysStarted", sim.Number(float64(c.Join.alwaysGhosts.total)))
		c.Join.tellAlwaysGhosts()
		if c.Join.phase != PhaseGame {
			c.Join.phase = PhaseGhosts
		}
	case stepGhostsDone:
		c.Join.alwaysGhosts.wait.begin(c, e.seq, e.count)
	case stepGhostsEnd:
		c.Join.alwaysGhosts = alwaysGhosts{}
		c.Join.phase = PhaseJoining
		c.prediction.controlAnnounced = false
	case stepEnterGame:
		if c.Join.phase != PhaseGame {
			c.Join.phase = PhaseGame
			c.host.lifetimes.entered(c)
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
	return owner(n).inbox.add(e)
}

// run handles the answer. It ignores stale and unexpected answers.
func (e *phaseAnswer) run(c *Connection) {
	switch {
	case e.answer == answerDataBlocks && e.seq == c.Blocks.seq && c.Blocks.done:
		c.Blocks.done = false
		c.host.scripts.DataBlocksDone(c, e.seq)
	case e.answer == answerGhosts && e.seq == c.Ghosting.seq:
		c.Ghosting.confirm()
	}
}

// alwaysGhosts counts the ghosts that have come to the client side in a join. total is the number
// of always-ghosts, which come first. It is 0 until the server has told it.
type alwaysGhosts struct {
	received, total int32
	wait            ghostWait
}

// tellAlwaysGhosts tells scripts of the client side how many always-ghosts have come, if any.
func (j *Join) tellAlwaysGhosts() {
	if a := j.alwaysGhosts; 0 < a.received && a.received <= a.total {
		j.conn.host.scripts.ConnectionEvent(j.conn, "onGhostAlwaysObjectReceived", sim.Number(float64(a.received)), sim.Number(float64(a.total)))
	}
}

// A Join is the progress of a connection's join.
type Join struct {
	conn *Connection

	phase        Phase
	played       bool         // it has entered the game before
	connected    bool         // announced to scripts
	since        netcore.Time // when it began
	alwaysGhosts alwaysGhosts
	connArgs     []string     // of the connect request
	progressAt   int64        // simulation time of the join's last progress in ms
	delivered    uint64       // delivered events and acked ghosts at the last check
	heard        netcore.Time // when the peer's last authentic packet came, at the last check
}

// Enter completes the join: the peer now plays. EnteredGame is called after this call has
// returned.
func (j *Join) Enter() { j.conn.host.world.OnCommit(j.enter) }

func (j *Join) enter() {
	c := j.conn
	if c.ended {
		return
	}
	j.played = true
	j.setPhase(PhaseGame)
	c.post(&phaseStep{stepEnterGame, c.Ghosting.seq, 0}, commands)
	c.inbox.items = append(c.inbox.items, enteredGame{})
}

// enteredGame reports to the server side's scripts that a client is in the game.
type enteredGame struct{}

func (enteredGame) run(c *Connection) {
	if c.Join.phase == PhaseGame {
		c.host.scripts.EnteredGame(c)
	}
}

// setPhase starts a phase and restarts the join timeout.
func (j *Join) setPhase(p Phase) {
	j.phase = p
	j.progress()
}

// checkProgress counts each delivery to the peer as progress of the join, including parts of a
// large datablock and ghosts. Until the first packet of this side is known to have arrived, each
// authentic packet of the peer counts.
func (j *Join) checkProgress() {
	c := j.conn
	if c.bot {
		return
	}
	n, heard := c.events.Stats().Delivered+c.Ghosting.ackedCount, c.net.Heard()
	if n != j.delivered || heard != j.heard && !c.net.Established() {
		j.progress()
	}
	j.delivered, j.heard = n, heard
}

// progress restarts the join timeout.
func (j *Join) progress() { j.progressAt = j.conn.host.Now() }

// overdue reports whether the join has made no progress for too long, in real time: sv.timeScale
// changes the length of a tick, and not the patience of a server. The total duration is
// unlimited: on a modem a join can take a minute. A peer that has played before waits for this side
// between two missions, without a timeout. So does a bot.
func (j *Join) overdue() bool {
	c := j.conn
	waits := c.bot || j.played && j.phase == PhaseJoining
	if !c.inbound || j.phase == PhaseGame || waits {
		return false
	}
	patience := c.host.Pace.ticksIn(j.timeout()) * TickMs
	return float64(c.host.Now()-j.progressAt) > patience
}

// timeout returns the longest time without progress. A peer that gets no packet of this side
// repeats its introduction every 0.4 s, and some of these packets can be lost. One that has played
// before keeps its place as long as in the game.
func (j *Join) timeout() time.Duration {
	c := j.conn
	if j.played {
		return max(c.host.cfg.JoinTimeout, time.Duration(c.host.Settings.Timeout*float64(time.Second)))
	}
	if c.net.Established() {
		return c.host.cfg.JoinTimeout
	}
	return 2 * c.host.cfg.JoinTimeout
}

// Phase returns the phase of the join.
func (j *Join) Phase() Phase { return j.phase }
