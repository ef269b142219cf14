package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Max is the highest number of ghosts that a connection can have at a time. The highest id stays
// unused, so that an id + 1 fits into 16 bits.
const Max = idCount - 1

// Config configures a ghost stream.
type Config struct {
	Snapshots *Snapshots // the objects to send from; nil: this side sends no ghosts
	// Layout returns a class that this side receives, nil if it is unknown. Without this function,
	// ghosts from the peer are a protocol violation.
	Layout      func(class uint16) *Layout
	Check       bool // a mark after every field; must be equal at both ends
	NoBaselines bool // never send a value relative to a baseline; for measuring
	Max         int  // ghosts at a time, 1..Max; 0 means Max

	// Weigh sets the base priorities of objects, 1..255. The stream calls it at once for a new
	// ghost, and within Pack for an eighth of the ghosts each tick. It must skip entries of objs
	// that are 0. Several connections can call it concurrently, so it must only read shared state.
	// Ghosts with a weight below 64 are not sent in each tick (beat.go). nil gives all objects the
	// same priority, and sends all of them in each tick.
	Weigh func(objs []uint32, weights []uint8)

	// Acked reports that the peer has a ghost. References to the ghost are sent from now on. The
	// stream calls it within ApplyFates or Pack, so it must only change data of the connection.
	Acked func(obj uint32)
	// Arrived reports within Unpack that Next has the changes of a packet. An error ends the
	// connection.
	Arrived func() error
}

// Stats counts the sent items of a ghost stream.
type Stats struct {
	Creates  uint64 // complete objects, repetitions included
	Updates  uint64
	Relative uint64 // updates with a group relative to a baseline
	Kills    uint64
	Resends  uint64 // creates and updates repeated while in flight; included above
	Bits     uint64 // of all sections
	Requeued uint64 // ghosts that owe groups again after a packet loss
	Full     uint64 // number of times the table became full
	TooLarge uint64 // number of times an object was too large for any packet
	Ways     Ways   // how the updates were made
}

// ClassCount counts the ghosts of a class, and the bits of their bodies in packets.
type ClassCount struct{ Creates, CreateBits, Updates, UpdateBits uint64 }

func (n *ClassCount) add(kind itemKind, bits int) {
	if kind == kindCreate {
		n.Creates, n.CreateBits = n.Creates+1, n.CreateBits+uint64(bits)
		return
	}
	n.Updates, n.UpdateBits = n.Updates+1, n.UpdateBits+uint64(bits)
}

// ClassStats holds the counts of a class, sent and received.
type ClassStats struct{ Sent, Received ClassCount }

// classCounts holds the counts of all classes, by class number.
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

// Stream is the ghost stream of a connection, a netcore.Stream. It replicates objects to the peer.
// An object in scope appears at the peer, follows its newest state, and disappears when it leaves
// the scope. Appearing and disappearing are guaranteed. Only the newest state is guaranteed to
// arrive: the groups of a lost packet are sent again with their current values, and only if no
// later packet carries them already.
//
// The objects and their numbers come from Snapshots. Pack only reads them. All other state belongs
// to the connection.
type Stream struct {
	cfg       Config
	snapshots *Snapshots
	conn      *netcore.Conn // nil before the first packet
	// peerAck returns the newest packet of this side that the packet being read acknowledges.
	peerAck   func() netcore.Seq
	table     table
	code      codec
	recv      *receiver // nil: this side accepts no ghosts
	stats     Stats
	counts    classCounts
	weighArgs struct { // arguments of Weigh for one object
		obj    [1]uint32
		weight [1]uint8
	}

	active        bool
	full          bool   // Scope has failed since the last id became free
	fullTold      bool   // the log has it
	agedTick      uint32 // the tick up to which the ages have grown
	refreshedTick uint32 // the tick up to which dirty includes all changes
	weighedTick   uint32 // the tick of the newest call of weigh
	idleTick      uint32 // in this tick, no remaining ghost fits
	round         uint32 // ticks in which packets like the newest one update every ghost
	updatesTick   uint32 // of the newest section with updates
	behind        bool   // that section left ghosts waiting
	minBytes      int    // bytes, see Least
	oversize      uint32 // an object number, see Oversize

	usual      uint32   // most common mask of the updates of the newest section
	createHand int      // id with which the order of creates of equal priority begins
	updateHand int      // the same of updates
	createBits meanBits // sizes of the newest creates
	updateBits meanBits
	packet     *packet // of the worker that packed the newest section
	told       []fate  // not applied yet, see ApplyFates
	checked    *Values // buffer for a plain group in a stream with Check; nil in others
	flight     flight
	epoch      epoch
}

// epoch holds the state of the reset announcement to the peer.
type epoch struct {
	n      uint8
	owed   bool // the peer must learn the epoch, and no packet with it has been acknowledged
	sent   bool // a packet with the epoch was sent
	resets int  // total number of resets
}

// New returns an inactive ghost stream without ghosts.
func New(cfg Config) *Stream {
	if cfg.Max <= 0 || cfg.Max > Max {
		cfg.Max = Max
	}
	g := &Stream{cfg: cfg, snapshots: cfg.Snapshots}
	if g.snapshots == nil {
		g.snapshots = NewSnapshots()
	}
	g.table.limit = cfg.Max
	if cfg.Check {
		g.checked = new(Values)
	}
	g.code.check, g.code.ref = cfg.Check, g.ToWire
	g.flight.tickAt = g.flight.baseTick
	if cfg.Layout != nil {
		g.recv = openReceiver(&g.cfg)
	}
	return g
}

// Name returns the name of the section for logs and reasons.
func (g *Stream) Name() string { return "ghosts" }

// Activate starts or stops sending. While the stream is inactive, it packs only a Reset, and ghosts
// keep their state.
func (g *Stream) Activate(on bool) { g.active = on }

// Scope puts an object into the scope, so that the peer gets a ghost of it. It returns false if the
// table is full. It does nothing if the object is already in scope. As Pack, Scope, Unscope, Forget
// and Hide only change data of the stream.
func (g *Stream) Scope(obj uint32) (ok bool) {
	g.ApplyFates()
	if g.table.find(obj) >= 0 {
		return true
	}
	l := g.snapshots.object(obj).plan.layout
	g.ageGhosts()
	id, ok := g.table.take(obj)
	if !ok {
		g.tableFull()
		return false
	}
	t := &g.table
	t.sent[id] = g.snapshots.tick
	t.addSmooth(id, l.smooth)
	if g.cfg.Weigh != nil {
		t.setWeight(id, g.weighOne(obj))
	}
	t.owe(id, l.all())
	t.deferToPrevious(id, g.snapshots.objects[obj].addedTick)
	return true
}

// tableFull counts a full table, once until an id becomes free.
func (g *Stream) tableFull() {
	if !g.full {
		g.full, g.fullTold = true, false
		g.stats.Full++
	}
}

// tellFull logs a full table. It waits for Pack, because several connections can call Scope at
// once.
func (g *Stream) tellFull() {
	if !g.full || g.fullTold {
		return
	}
	g.fullTold = true
	if g.conn.Logs(netcore.LogConnections) {
		g.conn.Logf(netcore.LogConnections, "%v: the table of %d ghosts is full", g.conn.Addr(), g.cfg.Max)
	}
}

// Unscope removes an object from the scope, so that the peer deletes its ghost. If the object comes
// back earlier, its new ghost waits for that.
func (g *Stream) Unscope(obj uint32) {
	g.ApplyFates()
	if id := g.table.find(obj); id >= 0 {
		if g.table.state[id] != Unsent {
			g.table.addHandover(obj, id, g.snapshots.tick)
		}
		g.end(id)
	}
}

// Forget is Unscope of an object that will be removed from the snapshots, so that it cannot come
// back.
func (g *Stream) Forget(obj uint32) {
	g.ApplyFates()
	if id := g.table.find(obj); id >= 0 {
		g.end(id)
	}
}

// end ends the ghost of an object that leaves the scope.
func (g *Stream) end(id int) {
	switch g.table.state[id] {
	case Unsent:
		g.free(id)
	case Creating: // it is killed or freed as soon as the create is delivered or lost
		g.table.detach(id)
	case Live:
		g.table.detach(id)
		g.table.state[id] = Dying
		g.table.dirty.add(id)
	}
}

func (g *Stream) free(id int) {
	g.table.free(id)
	g.full = false
}

// Scoped reports whether an object is in scope.
func (g *Stream) Scoped(obj uint32) bool { return g.table.find(obj) >= 0 }

// Live reports whether the peer is known to have a ghost of an object, and no kill of it is due or
// in flight.
func (g *Stream) Live(obj uint32) bool { return g.liveID(obj) >= 0 }

// ToWire returns an object's ghost id + 1 if the ghost is Live, else 0.
func (g *Stream) ToWire(obj uint32) uint32 { return uint32(g.liveID(obj) + 1) }

// Reset deletes every ghost and frees every id at once. Packets announce the reset until the peer
// acknowledges it.
func (g *Stream) Reset() {
	g.ApplyFates()
	g.table.clear()
	g.full = false
	g.flight.forget()
	e := &g.epoch
	e.resets++
	if !e.owed || e.sent {
		e.n++
	}
	e.owed, e.sent = true, false
}

// Epoch returns the number of Resets, mod 256. One that no packet has announced counts with the
// next.
func (g *Stream) Epoch() uint8 { return g.epoch.n }

// owesReset reports whether the peer must learn of a Reset and no packet in flight announces it.
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

// Withhold keeps groups of an object out of updates. Their changes stay owed until Withhold(obj,
// 0). A create still carries every group. Withhold does nothing if the object is not in scope.
func (g *Stream) Withhold(obj uint32, groups uint32) {
	t := &g.table
	id := t.find(obj)
	if id < 0 {
		return
	}
	t.hold(id, groups&^1, t.hiddenOf(id))
	g.addPending(id)
}

// Hide keeps groups of an object secret until a call without them. Updates leave them out, as with
// Withhold, and creates carry their Blank values. A peer that had the values before keeps those.
// Group 0, smooth groups and hand-written groups are not hidden. Hide does nothing if the object is
// not in scope.
func (g *Stream) Hide(obj uint32, groups uint32) {
	t := &g.table
	id := t.find(obj)
	if id < 0 || groups == 0 && t.hiddenOf(id) == 0 {
		return
	}
	t.hold(id, t.heldOf(id), groups&g.snapshots.objects[obj].plan.layout.hideable())
	g.addPending(id)
}

// Hidden returns the groups of an object that Hide keeps secret. It returns 0 if the object is not
// in scope.
func (g *Stream) Hidden(obj uint32) uint32 {
	if id := g.table.find(obj); id >= 0 {
		return g.table.hiddenOf(id)
	}
	return 0
}

// addPending adds a ghost to the dirty ones if it owes something.
func (g *Stream) addPending(id int) {
	if g.pending(id) != 0 {
		g.table.dirty.add(id)
	}
}

// Owe makes the stream send groups of an object once more. Group 0 stands for the whole object.
func (g *Stream) Owe(obj uint32, groups uint32) {
	g.ApplyFates()
	if id := g.table.find(obj); id >= 0 {
		g.table.owe(id, g.table.owedBy(id)|groups&g.snapshots.objects[obj].plan.layout.all())
		g.addPending(id)
	}
}

// Len returns the number of ids in use, including ghosts that are not yet deleted at the peer.
func (g *Stream) Len() int { return g.table.n }

// Each calls do for every id in use, in ascending order. obj is 0 for a ghost that has left the
// scope.
func (g *Stream) Each(do func(id int, obj uint32, s Status)) {
	for w := range g.table.used {
		for ids := g.table.used[w]; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			do(id, g.table.obj[id], g.table.state[id])
		}
	}
}

// Pending returns the number of ghosts with something to send. It examines every ghost.
func (g *Stream) Pending() (n int) {
	g.Each(func(id int, _ uint32, s Status) {
		if g.wantsPacket(id) {
			n++
		}
	})
	return n
}

// Stats returns the running counters.
func (g *Stream) Stats() *Stats { return &g.stats }

// ClassStats returns the counts of a class.
func (g *Stream) ClassStats(class uint16) ClassStats {
	n := ClassStats{Sent: g.counts.at(class)}
	if g.recv != nil {
		n.Received = g.recv.counts.at(class)
	}
	return n
}

// Due returns the time from which on the stream has something to send. It changes no packet.
func (g *Stream) Due(now netcore.Time) netcore.Time {
	if len(g.told) > 0 || g.owesReset() || g.active && g.idleTick != g.snapshots.tick && g.anyPending() {
		return now
	}
	if g.active && g.flight.packets.Len() > 0 {
		return max(now, g.flight.nextResendScan)
	}
	return netcore.Never
}

// Unpack reads the section that the peer's Pack wrote. It only queues the changes. The caller takes
// them with Next.
func (g *Stream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	g.attach(p.Conn)
	if !r.ReadFlag() {
		return nil
	}
	if g.recv == nil {
		return netcore.Violationf("unexpected ghosts: this side accepts none")
	}
	changed, err := g.recv.unpack(r, p.Seq)
	if err != nil || !changed || g.cfg.Arrived == nil {
		return err
	}
	return g.cfg.Arrived()
}

// attach remembers the connection of a packet. c can be nil in tests.
func (g *Stream) attach(c *netcore.Conn) {
	if c == g.conn {
		return
	}
	g.conn, g.peerAck = c, c.PeerAck
	if g.recv != nil {
		g.recv.conn = c
	}
}
