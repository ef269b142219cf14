package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Max is how many ghosts a connection can have at once.
const Max = idCount

// Config is what a ghost stream is made of.
type Config struct {
	Snapshots *Snapshots                 // what this side sends from; nil: it sends no ghosts
	Layout    func(class uint16) *Layout // the classes this side receives, nil for unknown; no func: ghosts from the peer are a violation
	Check     bool                       // a mark after every field; equal at both ends
	Whole     bool                       // never send a value relative to another; for measuring
	Max       int                        // ghosts at once, 1..Max; 0 means Max

	// Weigh gives the base priorities of objects, 1..255. It is asked for a new
	// ghost at once, and within Pack for an eighth of the ghosts each tick;
	// entries of objs that are 0 are holes. Several connections Send at once,
	// so it may only read. nil: all weigh the same.
	Weigh func(objs []uint32, weights []uint8)

	// Acked reports within Notify that a ghost has arrived. References to it
	// are sent from now on.
	Acked func(obj uint32)
	// Arrived reports within Unpack that Next has the changes of a packet. An
	// error ends the connection.
	Arrived func() error
}

// Stats counts what a ghost stream sent.
type Stats struct {
	Creates  uint64 // objects sent in full, also again
	Updates  uint64
	Relative uint64 // updates relative to what the peer has
	Kills    uint64
	Copies   uint64 // of the creates and updates, those sent once more while in flight
	Bits     uint64 // of all sections
	Again    uint64 // ghosts to which the loss of a packet gave something back
	Full     uint64 // times the table became full
	TooLarge uint64 // times an object was found to be too large for any packet
}

// ClassCount counts ghosts of a class, and the bits of their groups and masks.
type ClassCount struct{ Creates, CreateBits, Updates, UpdateBits uint64 }

func (n *ClassCount) add(kind itemKind, bits int) {
	if kind == kindCreate {
		n.Creates, n.CreateBits = n.Creates+1, n.CreateBits+uint64(bits)
		return
	}
	n.Updates, n.UpdateBits = n.Updates+1, n.UpdateBits+uint64(bits)
}

// ClassStats counts what was sent and received of a class.
type ClassStats struct{ Sent, Received ClassCount }

// classCounts are the counts of all classes, by number.
type classCounts []ClassCount

func (c *classCounts) of(class uint16) *ClassCount {
	if n := int(class) + 1; n > len(*c) {
		*c = append(*c, make([]ClassCount, n-len(*c))...)
	}
	return &(*c)[class]
}

func (c classCounts) at(class uint16) (n ClassCount) {
	if int(class) < len(c) {
		n = c[class]
	}
	return n
}

// Stream is the ghost stream: a Stream that shows objects to the peer. What is
// put in scope appears there, follows its object's newest state, and goes when
// it leaves the scope; both are guaranteed. Of the state only the newest is:
// what a lost packet carried is sent again as it is then, and only if no later
// packet carries it already.
//
// What it shows are the Images, by number; Pack only reads them. All else here
// belongs to the connection.
type Stream struct {
	cfg       Config
	snapshots *Snapshots
	conn      *netcore.Conn // nil before the first packet
	// peerAck returns the newest packet of this side that the packet being read acknowledges.
	peerAck func() netcore.Seq
	table   table
	code    codec
	recv    receiver
	stats   Stats
	counts  classCounts
	weigh1  struct { // Weigh for one
		obj    [1]uint32
		weight [1]uint8
	}

	active   bool
	full     bool   // Scope was refused since the last id became free
	seen     uint32 // the tick up to which the table's hot set knows of changes
	weighed  uint32 // the tick of the newest stripe
	idle     uint32 // in this tick, nothing of what is left fits
	least    int    // bytes, see Least
	oversize uint32 // see Oversize

	selection selection
	packet    packet
	flight    flight
	epoch     epoch
}

// epoch is how the peer learns that the table was emptied.
type epoch struct {
	n      uint8
	owed   bool // no packet with it is known to have arrived
	shown  bool // a packet with it was sent
	resets int  // since the beginning
}

// New returns a ghost stream without ghosts, not yet active.
func New(cfg Config) *Stream {
	if cfg.Max <= 0 || cfg.Max > Max {
		cfg.Max = Max
	}
	g := &Stream{cfg: cfg, snapshots: cfg.Snapshots}
	if g.snapshots == nil {
		g.snapshots = NewSnapshots()
	}
	g.table.most = cfg.Max
	g.code.check, g.code.ref = cfg.Check, g.ToWire
	g.flight.tickAt = g.flight.baseTick
	g.recv.init(&g.cfg)
	return g
}

// Name names the section in logs and reasons.
func (g *Stream) Name() string { return "ghosts" }

// Activate starts or stops sending. While it is off, nothing is packed but a
// Reset; ghosts keep their state.
func (g *Stream) Activate(on bool) { g.active = on }

// Scope shows an object to the peer from now on. It returns false if the table
// is full. An object that is shown already stays as it is.
func (g *Stream) Scope(obj uint32) (ok bool) {
	if g.table.find(obj) >= 0 {
		return true
	}
	l := g.snapshots.object(obj).plan.layout
	id, ok := g.table.take(obj)
	if !ok {
		g.tableFull()
		return false
	}
	t := &g.table
	t.sent[id], t.owed[id], t.weight[id] = g.snapshots.tick, l.all(), g.weighOne(obj)
	t.forgetLines(id, bits.OnesCount32(l.smooth))
	t.takeOver(id, g.snapshots.objects[obj].born)
	return true
}

// tableFull notes, once until an id becomes free, that there is none.
func (g *Stream) tableFull() {
	if g.full {
		return
	}
	g.full = true
	g.stats.Full++
	if g.conn.Logs(netcore.LogLife) {
		g.conn.Logf(netcore.LogLife, "%v: the table of %d ghosts is full", g.conn.Addr(), g.cfg.Max)
	}
}

// Unscope takes an object out of the peer's sight.
func (g *Stream) Unscope(obj uint32) {
	id := g.table.find(obj)
	if id < 0 {
		return
	}
	switch g.table.state[id] {
	case Unsent:
		g.free(id)
	case Creating: // killed or freed when its create's fate is known
		g.table.depart(obj, id, g.snapshots.tick)
		g.table.lose(id)
	case Live:
		g.table.depart(obj, id, g.snapshots.tick)
		g.table.lose(id)
		g.table.state[id] = Dying
		g.table.hot.add(id)
	}
}

func (g *Stream) free(id int) {
	g.table.free(id)
	g.full = false
}

// Scoped reports whether an object is shown, or will be.
func (g *Stream) Scoped(obj uint32) bool { return g.table.find(obj) >= 0 }

// Live reports whether the peer is known to have a ghost of an object, and no
// kill is on its way.
func (g *Stream) Live(obj uint32) bool {
	id := g.table.find(obj)
	return id >= 0 && g.table.state[id] == Live
}

// ToWire returns an object's ghost id + 1 if it is Live, else 0.
func (g *Stream) ToWire(obj uint32) uint32 {
	id := g.table.find(obj)
	if id < 0 || g.table.state[id] != Live {
		return 0
	}
	return uint32(id + 1)
}

// Reset forgets every ghost at once, ids too. The peer is told until it knows.
func (g *Stream) Reset() {
	g.table.clear()
	g.full = false
	g.flight.forget()
	e := &g.epoch
	e.resets++
	if !e.owed || e.shown {
		e.n++
	}
	e.owed, e.shown = true, false
}

// owesReset reports whether the peer is to be told of a Reset, and nothing that
// tells it is on its way.
func (g *Stream) owesReset() bool {
	if !g.epoch.owed {
		return false
	}
	for i := range g.flight.packets.Len() {
		if p := g.flight.packets.At(i); p.reset && p.epoch == g.epoch.n {
			return false
		}
	}
	return true
}

// Withhold keeps groups of an object from being updated. What changes of them
// stays owed until Withhold(obj, 0). An object not in scope is left alone, and
// a create carries everything.
func (g *Stream) Withhold(obj uint32, groups uint32) {
	t := &g.table
	id := t.find(obj)
	if id < 0 {
		return
	}
	if t.held == nil {
		t.held = make([]uint32, t.rows())
	}
	t.held[id] = groups &^ 1
	t.hot.add(id)
}

// Owe has groups of an object sent once more. Group 0 stands for all of it.
func (g *Stream) Owe(obj uint32, groups uint32) {
	if id := g.table.find(obj); id >= 0 {
		g.table.owed[id] |= groups & g.snapshots.objects[obj].plan.layout.all()
		g.table.hot.add(id)
	}
}

// Len returns how many ids are in use, also those of ghosts that are dying.
func (g *Stream) Len() int { return g.table.n }

// Each calls do for every id in use, in ascending order. obj is 0 for a ghost
// that has left the scope.
func (g *Stream) Each(do func(id int, obj uint32, s State)) {
	for w := range g.table.used {
		for ids := g.table.used[w]; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			do(id, g.table.obj[id], g.table.state[id])
		}
	}
}

// Pending returns how many ghosts have something to send. It looks at all.
func (g *Stream) Pending() (n int) {
	g.Each(func(id int, _ uint32, s State) {
		if g.wantsPacket(id) {
			n++
		}
	})
	return n
}

// Stats returns the running counters.
func (g *Stream) Stats() *Stats { return &g.stats }

// ClassStats returns what was sent and received of a class.
func (g *Stream) ClassStats(class uint16) ClassStats {
	return ClassStats{g.counts.at(class), g.recv.counts.at(class)}
}

// Due says when there is something for a packet.
func (g *Stream) Due(now netcore.Time) netcore.Time {
	if g.owesReset() || g.active && g.idle != g.snapshots.tick && g.anyHot() {
		return now
	}
	if g.active && g.flight.packets.Len() > 0 {
		return max(now, g.flight.again)
	}
	return netcore.Never
}

// Unpack reads what the peer's Pack wrote. Nothing is done about it here: the
// changes wait to be taken by Next.
func (g *Stream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	g.attach(p.Conn)
	if !r.ReadFlag() {
		return nil
	}
	changed, err := g.recv.unpack(r, p.Seq)
	if err != nil || !changed || g.cfg.Arrived == nil {
		return err
	}
	return g.cfg.Arrived()
}

// attach remembers the connection with which a packet came or goes. c may be nil in tests.
func (g *Stream) attach(c *netcore.Conn) {
	if c == g.conn {
		return
	}
	g.conn, g.recv.conn, g.peerAck = c, c, c.PeerAck
}
