package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

var origin = []uint32{100, 200, 300, 40}

// TestChangesOfAPacket checks that Next returns the changes of a packet in order, with their
// values, then nil, and then the changes of the next packet.
func TestChangesOfAPacket(t *testing.T) {
	g := newReceiver()
	assert.Nil(t, g.Next())
	first := ghostPen{head: header{tick: 10}, creates: []penItem{rock(2), player(5, origin, 3), tank(65535)}}
	require.NoError(t, first.read(t, g, 1))
	assert.Equal(t, []uint32{0, 0, 1<<16 | 2, 1<<16 | 5, 1<<16 | 65535}, []uint32{g.FromWire(0), g.FromWire(2), g.FromWire(3), g.FromWire(6), g.FromWire(65536)})
	second := ghostPen{head: header{tick: 11}, kills: []uint32{2}, creates: []penItem{player(5, origin, 0)},
		updates: []penItem{updated(65535, tankClass, 2, handWritten(fields(9, 6)))}}
	require.NoError(t, second.read(t, g, 2))

	team := Values{Cells: []uint64{2, 0}, Texts: []string{"Dave"}}
	cells := func(x ...uint64) Values { return Values{Cells: x} }
	of := func(target uint64) map[int]Values {
		return map[int]Values{0: team, 1: cells(100, 200, 300, 40), 2: cells(9), 3: cells(target), 4: cells(5)}
	}
	raw := *handWritten(fields(9, 6))
	sameChanges(t, []changeCopy{
		{Create, 1<<16 | 2, "Rock", 1, 10, map[int]Values{0: cells(2)}},
		{Create, 1<<16 | 5, "Player", 31, 10, of(1<<16 | 2)},
		{Create, 1<<16 | 65535, "Tank", 3, 10, map[int]Values{0: {}, 1: raw}},
	}, takeChanges(g))
	sameChanges(t, []changeCopy{
		{Kill, 1<<16 | 2, "Rock", 0, 11, nil},
		{Update, 1<<16 | 5, "Player", 31, 11, of(0)},
		{Update, 1<<16 | 65535, "Tank", 2, 11, map[int]Values{1: raw}},
	}, takeChanges(g))
	assert.Nil(t, g.Next())
	assert.Zero(t, g.recv.changes.size)
	assert.Equal(t, uint64(2), g.recv.counts.of(playerClass).Creates)
	assert.Equal(t, uint64(1), g.recv.counts.of(tankClass).Updates)
}

func sameChanges(t *testing.T, want, got []changeCopy) {
	require.Equal(t, len(want), len(got))
	for i := range want {
		assert.Equal(t, len(want[i].values), len(got[i].values))
		for g, v := range want[i].values {
			have := got[i].values[g]
			sameValues(t, &v, &have)
		}
		want[i].values, got[i].values = nil, nil
		assert.Equal(t, want[i], got[i])
	}
}

// TestLongSection checks a section that is too long for the fast path.
func TestLongSection(t *testing.T) {
	x := newReceiverOf400(t, 1<<1)
	pen, want := ghostPen{head: header{tick: 3}}, []uint64{}
	for id := range uint32(400) {
		pen.updates = append(pen.updates, updated(id, playerClass, 1<<1, words([]uint32{id, 2, 3, 4})))
		want = append(want, uint64(id))
	}
	b, _ := pen.bytes(t)
	require.Greater(t, len(b), quickSection+500)
	require.NoError(t, pen.read(t, x.g, 100))
	assert.False(t, x.g.recv.quick)
	var got []uint64
	for _, ch := range takeChanges(x.g) {
		got = append(got, ch.values[1].Cells[0])
	}
	assert.Equal(t, want, got)
}

// TestRepeatedGroups checks that a change tells which smooth groups have the values of the last
// change. A new ghost has no last values, so zeros are new.
func TestRepeatedGroups(t *testing.T) {
	g := newReceiver()
	create := ghostPen{creates: []penItem{created(5, playerClass, &Values{Cells: []uint64{2, 0}, Texts: []string{""}},
		words(make([]uint32, 4)), &Values{Cells: []uint64{0}}, &Values{Cells: []uint64{0}}, words([]uint32{0}))}}
	update := func(x, pitch uint32) ghostPen {
		return ghostPen{updates: []penItem{updated(5, playerClass, 1<<1|1<<4, words([]uint32{x, 0, 0, 0}), words([]uint32{pitch}))}}
	}
	kill := ghostPen{kills: []uint32{5}}
	for i, tt := range []struct {
		pen      ghostPen
		repeated uint32
	}{
		{create, 0}, {create, 1<<1 | 1<<4}, {update(1, 0), 1 << 4}, {update(1, 3), 1 << 1}, {update(1, 3), 1<<1 | 1<<4}, {create, 0},
		{kill, 0}, {create, 0},
	} {
		require.NoError(t, tt.pen.read(t, g, netcore.Seq(i+1)))
		assert.Equal(t, tt.repeated, g.Next().Repeated, "packet %d", i)
		require.Nil(t, g.Next())
	}
}

func TestValuesOfAGroupThatDidNotChange(t *testing.T) {
	g := newReceiver()
	require.NoError(t, (&ghostPen{creates: []penItem{player(5, origin, 0)}}).read(t, g, 1))
	takeChanges(g)
	require.NoError(t, (&ghostPen{updates: []penItem{energy(5, 3)}}).read(t, g, 2))
	ch := g.Next()
	assert.Equal(t, []uint64{3}, ch.Values(2).Cells)
	assert.PanicsWithValue(t, "BUG: a change with groups 0x4 has no group 1", func() { ch.Values(1) })
}

// TestGhostMatrix tries every operation on an id that exists or not, in every way to reach that
// state, also within the same packet. Rows without an error text are legal.
func TestGhostMatrix(t *testing.T) {
	const id = 9
	create := ghostPen{creates: []penItem{player(id, origin, 0)}}
	kill := ghostPen{kills: []uint32{id}}
	reset := header{reset: true, epoch: 1}
	again := header{reset: true, epoch: 2}
	both := [2][]struct {
		name   string
		before []ghostPen
	}{
		{{"never there", nil}, {"killed", []ghostPen{create, kill}}, {"forgotten", []ghostPen{create, {head: reset}}},
			{"reset told twice", []ghostPen{create, {head: reset}, {head: reset}}}},
		{{"live", []ghostPen{create}}, {"created twice", []ghostPen{create, create}}, {"another", []ghostPen{create, kill, create}},
			{"of this epoch", []ghostPen{create, {head: reset, creates: create.creates}, {head: reset}}}},
	}
	const absent, twice = "unknown ghost 9", "ghost 9 occurs twice in a packet"
	player, update := create.creates, []penItem{energy(id, 5)}
	for _, op := range []struct {
		name         string
		pen          ghostPen
		absent, live string
	}{
		{"create", create, "", ""},
		{"update", ghostPen{updates: update}, "update of " + absent, ""},
		{"kill", kill, "kill of " + absent, ""},
		{"create of another class", ghostPen{creates: []penItem{rock(id)}}, "", "create of ghost 9 as Rock, but it is a Player"},
		{"kill, create", ghostPen{kills: kill.kills, creates: player}, "kill of " + absent, twice},
		{"kill, update", ghostPen{kills: kill.kills, updates: update}, "kill of " + absent, "update of " + absent},
		{"create, update", ghostPen{creates: player, updates: update}, twice, twice},
		{"reset, create", ghostPen{head: again, creates: player}, "", ""},
		{"reset, update", ghostPen{head: again, updates: update}, "update of " + absent, "update of " + absent},
		{"reset, kill", ghostPen{head: again, kills: kill.kills}, "kill of " + absent, "kill of " + absent},
		{"update of the next id", ghostPen{updates: []penItem{energy(id+1, 5)}},
			"update of unknown ghost 10", "update of unknown ghost 10"},
	} {
		for i, want := range []string{op.absent, op.live} {
			for _, state := range both[i] {
				t.Run(op.name+" of one "+state.name, func(t *testing.T) {
					g := newReceiver()
					seq := netcore.Seq(1)
					for ; len(state.before) > 0; state.before = state.before[1:] {
						require.NoError(t, state.before[0].read(t, g, seq))
						seq++
					}
					err := op.pen.read(t, g, seq)
					if want != "" {
						require.Equal(t, netcore.Reason{Code: netcore.Violation, Text: want}, err)
						return
					}
					require.NoError(t, err)
				})
			}
		}
	}
}

// TestBadGhostSections checks that each section that breaks a rule ends the connection with the
// right reason.
func TestBadGhostSections(t *testing.T) {
	item := func(id uint32, body func(s *bitstream.Codec)) []penItem { return []penItem{{id, body}} }
	wide := func(n int, v uint64) func(s *bitstream.Codec) { return func(s *bitstream.Codec) { s.Bits(&v, n) } }
	for _, row := range []struct {
		name string
		pen  ghostPen
		want string
	}{
		{"unknown class", ghostPen{creates: item(9, wide(10, 8))}, "protocol violation: create of ghost 9 with unknown class 8"},
		{"empty mask", ghostPen{updates: item(5, wide(4, 0))}, "protocol violation: class Player has no groups 0x0 to update"},
		{"nothing to update", ghostPen{updates: item(2, wide(4, 15))}, "protocol violation: class Rock has no groups 0x0 to update"},
		{"never a base", ghostPen{head: header{based: true, back: 1, tick: 20}, base: 20}, "protocol violation: ghosts: no valid base 1 packets back"},
		{"before the beginning", ghostPen{head: header{based: true, back: 255, tick: 20}, base: 20}, "protocol violation: ghosts: no valid base 255 packets back"},
		{"an older base", ghostPen{head: header{based: true, back: 99, tick: 20}, base: 10}, "protocol violation: ghosts with base packet 1 after base packet 2"},
		{"an older tick", ghostPen{head: header{tick: 10}}, "protocol violation: ghosts of tick 10 after tick 11"},
		{"text too long", ghostPen{creates: []penItem{created(9, playerClass,
			&Values{Cells: []uint64{2, 0}, Texts: []string{"123456789012345678901"}})}}, "bad packet: ghosts: bitstream: value out of range"},
		{"cut short", ghostPen{creates: item(9, wide(10, playerClass))}, "bad packet: ghosts: bitstream: read past the end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := newReceiver()
			for i, pen := range []ghostPen{
				{head: header{tick: 10}, creates: []penItem{rock(2), player(5, origin, 3)}},
				{head: header{tick: 10}},
				{head: header{based: true, back: 96, tick: 11}, base: 10},
			} {
				require.NoError(t, pen.read(t, g, []netcore.Seq{1, 2, 98}[i]))
			}
			if row.pen.head.tick == 0 {
				row.pen.head.tick = 20
			}
			b := longTexts(t, &row.pen)
			_, err := g.recv.unpack(bitstream.NewReader(b), 100)
			require.EqualError(t, err, row.want)
			require.IsType(t, netcore.Reason{}, err)
		})
	}
	err := New(Config{}).Unpack(bitstream.NewReader([]byte{1, 0, 0, 0}), netcore.Incoming{Seq: 1})
	assert.Equal(t, netcore.Reason{Code: netcore.Violation, Text: "unexpected ghosts: this side accepts none"}, err)
}

// TestBadBases checks that only a received packet with an active section can be a base.
func TestBadBases(t *testing.T) {
	for _, row := range []struct {
		seq  netcore.Seq
		back uint8
		good bool
	}{{301, 1, true}, {512, 212, true}, {302, 1, false}, {512, 211, false}, {512, 255, false}, {303, 47, false}, {304, 1, false}} {
		g := newReceiver()
		plain := ghostPen{head: header{tick: 5}}
		require.NoError(t, plain.read(t, g, 1))
		require.NoError(t, plain.read(t, g, 300))
		err := (&ghostPen{head: header{based: true, back: row.back, tick: 5}, base: 5}).read(t, g, row.seq)
		assert.Equal(t, row.good, err == nil, "%d before %d: %v", row.back, row.seq, err)
	}
	err := (&ghostPen{head: header{based: true, back: 3}}).read(t, newReceiver(), 3)
	assert.ErrorContains(t, err, "no valid base 3 packets back", "there is no packet 0")
}

// longTexts writes a section with a class that allows longer texts.
func longTexts(t *testing.T, p *ghostPen) []byte {
	l := penLayouts[playerClass]
	cells := l.Groups[0].Cells
	cells[1].Max = 99
	defer func() { cells[1].Max = 20 }()
	b, _ := p.bytes(t)
	return b
}

// TestHugeCounts checks that a huge count allocates no memory, and that no gap leads to an id
// beyond the last.
func TestHugeCounts(t *testing.T) {
	for _, row := range []struct {
		name  string
		count uint64
		rest  func(w *bitstream.Writer)
		want  string
	}{
		{"more than there are", 1<<16 + 2, func(*bitstream.Writer) {}, "65537 ghosts in a list: too many"},
		{"any number", 1<<64 - 1, func(*bitstream.Writer) {}, "18446744073709551614 ghosts in a list: too many"},
		{"all of them, and nothing more", 1<<16 + 1, func(w *bitstream.Writer) { w.WriteBits(0, 4) }, "unknown ghost"},
		{"past the last", 3, func(w *bitstream.Writer) {
			w.WriteBits(15, 4)
			w.WriteBits(1<<1, 2) // a gap of at least 32768
			w.WriteBits(1<<15-1, 15)
			w.WriteBits(0, 10)
		}, "unknown ghost"},
		{"far past the last", 3, func(w *bitstream.Writer) {
			w.WriteBits(15, 4)
			w.WriteBits(1<<40-1, 41)
			w.WriteBits(1<<15-1, 15)
		}, "ghost id 1343487: must be at most 65535"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := bitstream.NewWriter(make([]byte, 200))
			(&header{}).codeLead(&w.Codec, at(0))
			w.Gamma(&row.count)
			row.rest(w)
			require.NoError(t, w.Err())
			g := newReceiver()
			taken := testing.AllocsPerRun(20, func() {
				_, err := g.recv.unpack(bitstream.NewReader(w.Bytes()), 1)
				require.ErrorContains(t, err, row.want)
			})
			assert.LessOrEqual(t, taken, 40.0)
			assert.Empty(t, g.recv.ghosts.pages)
		})
	}
}

// TestTruncatedGhosts checks that a section truncated at any bit is an error and yields no changes.
func TestTruncatedGhosts(t *testing.T) {
	before := ghostPen{head: header{tick: 3}, creates: []penItem{player(5, origin, 0), tank(6), rock(7)}}
	pen := ghostPen{
		head: header{tick: 4, reset: true}, kills: []uint32{7}, creates: []penItem{rock(1), player(8, origin, 6)},
		updates: []penItem{updated(5, playerClass, 30, words(origin), words([]uint32{1}), words([]uint32{7}), words([]uint32{2})),
			updated(6, tankClass, 2, handWritten(fields(9, 6)))},
	}
	b, bits := pen.bytes(t)
	for cut := range bits + 1 {
		g := newReceiver()
		require.NoError(t, before.read(t, g, 1))
		takeChanges(g)
		r := bitstream.NewReader(append(make([]byte, 0, 200), b...))
		short := bitstream.NewWriter(make([]byte, 200))
		short.Splice(b, 0, cut)
		pad := 8*len(short.Bytes()) - cut // the reader takes the padding bits for data
		if pad >= bits-cut {
			continue
		}
		r.Reset(short.Bytes())
		changed, err := g.recv.unpack(r, 2)
		require.Error(t, err, "%d of %d bits", cut, bits)
		require.False(t, changed)
		require.Nil(t, g.Next())
	}
	g := newReceiver()
	require.NoError(t, before.read(t, g, 1))
	require.NoError(t, pen.read(t, g, 2))
}

// TestReferences checks references to an existing ghost, to a missing one, to the ghost itself, and
// to one created later in the packet.
func TestReferences(t *testing.T) {
	g := newReceiver()
	pen := ghostPen{kills: nil, creates: []penItem{rock(1), player(5, origin, 2), player(6, origin, 7), player(7, origin, 9), player(8, origin, 65536)}}
	require.NoError(t, pen.read(t, g, 1))
	var targets []uint64
	for _, n := range takeChanges(g)[1:] {
		targets = append(targets, n.values[3].Cells[0])
	}
	assert.Equal(t, []uint64{1<<16 | 1, 1<<16 | 6, 0, 0}, targets)
	pen = ghostPen{kills: []uint32{1}, updates: []penItem{updated(5, playerClass, 8, &Values{Cells: []uint64{2}})}}
	require.NoError(t, pen.read(t, g, 2))
	assert.Zero(t, takeChanges(g)[1].values[3].Cells[0], "killed by the same packet")
}

// TestTokensOfReusedIDs checks that a token is valid only until the next kill of its id. After
// 65,535 creates of an id the tokens repeat. A token is never 0.
func TestTokensOfReusedIDs(t *testing.T) {
	g := newReceiver()
	live := ghostPen{creates: []penItem{rock(4)}}
	dead := ghostPen{kills: []uint32{4}}
	seq := netcore.Seq(0)
	for life := range 65537 {
		seq += 2
		if life < 3 || life > 65533 {
			require.NoError(t, live.read(t, g, seq))
			token := uint32(life%65535+1)<<16 | 4
			require.Equal(t, token, g.FromWire(5))
			require.Equal(t, token, takeChanges(g)[0].token)
			require.NoError(t, live.read(t, g, seq+1), "the same once more")
			require.Equal(t, token, g.FromWire(5))
			require.Equal(t, token, takeChanges(g)[0].token)
			seq += 2
			require.NoError(t, dead.read(t, g, seq))
			require.Equal(t, token, takeChanges(g)[0].token)
			require.Zero(t, g.FromWire(5))
			continue
		}
		place := g.recv.ghosts.place(4)
		g.recv.ghosts.create(place, penLayouts[rockClass], 1)
		g.recv.ghosts.drop(place)
	}
	require.NoError(t, live.read(t, g, seq+1))
	before := g.FromWire(5)
	require.NoError(t, (&ghostPen{head: header{reset: true, epoch: 9}, creates: live.creates}).read(t, g, seq+2))
	assert.NotEqual(t, before, g.FromWire(5), "an id that was forgotten goes on counting")
	assert.Equal(t, 1, g.recv.ghosts.live)
}

// TestEpochs checks that each new epoch clears the table once, with or without lists in the
// section, and that the changes report it.
func TestEpochs(t *testing.T) {
	g := newReceiver()
	kinds := func(pen ghostPen, seq netcore.Seq) (kinds []ChangeKind) {
		require.NoError(t, pen.read(t, g, seq))
		for _, n := range takeChanges(g) {
			kinds = append(kinds, n.kind)
		}
		return kinds
	}
	reset := func(epoch uint8) header { return header{reset: true, epoch: epoch} }
	all := []penItem{rock(0), rock(64), rock(65535)}
	assert.Equal(t, []ChangeKind{Create, Create, Create}, kinds(ghostPen{head: reset(0), creates: all}, 1), "the epoch it began with")
	assert.Equal(t, []ChangeKind{Reset, Create}, kinds(ghostPen{head: reset(255), creates: all[:1]}, 2))
	assert.Zero(t, g.FromWire(65))
	assert.Zero(t, g.FromWire(65536))
	assert.Equal(t, []ChangeKind{Update, Create}, kinds(ghostPen{head: reset(255), creates: all[:2]}, 3), "told once more")
	assert.Equal(t, []ChangeKind{Reset}, kinds(ghostPen{head: reset(0)}, 4))
	assert.Zero(t, g.recv.ghosts.live)
	assert.Zero(t, g.recv.kept())
}

// TestManyPacketsReuseMemory: the packets of a tick of a fast line use the memory of those of the
// tick before.
func TestManyPacketsReuseMemory(t *testing.T) {
	g := newReceiver()
	pen := ghostPen{}
	for id := range uint32(100) {
		pen.creates = append(pen.creates, rock(id))
	}
	b, _ := pen.bytes(t)
	r, seq := bitstream.NewReader(b), netcore.Seq(0)
	assert.Zero(t, testing.AllocsPerRun(5, func() {
		for range 160 {
			seq++
			r.Reset(b)
			_, _ = g.recv.unpack(r, seq)
		}
		for len(g.recv.changes.waiting) > 0 {
			g.Next()
		}
	}))
}

// TestChangesBlockTheStream: a stream whose changes nobody takes becomes blocked. When some are
// taken, it is not.
func TestChangesBlockTheStream(t *testing.T) {
	g := newReceiver()
	pen := ghostPen{}
	for id := range uint32(100) {
		pen.creates = append(pen.creates, rock(id))
	}
	b, _ := pen.bytes(t)
	packets := 0
	for ; !g.Blocked(); packets++ {
		_, err := g.recv.unpack(bitstream.NewReader(b), netcore.Seq(packets+1))
		require.NoError(t, err)
		require.Less(t, packets, 1<<14)
	}
	assert.Less(t, g.recv.changes.size, changeBytes+changeBytes/100, "at most one packet more")
	assert.Greater(t, packets, 1000)
	for range packets {
		taken := 0
		for g.Next() != nil {
			taken++
		}
		if taken != 100 || g.Blocked() {
			require.Equal(t, 100, taken)
			require.False(t, g.Blocked())
		}
	}
	assert.Zero(t, g.recv.changes.size)
	assert.LessOrEqual(t, g.recv.changes.kept, spareBytes)
	assert.Greater(t, g.recv.changes.kept, spareBytes*9/10)
	kept := 0
	for _, b := range g.recv.changes.spare {
		kept += b.most
	}
	assert.Equal(t, kept, g.recv.changes.kept)
}

// TestReusedMemoryCounts alternates packets of many changes with small ones that stay for
// baselines. The small ones reuse the memory of the large ones, and the bound counts that memory.
func TestReusedMemoryCounts(t *testing.T) {
	const ghosts, part = 2600, 650
	l := NewLayout(1, "Flag", []CellGroup{{}, {Cells: []Cell{{Field: "on", Bits: 1}}}, {Cells: smoothCells("x", 1, 1)}})
	g := New(Config{Layout: func(uint16) *Layout { return l }})
	var seq netcore.Seq
	read := func(pen *ghostPen, times int) (err error) {
		b, _ := pen.bytes(t)
		for range times {
			seq++
			if _, err := g.recv.unpack(bitstream.NewReader(b), seq); err != nil {
				return err
			}
		}
		for len(g.recv.changes.waiting) > 0 {
			g.Next()
		}
		return nil
	}
	update := func(id, mask uint32) penItem {
		return penItem{id, func(s *bitstream.Codec) {
			m, v := mask, uint64(1)
			l.codeMask(s, &m)
			s.Bits(&v, 1)
		}}
	}
	large := ghostPen{head: header{tick: 1}}
	for first := uint32(0); first < ghosts; first += part {
		creates := ghostPen{head: header{tick: 1}}
		for id := first; id < first+part; id++ {
			creates.creates = append(creates.creates, penItem{id, func(s *bitstream.Codec) {
				class, v := uint32(1), uint64(0)
				s.Uint(&class, classBits)
				s.Bits(&v, 2)
			}})
			large.updates = append(large.updates, update(id, 1<<1))
		}
		require.NoError(t, read(&creates, 1))
	}
	small := ghostPen{head: header{tick: 1}, updates: []penItem{update(5, 1<<2)}}
	var err error
	for rounds := 0; err == nil; rounds++ {
		require.Less(t, rounds, 300, "the receiver keeps about 1.6 MB more in each round")
		if err = read(&large, 8); err == nil {
			err = read(&small, 8)
		}
	}
	assert.EqualError(t, err, "overflow: too many bytes of ghost baselines")
}
