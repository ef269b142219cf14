package move

import (
	"fmt"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Max is the maximum number of unacknowledged moves. A sender with Max such moves makes no further
// moves until an ack arrives.
const Max = 30

// MaxControlState is the maximum size of a control state, in bits.
const MaxControlState = 1<<stateLengthBits - 1

// Config configures a move stream.
type Config struct {
	SendsMoves    bool // this side sends moves and receives answers; the peer has ReceivesMoves
	ReceivesMoves bool // this side receives moves and sends answers; the peer has SendsMoves
	Check         bool // add check marks after moves and control states; equal at both ends

	// CopiesPerMove returns how many packets carry each move: 1..Max. A move known to have arrived
	// is not sent again. 0 means every packet until the move is known to have arrived. Pack calls
	// it. nil means 3.
	CopiesPerMove func() int
	// NameOf returns the name of the peer's ghost of a local object. It returns 0 if the peer is
	// not known to have one. ghost.Stream.NameOf is such a function. Pack calls NameOf, so it must
	// not change anything. nil means that the peer has no ghosts.
	NameOf func(obj uint32) uint32
	// TokenOf returns the token of the ghost with the peer's name, 0 if there is none.
	// ghost.Stream.TokenOf is such a function. nil means that there are no ghosts.
	TokenOf func(name uint32) uint32
	// OnAnswer is called by Unpack when Answer has a new result. An error ends the connection.
	OnAnswer func() error
}

// Stats counts the traffic of a move stream.
type Stats struct {
	Pushed     uint64 // moves of this side
	Copies     uint64 // copies of these moves in packets
	Received   uint64 // moves of the peer, received for the first time
	Duplicates uint64 // moves of the peer, received again
	Lost       uint64 // moves of the peer with no copy received in time
	Dropped    uint64 // received moves given up by Drop

	StatesSent     uint64 // packets with a control state
	StatesReceived uint64
	Bits           uint64 // of all sections worth a packet
}

const (
	defaultCopies = 3

	windowBits = 6 // of the number of a packet's first move
	ackedBits  = 5
	sumBits    = 16
	fovBits    = 8
	maxFOV     = 179
	flashBits  = 7
	maxFlash   = 1<<flashBits - 2

	stateLengthBits = 12
	markBits        = 16
	markSalt        = 0x6d76
)

// Stream is the move stream, a netcore.Stream. It carries a player's input to the peer that
// simulates the player. Back come the newest move done and, where the two sides differ, the state
// of the control object.
//
//	sender                                       receiver
//	Push ──moves──────────────────────────────▶  Next, Drop
//	Answer ◀──newest done, state, flash────────  SetState, SetFlash
//	Forget
//
// Moves are numbered from 1. Each move is done at most once, and in order. A move that arrived in
// no packet is skipped. At most Max moves are unacknowledged, so buffers of fixed size are enough
// on both sides.
type Stream struct {
	cfg      Config
	conn     *netcore.Conn // nil before the first packet
	stats    Stats
	sender   sender
	receiver receiver
}

// New returns a move stream without moves.
func New(cfg Config) *Stream {
	m := &Stream{cfg: cfg}
	m.sender.view.is = defaultCamera
	m.receiver.view = defaultCamera
	if cfg.SendsMoves {
		m.sender.moves, m.sender.infos = make([]Move, Max), make([]moveInfo, Max)
		m.sender.bits = make([]byte, (MaxControlState+7)/8)
	}
	if cfg.ReceivesMoves {
		m.receiver.queue = make([]receivedMove, Max)
	}
	return m
}

// Name returns the name of the section in logs and reasons.
func (m *Stream) Name() string { return "moves" }

// Stats returns the running counters.
func (m *Stream) Stats() *Stats { return &m.stats }

// Pack writes the answer, then the moves. A part with nothing to send takes one bit.
func (m *Stream) Pack(w *bitstream.Writer, o netcore.Outgoing) (wrote bool) {
	m.conn = o.Conn
	from := w.Pos()
	if m.cfg.ReceivesMoves {
		wrote = m.writeAnswer(w, o)
	}
	if m.cfg.SendsMoves {
		wrote = m.writeMoveSection(w, o) || wrote
	}
	if wrote {
		m.stats.Bits += uint64(w.Pos() - from)
	}
	return wrote
}

// Unpack reads a section written by the peer's Pack. It queues moves for Next and keeps the answer
// for Answer.
func (m *Stream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	m.conn = p.Conn
	answered := false
	if m.cfg.SendsMoves {
		if err := m.readAnswer(r, &answered); err != nil {
			return err
		}
	}
	if m.cfg.ReceivesMoves {
		if err := m.readMoveSection(r); err != nil {
			return err
		}
	}
	if answered && m.cfg.OnAnswer != nil {
		return m.cfg.OnAnswer()
	}
	return nil
}

// Notify handles the fate of a packet.
func (m *Stream) Notify(seq netcore.Seq, delivered bool) {
	m.sender.notify(seq, delivered)
	m.receiver.notify(seq, delivered)
}

// Due returns when a packet should be sent: immediately for a new move.
func (m *Stream) Due(now netcore.Time) netcore.Time {
	due := netcore.Never
	if m.cfg.SendsMoves {
		due = m.sender.due(m.interval())
	}
	if m.cfg.ReceivesMoves {
		due = min(due, m.answerDue())
	}
	return max(now, due)
}

// Least returns how many bytes a waiting control state needs in a packet, with the bits around it.
func (m *Stream) Least() int {
	s := &m.receiver.state
	if _, ready := m.stateGhost(); !m.cfg.ReceivesMoves || !ready || !s.fresh && !m.StateOwed() {
		return 0
	}
	return (answerHead + s.bits + answerTail + movesHead + maxMoveBits + movesTail + 7) / 8
}

// interval returns the least time between two packets with the same data.
func (m *Stream) interval() netcore.Time {
	if m.conn == nil {
		return netcore.MinCopyAge
	}
	return max(netcore.MinCopyAge, m.conn.SendInterval())
}

// copiesPerMove returns how many packets carry each move, unless it is known to have arrived
// earlier.
func (m *Stream) copiesPerMove() int {
	if m.cfg.CopiesPerMove == nil {
		return defaultCopies
	}
	return m.cfg.CopiesPerMove()
}

// pendingUpdate tracks a value that must reach the peer. The value is sent again until a packet
// with its newest version is known to have arrived.
type pendingUpdate struct {
	pending bool
	carrier netcore.Seq // the newest packet with the value
}

func (d *pendingUpdate) sent(seq netcore.Seq) { d.pending, d.carrier = false, seq }

func (d *pendingUpdate) notify(seq netcore.Seq, delivered bool) {
	if seq == d.carrier && !delivered {
		d.pending = true
	}
}

func (m *Stream) logs() bool { return m.conn.Logs(netcore.LogItems) }

// logMoves logs moves that were written or read.
func (m *Stream) logMoves(arrow string, first uint32, n, bits int) {
	what := "view"
	if n > 0 {
		what = fmt.Sprintf("moves %d to %d", first, first+uint32(n)-1)
	}
	m.conn.Logf(netcore.LogItems, "%v %s %s: %d bits", m.conn.Addr(), arrow, what, bits)
}

// logAnswer logs an answer that was written or read.
func (m *Stream) logAnswer(arrow string, ack uint32, state bool, name uint32, size, bits int) {
	what := ""
	switch {
	case state && name == 0:
		what = ", no control object"
	case state:
		what = fmt.Sprintf(", control state of ghost %d (%d bits)", name-1, size)
	}
	m.conn.Logf(netcore.LogItems, "%v %s answer to move %d%s: %d bits", m.conn.Addr(), arrow, ack, what, bits)
}
