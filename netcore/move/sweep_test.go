package move_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/event/eventtest"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

const ms = time.Millisecond

var here, there = netcore.SimAddr(1), netcore.SimAddr(2)

// The class of the objects that a peer can control.
var objectLayout = ghost.NewLayout(9, "Stone", []ghost.CellGroup{{Cells: []ghost.Cell{{Field: "serial", Bits: 32}}}})

func layoutOf(class uint16) *ghost.Layout {
	if class == objectLayout.ID {
		return objectLayout
	}
	return nil
}

// A testPlayer sends moves, or does the moves of its peer, or both.
type testPlayer struct {
	conn         *netcore.Conn
	moves        *move.Stream
	ghosts       *ghost.Stream
	events       *event.Stream
	rng          *rand.Rand
	peer         *testPlayer
	makes, takes bool
	sends        int
	changesSends bool // changes sends during the run
	quiet        bool
	fault        string

	// Receiving: the objects that the peer can control, and the state sent to the peer.
	snapshots  *ghost.Snapshots
	tick       uint32
	objects    []uint32 // the last entry is 0: no object
	done       uint32
	idleTicks  int // ticks without a move
	controlled int // index of the stone that the peer controls
	serial     uint32
	forced     uint32 // the newest state that must arrive
	flashSent  float64

	// Sending.
	made, acked uint32
	known       map[uint32]uint64 // ghost token -> serial number of the stone
	state       uint32            // the newest state received
	seenObject  int               // index of the stone of that state
	first       bool
	fov         int
	flash       float64
}

func newTestPlayer(seed uint64, to netcore.Addr, keys *seal.Session, makes, takes bool, cfg netcore.ConnConfig) *testPlayer {
	d := &testPlayer{
		rng: rand.New(rand.NewPCG(seed, uint64(to.Port)+9)), makes: makes, takes: takes,
		snapshots: ghost.NewSnapshots(), known: map[uint32]uint64{},
	}
	d.sends = []int{0, 1, 3, 3, move.Max}[d.rng.IntN(5)]
	d.changesSends = d.sends == 3 && d.rng.IntN(3) == 0
	d.snapshots.Begin(1)
	for i := range 3 {
		n := d.snapshots.Add(objectLayout)
		d.snapshots.Set(n, 0, &ghost.Values{Cells: []uint64{uint64(i)}})
		d.objects = append(d.objects, n)
	}
	d.objects = append(d.objects, 0)
	d.controlled, d.first, d.fov = 3, true, 90
	d.ghosts = ghost.New(ghost.Config{Snapshots: d.snapshots, Layout: layoutOf, Check: cfg.Check})
	d.ghosts.Activate(true)
	d.moves = move.New(move.Config{
		SendsMoves: makes, ReceivesMoves: takes, Check: cfg.Check,
		CopiesPerMove: func() int { return d.sends },
		NameOf:        d.ghosts.NameOf, TokenOf: d.ghosts.TokenOf,
	})
	d.events = event.New(event.Config{Kinds: eventtest.Kinds, Server: takes, Mutual: makes && takes, Check: cfg.Check})
	cfg.Addr, cfg.Keys, cfg.Seed = to, keys, seed
	cfg.Streams = func(*netcore.Conn) []netcore.Stream {
		return []netcore.Stream{d.moves, d.events, d.ghosts}
	}
	d.conn = netcore.NewConn(0, cfg)
	d.conn.User = &eventtest.Peer{Seen: [4]map[uint64]bool{2: {}, 3: {}}}
	return d
}

func (d *testPlayer) Receive(now netcore.Time, _ netcore.Addr, b []byte)    { d.conn.Receive(now, b) }
func (d *testPlayer) Send(now netcore.Time, out func(netcore.Addr, []byte)) { d.conn.Send(now, out) }

func (d *testPlayer) Tick(now netcore.Time) {
	d.conn.Tick(now)
	d.takeGhosts()
	d.tick++
	d.snapshots.Begin(d.tick + 1)
	if !d.quiet && d.rng.IntN(10) == 0 {
		_ = d.events.Post(&eventtest.Message{Class: 1, Tag: event.TagRef{Text: eventtest.TagOf(1, 0)}, Body: make([]byte, d.rng.IntN(2000))}, event.Post{Guarantee: event.Unguaranteed})
	}
	if d.takes {
		d.takeMoves()
		d.updateState()
	}
	if d.makes {
		d.handleAnswer()
		d.act()
	}
}

// takeGhosts takes the ghosts of all packets. Next returns nil at the end of each packet, and at
// the end of all.
func (d *testPlayer) takeGhosts() {
	for more := true; more; {
		more = false
		for ch := d.ghosts.Next(); ch != nil; ch = d.ghosts.Next() {
			more = true
			if ch.Kind == ghost.Create {
				d.known[ch.Token] = ch.Values(0).Cells[0]
			}
		}
	}
}

func (d *testPlayer) fail(format string, args ...any) {
	if d.fault == "" {
		d.fault = fmt.Sprintf(format, args...)
	}
}

// step returns the move of a number. sumAfter returns the sender's checksum after it.
func step(n uint32) move.Move {
	return move.Move{X: int8(n%33) - 16, Y: int8(n / 40 % 17), Yaw: int16(n), Triggers: uint8(n / 8 % 64)}
}

func sumAfter(n uint32) uint16 { return uint16(n*40503>>7) | 1 }

// takeMoves does some of the peer's moves: usually one, sometimes none for a long time. Sometimes
// it gives moves up.
func (d *testPlayer) takeMoves() {
	if d.idleTicks--; d.idleTicks > 0 && !d.quiet {
		return
	}
	if d.rng.IntN(80) == 0 {
		d.idleTicks = d.rng.IntN(50)
	}
	steady := d.peer.sends == 0 // then no move can be lost
	if d.rng.IntN(60) == 0 && steady {
		n := min(d.rng.IntN(4), d.moves.Queued())
		d.moves.Drop(n)
		d.done += uint32(n)
	}
	for range d.rng.IntN(4) {
		v, sum, summed, ok := d.moves.Next()
		if !ok {
			return
		}
		n := uint32(uint16(v.Yaw))
		switch {
		case v != step(n):
			d.fail("move %+v, of number %d it is %+v", v, n, step(n))
		case n <= d.done:
			d.fail("move %d after %d", n, d.done)
		case n > d.peer.made:
			d.fail("move %d, the newest is %d", n, d.peer.made)
		case steady && n != d.done+1:
			d.fail("move %d after %d, and all were sent until they arrived", n, d.done)
		case summed && sum != sumAfter(n):
			d.fail("move %d has checksum %d", n, sum)
		}
		d.done = n
	}
	if n := d.moves.Queued(); n > move.Max {
		d.fail("%d moves wait", n)
	}
}

// updateState sends the state of the peer's control object: when the object changes, until it has
// arrived, and now and then.
func (d *testPlayer) updateState() {
	if !d.quiet {
		d.flashSent = float64(d.rng.IntN(3)) / 2
		d.moves.SetFlash(d.flashSent, 0)
	}
	for _, n := range d.objects[:3] {
		if d.quiet || d.rng.IntN(50) == 0 && !d.ghosts.Scoped(n) {
			d.ghosts.Scope(n)
		} else if d.rng.IntN(200) == 0 {
			d.ghosts.Unscope(n)
		}
	}
	if !d.quiet && d.rng.IntN(60) == 0 {
		d.controlled = d.rng.IntN(len(d.objects))
		d.setState(true)
		return
	}
	if d.moves.StateOwed() || d.rng.IntN(6) == 0 {
		d.setState(false)
	} else {
		d.moves.ClearState()
	}
}

// setState sets a state with the stone, the move and the serial number of the state.
func (d *testPlayer) setState(forced bool) {
	d.serial++
	if forced {
		d.forced = d.serial
	}
	w := bitstream.NewWriter(make([]byte, move.MaxControlState/8))
	w.WriteBits(uint64(d.serial), 32)
	w.WriteBits(uint64(d.done), 32)
	w.WriteBits(uint64(d.controlled), 2)
	fill := d.rng.IntN(12) * d.rng.IntN(12)
	for range fill {
		w.WriteBits(uint64(d.serial)&31, 5)
	}
	d.moves.SetState(d.objects[d.controlled], w.Bytes(), w.Pos(), forced)
}

// handleAnswer takes the answer and settles the moves.
func (d *testPlayer) handleAnswer() {
	a, ok := d.moves.Answer()
	if !ok {
		return
	}
	switch {
	case a.Ack < d.acked:
		d.fail("ack %d after %d", a.Ack, d.acked)
	case a.Ack > d.peer.done:
		d.fail("ack %d, the newest done is %d", a.Ack, d.peer.done)
	}
	d.acked, d.flash = a.Ack, a.Flash
	if a.State {
		d.checkState(&a)
	}
	d.moves.Forget(a.Ack)
	if first, _ := d.moves.Pending(); first != a.Ack+1 {
		d.fail("the oldest move is %d after ack %d", first, a.Ack)
	}
}

func (d *testPlayer) checkState(a *move.Answer) {
	r := bitstream.NewReader(a.Bits)
	serial, at, holds := uint32(r.ReadBits(32)), uint32(r.ReadBits(32)), int(r.ReadBits(2))
	for r.Err() == nil && r.Pos() < a.Len {
		if r.ReadBits(5) != uint64(serial)&31 {
			d.fail("state %d is not what it was", serial)
		}
	}
	stone, known := d.known[a.Object]
	switch {
	case serial < d.state: // an owed state can come twice
		d.fail("state %d after %d", serial, d.state)
	case a.At != at || a.At > a.Ack:
		d.fail("state %d is of move %d, and came as of %d with ack %d", serial, at, a.At, a.Ack)
	case (holds == 3) != (a.Object == 0):
		d.fail("state %d is of stone %d, and came as of ghost %x", serial, holds, a.Object)
	case holds != 3 && (!known || stone != uint64(holds)):
		d.fail("state %d is of stone %d, and came as of ghost %x, which is %d", serial, holds, a.Object, stone)
	}
	d.state, d.seenObject = serial, holds
}

func (d *testPlayer) act() {
	if d.changesSends && d.rng.IntN(20) == 0 {
		d.sends = 1 + d.rng.IntN(5)
	}
	if d.quiet || d.moves.Full() {
		return
	}
	d.made++
	if n := d.moves.Push(step(d.made), sumAfter(d.made)); n != d.made {
		d.fail("move %d has number %d", d.made, n)
	}
	if d.rng.IntN(30) == 0 {
		d.first, d.fov = d.rng.IntN(2) == 0, 1+d.rng.IntN(179)
		d.moves.SetView(d.first, d.fov)
	}
}

// settled reports whether all moves of d are acknowledged and d knows its control object.
func (d *testPlayer) settled() bool {
	if !d.makes {
		return true
	}
	_, waiting := d.moves.Pending()
	if first, fov := d.peer.moves.View(); first != d.first || fov != d.fov {
		return false
	}
	return len(waiting) == 0 && d.acked == d.made && !d.peer.moves.StateOwed() && d.state >= d.peer.forced && d.flash == d.peer.flashSent
}

// check compares both sides at the end of a run.
func (d *testPlayer) check() error {
	s := d.moves.Stats()
	if why, ended := d.conn.Closed(); ended {
		return fmt.Errorf("the connection ended: %v", why)
	}
	if d.fault != "" {
		return fmt.Errorf("%s", d.fault)
	}
	if !d.makes {
		return nil
	}
	first, fov := d.peer.moves.View()
	p := d.peer.moves.Stats()
	switch {
	case !d.settled():
		return fmt.Errorf("not settled: %d made, %d acknowledged, state %d of %d", d.made, d.acked, d.state, d.peer.forced)
	case d.peer.forced > 0 && d.seenObject != d.peer.controlled:
		return fmt.Errorf("it controls %d and thinks it controls %d", d.peer.controlled, d.seenObject)
	case d.made < 60:
		return fmt.Errorf("only %d moves were made", d.made)
	case s.Pushed != uint64(d.made) || p.Received+p.Lost != s.Pushed:
		return fmt.Errorf("%d moves made, %d taken and %d lost", s.Pushed, p.Received, p.Lost)
	case first != d.first || fov != d.fov:
		return fmt.Errorf("it looks so: %v %d, and the peer thinks %v %d", d.first, d.fov, first, fov)
	case d.flash != d.peer.flashSent:
		return fmt.Errorf("the flash is %v, and came as %v", d.peer.flashSent, d.flash)
	case d.sends == 0 && p.Lost > 0:
		return fmt.Errorf("%d moves lost", p.Lost)
	}
	return nil
}

// runSeed runs one seed: ten seconds on a bad network, in some seeds with a blackout, then quiet
// until everything is settled.
func runSeed(seed uint64) (hash uint64, err error) {
	r := rand.New(rand.NewPCG(seed, 6))
	cfg := netcore.ConnConfig{
		Check:    r.IntN(4) == 0,
		MaxSend:  netcore.Rate{Packets: 10 + 50*r.Float64(), Size: 200 + r.IntN(1001)},
		PeerRate: netcore.Rate{Packets: 31.25, Size: 100 + r.IntN(1101)},
		Timeout:  5 * time.Minute,
	}
	mutual := r.IntN(3) == 0
	ka, kb := netcoretest.Pairs(seed)
	a := newTestPlayer(seed, there, ka, true, mutual, cfg)
	b := newTestPlayer(seed, here, kb, mutual, true, cfg)
	a.peer, b.peer = b, a
	n := netsim.New(seed)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netsim.RandomLink(r, .5), netsim.RandomLink(r, .5))
	if r.IntN(5) == 0 {
		n.Blackout(5*time.Second, 9*time.Second)
	}
	n.Run(10*time.Second, 32*ms)
	a.quiet, b.quiet = true, true
	n.Link(here, there, netcore.LinkParams{Delay: 20 * ms}, netcore.LinkParams{Delay: 20 * ms})
	n.RunWhile(time.Minute, 32*ms, func() bool { return !a.settled() || !b.settled() })
	for _, d := range []*testPlayer{a, b} {
		if err := d.check(); err != nil {
			return 0, err
		}
	}
	return n.Hash(), nil
}

// Only moves that were made are done, at most once and in order. If each move is sent until it
// arrives, none is lost. Forced states arrive, the newest one last. The same seed gives the same
// run twice.
func TestMovesOverLossyLinks(t *testing.T) {
	for seed := range testenv.Seeds(t, 8, 60) {
		first, err := runSeed(seed)
		require.NoError(t, err, "seed %d", seed)
		if seed%8 == 0 {
			again, err := runSeed(seed)
			require.NoError(t, err, "seed %d", seed)
			assert.Equal(t, first, again, "seed %d", seed)
		}
	}
}
