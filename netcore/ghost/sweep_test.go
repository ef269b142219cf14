package ghost_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
)

const ms = time.Millisecond

var there = netcore.SimAddr(2)

// The classes of the test world. Group 0 of each class begins with the object's serial number.
// Every other group holds its version number. So a client can tell the object and the age of each
// state.
var (
	serialCell  = ghost.Cell{Field: "serial", Bits: 32}
	versionCell = ghost.Cell{Field: "version", Bits: 20, Smooth: true}
	placeCell   = ghost.Cell{Field: "place", Bits: 18, Smooth: true}
	turnCell    = ghost.Cell{Field: "turn", Bits: 10, Smooth: true}

	birdLayout = ghost.NewLayout(3, "Bird", []ghost.CellGroup{
		{Cells: []ghost.Cell{serialCell}},
		{Cells: []ghost.Cell{versionCell, placeCell, placeCell, placeCell}},
		{Cells: []ghost.Cell{versionCell, turnCell}},
		{Cells: []ghost.Cell{{Field: "version", Bits: 20}, {Field: "health", Bits: 6}}},
	})
	signLayout = ghost.NewLayout(700, "Sign", []ghost.CellGroup{
		{Cells: []ghost.Cell{serialCell}},
		{Cells: []ghost.Cell{{Field: "version", Bits: 20}, {Field: "text", Kind: ghost.CellText, Max: 60}}},
		{Cells: []ghost.Cell{{Field: "version", Bits: 20}, {Field: "points at", Kind: ghost.CellRef}}},
	})
	stoneLayout  = ghost.NewLayout(9, "Stone", []ghost.CellGroup{{Cells: []ghost.Cell{serialCell}}})
	flockLayouts = []*ghost.Layout{birdLayout, signLayout, stoneLayout}
)

func testLayout(class uint16) *ghost.Layout {
	for _, l := range flockLayouts {
		if l.ID == class {
			return l
		}
	}
	return nil
}

// testObject is one object of the test world, with all its past states.
type testObject struct {
	serial   uint64
	number   uint32
	layout   *ghost.Layout
	gone     bool
	versions [][]ghost.Values // by group and version; a reference is the serial number of its target
}

func (m *testObject) now(group int) ghost.Values { return m.versions[group][len(m.versions[group])-1] }

// testWorld is a server's world and its connections.
type testWorld struct {
	rng     *rand.Rand
	images  *ghost.Snapshots
	tick    uint32
	members []*testObject // all members ever, by serial-1
	clients []*testClient
	quiet   bool
	last    bool // everything changes once more in the next tick
}

// testClient is a client: both ends of its connection.
type testClient struct {
	world     *testWorld
	addr      netcore.Addr
	near, far *netcore.Conn
	from, to  *ghost.Stream
	wanted    map[uint64]bool
	seen      map[uint32]*clientGhost // by token
	fault     string
	arrivals  int
	tokens    map[uint64]uint32 // serial number to the token of its ghost
}

// clientGhost is one ghost as its client knows it.
type clientGhost struct {
	object  *testObject
	version []int
	values  []ghost.Values
}

func (f *testWorld) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	for _, w := range f.clients {
		if w.addr == from {
			w.near.Receive(now, d)
		}
	}
}

func (f *testWorld) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	for _, w := range f.clients {
		w.near.Send(now, out)
	}
}

func (f *testWorld) Tick(now netcore.Time) {
	for _, w := range f.clients {
		w.near.Tick(now)
	}
	f.tick++
	f.images.Begin(f.tick)
	if !f.quiet {
		f.runTick()
	}
	if f.last {
		f.last = false
		f.changeAll()
	}
}

func (f *testWorld) changeAll() {
	for _, m := range f.alive() {
		for g := range m.layout.Groups {
			f.change(m, g)
		}
	}
}

// runTick runs one tick of the world: it adds, changes and removes objects, and changes scopes.
func (f *testWorld) runTick() {
	if alive := f.alive(); len(alive) < 40 && f.rng.IntN(4) == 0 {
		f.addObject()
	}
	for _, m := range f.alive() {
		if f.rng.IntN(3) == 0 {
			f.change(m, f.rng.IntN(len(m.layout.Groups)))
		}
		if f.rng.IntN(150) == 0 {
			f.removeObject(m)
		}
	}
	for _, w := range f.clients {
		for _, m := range f.alive() {
			if f.rng.IntN(25) == 0 {
				w.toggleScope(m)
			}
		}
	}
}

func (f *testWorld) alive() (list []*testObject) {
	for _, m := range f.members {
		if !m.gone {
			list = append(list, m)
		}
	}
	return list
}

func (f *testWorld) addObject() {
	l := flockLayouts[f.rng.IntN(len(flockLayouts))]
	m := &testObject{serial: uint64(len(f.members) + 1), number: f.images.Add(l), layout: l, versions: make([][]ghost.Values, len(l.Groups))}
	f.members = append(f.members, m)
	for g := range l.Groups {
		f.change(m, g)
	}
	for _, w := range f.clients {
		if f.rng.IntN(2) == 0 {
			w.toggleScope(m)
		}
	}
}

// change gives a group of m its next version. Group 0 has only one version.
func (f *testWorld) change(m *testObject, group int) {
	if group == 0 && len(m.versions[0]) > 0 {
		return
	}
	v := ghost.Values{Cells: make([]uint64, len(m.layout.Groups[group].Cells))}
	before := v.Cells
	if n := len(m.versions[group]); n > 0 {
		before = m.versions[group][n-1].Cells
	}
	for i, c := range m.layout.Groups[group].Cells {
		switch {
		case c.Field == "serial":
			v.Cells[i] = m.serial
		case c.Field == "version":
			v.Cells[i] = uint64(len(m.versions[group]))
		case c.Kind == ghost.CellText:
			v.Texts = []string{fmt.Sprintf("sign %d says %d", m.serial, f.rng.IntN(1000))}
		case c.Kind == ghost.CellRef:
			v.Cells[i] = uint64(f.rng.IntN(len(f.members) + 1))
		case c.Smooth && f.rng.IntN(20) != 0:
			v.Cells[i] = (before[i] + 37 + uint64(f.rng.IntN(5))) & (1<<c.Bits - 1)
		default:
			v.Cells[i] = f.rng.Uint64() & (1<<c.Bits - 1)
		}
	}
	m.versions[group] = append(m.versions[group], v)
	f.show(m, group)
}

// show sets the current snapshot of a group.
func (f *testWorld) show(m *testObject, group int) {
	v := m.now(group)
	if group == 2 && m.layout == signLayout {
		target := uint64(0)
		if s := v.Cells[1]; s > 0 && !f.members[s-1].gone {
			target = uint64(f.members[s-1].number)
		}
		v.Cells = []uint64{v.Cells[0], target}
	}
	f.images.Set(m.number, group, &v)
}

func (f *testWorld) removeObject(m *testObject) {
	m.gone = true
	for _, w := range f.clients {
		w.from.Unscope(m.number)
		delete(w.wanted, m.serial)
	}
	for _, o := range f.alive() { // references to a removed object become none
		if o.layout == signLayout && o.now(2).Cells[1] == m.serial {
			o.versions[2] = append(o.versions[2], ghost.Values{Cells: []uint64{uint64(len(o.versions[2])), 0}})
			f.show(o, 2)
		}
	}
	f.images.Remove(m.number)
}

// toggleScope toggles m in the scope of w.
func (w *testClient) toggleScope(m *testObject) {
	if w.wanted[m.serial] {
		delete(w.wanted, m.serial)
		w.from.Unscope(m.number)
	} else if w.from.Scope(m.number) {
		w.wanted[m.serial] = true
	}
}

func (f *testWorld) watch(seed uint64, addr, home netcore.Addr, cfg netcore.ConnConfig, whole bool) *testClient {
	w := &testClient{world: f, addr: addr, wanted: map[uint64]bool{}, seen: map[uint32]*clientGhost{}, tokens: map[uint64]uint32{}}
	kn, kf := netcoretest.Pairs(seed ^ uint64(addr.Port))
	w.from = ghost.New(ghost.Config{Snapshots: f.images, Check: cfg.Check, NoBaselines: whole})
	w.to = ghost.New(ghost.Config{Layout: testLayout, Check: cfg.Check, Arrived: func() error { w.arrivals++; return nil }})
	w.from.Activate(true)
	cfg.Addr, cfg.Keys, cfg.Seed = addr, kn, seed
	cfg.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{w.from} }
	w.near = netcore.NewConn(0, cfg)
	cfg.Addr, cfg.Keys = home, kf
	cfg.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{w.to} }
	w.far = netcore.NewConn(0, cfg)
	f.clients = append(f.clients, w)
	return w
}

func (w *testClient) Receive(now netcore.Time, _ netcore.Addr, d []byte)    { w.far.Receive(now, d) }
func (w *testClient) Send(now netcore.Time, out func(netcore.Addr, []byte)) { w.far.Send(now, out) }

func (w *testClient) Tick(now netcore.Time) {
	w.far.Tick(now)
	for ; w.arrivals > 0; w.arrivals-- {
		for ch := w.to.Next(); ch != nil; ch = w.to.Next() {
			w.apply(ch)
		}
	}
}

func (w *testClient) fail(format string, args ...any) {
	if w.fault == "" {
		w.fault = fmt.Sprintf(format, args...)
	}
}

func (w *testClient) apply(ch *ghost.Change) {
	switch ch.Kind {
	case ghost.Reset:
		clear(w.seen)
		clear(w.tokens)
		return
	case ghost.Kill:
		s := w.seen[ch.Token]
		if s == nil {
			w.fail("a kill of token %x, which is not here", ch.Token)
			return
		}
		delete(w.seen, ch.Token)
		delete(w.tokens, s.object.serial)
		return
	}
	s := w.seen[ch.Token]
	if ch.Kind == ghost.Create {
		serial := ch.Values(0).Cells[0]
		switch {
		case serial == 0 || serial > uint64(len(w.world.members)):
			w.fail("a ghost of serial %d, which never was", serial)
			return
		case s != nil && s.object.serial != serial:
			w.fail("token %x was %d and became %d", ch.Token, s.object.serial, serial)
			return
		case s == nil && w.tokens[serial] != 0:
			w.fail("a second ghost of %d", serial)
			return
		}
		if s == nil {
			m := w.world.members[serial-1]
			s = &clientGhost{object: m, version: make([]int, len(m.versions)), values: make([]ghost.Values, len(m.versions))}
			w.seen[ch.Token], w.tokens[serial] = s, ch.Token
		}
	}
	if s == nil {
		w.fail("an update of token %x, which is not here", ch.Token)
		return
	}
	for g := range s.object.layout.Groups {
		if ch.Mask>>g&1 != 0 || ch.Kind == ghost.Create {
			w.checkGroup(s, g, ch.Values(g))
		}
	}
}

// checkGroup compares a received group with the object's state at that version.
func (w *testClient) checkGroup(s *clientGhost, group int, v *ghost.Values) {
	s.values[group] = ghost.Values{Cells: slices.Clone(v.Cells), Texts: slices.Clone(v.Texts)}
	if group == 0 {
		return
	}
	version := int(v.Cells[0])
	if version >= len(s.object.versions[group]) {
		w.fail("%s %d, group %d: version %d never was", s.object.layout.Name, s.object.serial, group, version)
		return
	}
	if version < s.version[group] {
		w.fail("%s %d, group %d: went back from version %d to %d", s.object.layout.Name, s.object.serial, group, s.version[group], version)
	}
	s.version[group] = version
	then := s.object.versions[group][version]
	if s.object.layout == signLayout && group == 2 {
		return // the token of a reference depends on the client
	}
	if !slices.Equal(v.Cells, then.Cells) || !slices.Equal(v.Texts, then.Texts) {
		w.fail("%s %d, group %d, version %d: %v %q, not %v %q", s.object.layout.Name, s.object.serial, group, version, v.Cells, v.Texts, then.Cells, then.Texts)
	}
}

// missing describes the first difference between the ghosts of w and its scope. It returns "" if
// there is none.
func (w *testClient) missing() string {
	if len(w.seen) != len(w.wanted) {
		return fmt.Sprintf("%d ghosts, %d wanted", len(w.seen), len(w.wanted))
	}
	for _, m := range w.world.members {
		if !w.wanted[m.serial] {
			continue
		}
		token := w.tokens[m.serial]
		if token == 0 {
			return fmt.Sprintf("no ghost of %d", m.serial)
		}
		s := w.seen[token]
		for g := 1; g < len(m.versions); g++ {
			if s.version[g] != len(m.versions[g])-1 {
				return fmt.Sprintf("%s %d, group %d: version %d of %d", m.layout.Name, m.serial, g, s.version[g], len(m.versions[g])-1)
			}
		}
		if m.layout == signLayout {
			target := m.now(2).Cells[1]
			got := uint32(s.values[2].Cells[1])
			if w.seen[got] == nil {
				got = 0 // the target has left the scope
			}
			if want := w.tokens[target]; got != want {
				return fmt.Sprintf("sign %d points at token %x, not at %x, which is %d", m.serial, got, want, target)
			}
		}
	}
	return ""
}

func (f *testWorld) missing() string {
	for i, w := range f.clients {
		if w.fault != "" {
			return ""
		}
		if m := w.missing(); m != "" {
			return fmt.Sprintf("watcher %d: %s", i, m)
		}
	}
	return ""
}

func (f *testWorld) failure() error {
	for i, w := range f.clients {
		for _, c := range []*netcore.Conn{w.near, w.far} {
			if why, ended := c.Closed(); ended {
				return fmt.Errorf("watcher %d: the connection ended: %v", i, why)
			}
		}
		if w.fault != "" {
			return fmt.Errorf("watcher %d: %s", i, w.fault)
		}
	}
	return nil
}

// flight runs one seed. It runs the world for six seconds with packet loss, for some seeds with a
// blackout, and then without changes until every client has the final state. Then everything
// changes once more on a link without loss, and the clients must receive that within a time limit.
func flight(seed uint64) (hash uint64, err error) {
	r := rand.New(rand.NewPCG(seed, 9))
	f := &testWorld{rng: r, images: ghost.NewSnapshots()}
	n := netsim.New(seed)
	n.Attach(there, f)
	cfg := netcore.ConnConfig{
		Check:    r.IntN(6) == 0,
		PeerRate: netcore.Rate{Packets: []float64{10, 31.25, 62.5}[r.IntN(3)], Size: 200 + r.IntN(1001)},
		Timeout:  5 * time.Minute,
	}
	whole := r.IntN(5) == 0
	healed := netcore.LinkParams{Delay: 20 * ms}
	for i := range 1 + r.IntN(3) {
		addr := netcore.SimAddr(uint16(10 + i))
		w := f.watch(seed, addr, there, cfg, whole)
		n.Attach(addr, w)
		n.Link(addr, there, netsim.RandomLink(r, .6), netsim.RandomLink(r, .6))
	}
	if r.IntN(8) == 0 {
		n.Blackout(2*time.Second, 2*time.Second+time.Duration(r.IntN(10))*time.Second)
	}
	n.Run(6*time.Second, 32*ms)
	if err := f.failure(); err != nil {
		return 0, err
	}
	f.quiet = true
	for _, w := range f.clients {
		n.Link(w.addr, there, healed, healed)
	}
	settled := func() bool { return f.missing() != "" && f.failure() == nil }
	done := n.RunWhile(2*time.Minute, 32*ms, settled)
	if err := f.failure(); err != nil {
		return 0, err
	}
	if !done {
		return 0, fmt.Errorf("not converged: %s", f.missing())
	}
	return n.Hash(), f.lastChange(n, cfg.PeerRate)
}

// lastChange changes every object. The time limit consists of the round-trip time, two packet
// intervals, and the packets that the changes fill.
func (f *testWorld) lastChange(n *netsim.Network, rate netcore.Rate) error {
	n.Run(n.Now()+4*time.Second, 32*ms) // until no packet of the lossy period is in flight
	f.last = true
	interval := netcore.Time(float64(time.Second) / rate.Packets)
	backlog := len(f.alive())*1000/(8*(rate.Size-40)) + 1
	bound := 2*40*ms + 2*max(interval, 32*ms) + netcore.Time(backlog)*max(interval, 32*ms) + 64*ms
	done := n.RunWhile(n.Now()+bound, 32*ms, func() bool { return f.last || f.missing() != "" && f.failure() == nil })
	if err := f.failure(); err != nil {
		return err
	}
	if !done {
		return fmt.Errorf("a last change is not seen within %v: %s", bound, f.missing())
	}
	return nil
}

// TestRandomWorldsOverLossyLinks runs a random world over links with packet loss. A ghost must
// never show a state that its object never had, an older state than before, or the state of another
// object. When the world is at rest and the link is without loss, each client must receive exactly
// the objects in its scope within the time limit. Two runs of a seed must be identical.
func TestRandomWorldsOverLossyLinks(t *testing.T) {
	for seed := range testenv.Seeds(t, 8, 60) {
		first, err := flight(seed)
		require.NoError(t, err, "seed %d", seed)
		if seed%4 == 0 {
			again, err := flight(seed)
			require.NoError(t, err, "seed %d", seed)
			assert.Equal(t, first, again, "seed %d", seed)
		}
	}
}

// TestNoCopiesWithoutLoss checks that a line without loss carries no state twice: on a long line,
// acks are not overdue after the time of a short one.
func TestNoCopiesWithoutLoss(t *testing.T) {
	f := &testWorld{rng: rand.New(rand.NewPCG(1, 9)), images: ghost.NewSnapshots()}
	n := netsim.New(1)
	n.Attach(there, f)
	w := f.watch(1, netcore.SimAddr(10), there, netcore.ConnConfig{PeerRate: netcore.DefaultRate, Timeout: time.Minute}, false)
	n.Attach(w.addr, w)
	line := netcore.LinkParams{Delay: 100 * ms}
	n.Link(w.addr, there, line, line)
	n.Run(2*time.Second, 32*ms)
	f.quiet = true
	for range 10 { // in the pauses, a packet has room for copies
		f.last = true
		n.Run(n.Now()+time.Second, 32*ms)
	}
	require.NoError(t, f.failure())
	require.Empty(t, f.missing())
	assert.Greater(t, w.from.Stats().Updates, uint64(100))
	assert.Zero(t, w.from.Stats().Resends)
}
