package move

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Max is how many moves may be made and not acknowledged. Who has made so
// many waits: its time stands still until the peer has done one.
const Max = 30

// MaxControlState is the most bits of a control state.
const MaxControlState = 1<<stateLengthBits - 1

// Config is what a move stream is made of.
type Config struct {
	Makes bool // this side's moves go to the peer, and its answers come here; the peer Takes
	Takes bool // the peer's moves come here, and answers go to it; the peer Makes
	Check bool // marks behind moves and control states; equal at both ends

	// Sends says how many packets carry each move unless it is known to have
	// arrived before: 1..Max; 0 is every packet until then. It is asked
	// within Pack. nil: 3.
	Sends func() int
	// NameOf is the name of the peer's ghost of an object of this side, 0 if it
	// is not known to have one (Ghosts.NameOf). It is asked within Pack, so it
	// may only read. nil: the peer has none.
	NameOf func(obj uint32) uint32
	// Named is the token of the ghost that the peer means by a name, 0 if there
	// is none (Ghosts.Named). nil: there are none.
	Named func(name uint32) uint32
	// Answered reports within Unpack that Answer has something. An error ends
	// the connection.
	Answered func() error
}

// Stats counts what a move stream did.
type Stats struct {
	Made    uint64 // moves of this side
	Copies  uint64 // of them, packed
	Taken   uint64 // moves of the peer, received for the first time
	Again   uint64 // copies received of what was there
	Lost    uint64 // moves of which no copy came in time
	Dropped uint64 // moves received and given up by Drop

	StatesSent     uint64 // control states
	StatesReceived uint64
	Bits           uint64 // of all sections that were worth a packet
}

const (
	usualSends = 3

	windowBits = 6 // of the number of a packet's first move
	ackedBits  = 5
	sumBits    = 16
	fovBits    = 8
	mostFOV    = 179
	flashBits  = 7
	flashFull  = 1<<flashBits - 2

	stateLengthBits = 12
	markBits        = 16
	markSalt        = 0x6d76
)

// Stream is the move stream: a Stream that carries what a player does to the
// peer that simulates it, and back how far that is, and what came of it where
// the two do not agree.
//
//	makes                                        takes
//	Push ──moves──────────────────────────────▶  Next, Drop
//	Answer ◀──newest done, state, flash────────  SetState, SetFlash
//	Settle
//
// Moves are numbered from 1. Each is done at most once, and in order; one that
// was in none of the packets that arrived is passed over. At most Max are
// made and not acknowledged, so either side has room for what there can be.
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
	m.sender.view.is = usualView
	m.receiver.view = usualView
	return m
}

// Name names the section in logs and reasons.
func (m *Stream) Name() string { return "moves" }

// Stats returns the running counters.
func (m *Stream) Stats() *Stats { return &m.stats }

// Pack writes the answer, then the moves. Each part is one bit if there is no
// need for it.
func (m *Stream) Pack(w *bitstream.Writer, o netcore.Outgoing) (wrote bool) {
	m.conn = o.Conn
	from := w.Pos()
	if m.cfg.Takes {
		wrote = m.writeAnswer(w, o)
	}
	if m.cfg.Makes {
		wrote = m.writeMade(w, o) || wrote
	}
	if wrote {
		m.stats.Bits += uint64(w.Pos() - from)
	}
	return wrote
}

// Unpack reads what the peer's Pack wrote. Moves wait for Next, answers for Answer.
func (m *Stream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	m.conn = p.Conn
	answered := false
	if m.cfg.Makes {
		if err := m.readAnswer(r, &answered); err != nil {
			return err
		}
	}
	if m.cfg.Takes {
		if err := m.readMade(r); err != nil {
			return err
		}
	}
	if answered && m.cfg.Answered != nil {
		return m.cfg.Answered()
	}
	return nil
}

// Notify tells the fate of a packet.
func (m *Stream) Notify(seq netcore.Seq, delivered bool) {
	m.sender.notify(seq, delivered)
	m.receiver.notify(seq, delivered)
}

// Due says when there is something for a packet: at once for a new move.
func (m *Stream) Due(now netcore.Time) netcore.Time {
	due := netcore.Never
	if m.cfg.Makes {
		due = m.sender.due(m.interval())
	}
	if m.cfg.Takes {
		due = min(due, m.answerDue())
	}
	return max(now, due)
}

// Least says how many bytes the control state needs that waits, with what stands
// around it.
func (m *Stream) Least() int {
	s := &m.receiver.state
	if !m.cfg.Takes || !s.set || s.at != m.receiver.done || !s.fresh && !m.Owes() {
		return 0
	}
	return (answerHead + s.bits + answerTail + madeHead + mostBits + madeTail + 7) / 8
}

// interval is the age at which what was sent may be sent once more.
func (m *Stream) interval() netcore.Time {
	if m.conn == nil {
		return netcore.LeastCopyAge
	}
	return max(netcore.LeastCopyAge, netcore.Time(float64(time.Second)/m.conn.SendRate().Packets))
}

// sends is how many packets carry each move, at least until it is known to have
// arrived.
func (m *Stream) sends() int {
	if m.cfg.Sends == nil {
		return usualSends
	}
	return m.cfg.Sends()
}

// debt is something to be told until a packet that tells its newest value is
// known to have arrived.
type debt struct {
	owed    bool
	carrier netcore.Seq // the newest packet that tells it
}

func (d *debt) pay(seq netcore.Seq) { d.owed, d.carrier = false, seq }

func (d *debt) notify(seq netcore.Seq, delivered bool) {
	if seq == d.carrier && !delivered {
		d.owed = true
	}
}

func (m *Stream) logs() bool { return m.conn.Logs(netcore.LogItems) }

// logMade prints moves that were written or read, if lines are wanted.
func (m *Stream) logMade(arrow string, first uint32, n, bits int) {
	what := "view"
	if n > 0 {
		what = fmt.Sprintf("moves %d to %d", first, first+uint32(n)-1)
	}
	m.conn.Logf(netcore.LogItems, "%v %s %s: %d bits", m.conn.Addr(), arrow, what, bits)
}

// logAnswer prints an answer that was written or read.
func (m *Stream) logAnswer(arrow string, ack uint32, state bool, name uint32, size, bits int) {
	what := ""
	switch {
	case state && name == 0:
		what = ", no control object"
	case state:
		what = fmt.Sprintf(", control state of ghost %d in %d", name-1, size)
	}
	m.conn.Logf(netcore.LogItems, "%v %s answer to move %d%s: %d bits", m.conn.Addr(), arrow, ack, what, bits)
}
