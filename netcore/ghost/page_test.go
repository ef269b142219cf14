package ghost

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// pageReader reads ghost sections by the rules of PROTOCOL.md alone. Of the code it uses only
// single bits: no codes, no plans and no tables. It knows classes of numbers.
type pageReader struct {
	t      testing.TB
	r      *bitstream.Reader
	layout func(class uint64) *Layout
	ticks  map[uint64]uint64 // of the packets with an active section, by number
	ghosts map[uint64]*pageGhost
	epoch  uint64
}

// pageGhost is a ghost with the values of each group, by arrival.
type pageGhost struct {
	layout *Layout
	groups [][]pageArrival
}

type pageArrival struct {
	packet, tick uint64
	values       []uint64
}

// pageUpdate names the groups of a ghost that a section carried.
type pageUpdate struct {
	id, mask uint64
	relative bool
}

func (p *pageReader) bits(n int) (v uint64) {
	for i := range n {
		if p.r.ReadFlag() {
			v |= 1 << i
		}
	}
	return v
}

// gamma, rice and golomb are the codes of PROTOCOL.md.
func (p *pageReader) gamma() uint64 { return p.golomb(0) + 1 }

func (p *pageReader) rice(k int) (v uint64) {
	for p.r.ReadFlag() {
		v++
	}
	return v<<k | p.bits(k)
}

func (p *pageReader) golomb(order int) uint64 {
	high := order
	for !p.r.ReadFlag() {
		high++
		require.Less(p.t, high, 64, "zeros of a code")
	}
	return 1<<high | p.bits(high) - 1<<order
}

// section reads the section of a packet, and returns the updates in it.
func (p *pageReader) section(packet uint64) (updates []pageUpdate) {
	if p.bits(1) == 0 {
		return nil
	}
	if p.bits(1) == 1 {
		if epoch := p.bits(8); epoch != p.epoch {
			p.epoch, p.ghosts = epoch, map[uint64]*pageGhost{}
		}
	}
	tick, base := uint64(0), uint64(0)
	if p.bits(1) == 0 {
		tick = p.bits(32)
	} else {
		base = packet - p.bits(8)
		require.Contains(p.t, p.ticks, base)
		tick = p.ticks[base] + p.gamma() - 1
	}
	oldest := uint64(60) << p.bits(3)
	p.ticks[packet] = tick
	p.list(func(id uint64) {
		require.Contains(p.t, p.ghosts, id)
		delete(p.ghosts, id)
	}, nil)
	p.list(func(id uint64) {
		g := &pageGhost{layout: p.layout(p.bits(10))}
		if old := p.ghosts[id]; old != nil {
			g = old // its values stay baselines
		} else {
			g.groups = make([][]pageArrival, len(g.layout.Groups))
		}
		p.ghosts[id] = g
		for i := range g.groups {
			p.whole(g, i, packet, tick)
		}
	}, nil)
	if base != 0 && packet-base > 60 && tick-p.ticks[base] > 60 {
		base = 0 // far
	}
	usual := uint64(0)
	p.list(func(id uint64) {
		u := p.update(id, packet, tick, base, oldest, usual)
		updates = append(updates, u)
	}, func() { usual = 2 * (p.gamma() - 1) })
	return updates
}

// list reads a list. lead reads what stands before the items.
func (p *pageReader) list(item func(id uint64), lead func()) {
	n := p.gamma() - 1
	if n == 0 {
		return
	}
	k := int(p.bits(4))
	if lead != nil {
		lead()
	}
	id := ^uint64(0) // -1
	for range n {
		id += p.rice(k) + 1
		item(id)
	}
}

func (p *pageReader) whole(g *pageGhost, group int, packet, tick uint64) {
	a := pageArrival{packet: packet, tick: tick}
	for _, c := range g.layout.Groups[group].Cells {
		a.values = append(a.values, p.bits(c.Bits))
	}
	g.groups[group] = append(g.groups[group], a)
}

func (p *pageReader) mask(groups int, usual uint64) uint64 {
	if usual != 0 && p.bits(1) == 1 {
		return usual
	}
	if groups <= 4 || p.bits(1) == 0 {
		return p.bits(groups) << 1
	}
	width := 0
	for 1<<width < groups {
		width++
	}
	return 2 << p.bits(width)
}

func (p *pageReader) update(id, packet, tick, base, oldest, usual uint64) pageUpdate {
	g := p.ghosts[id]
	require.NotNil(p.t, g, "ghost %d", id)
	u := pageUpdate{id: id, mask: p.mask(len(g.layout.Groups)-1, usual)}
	lines, any := make([][]pageArrival, len(g.groups)), false
	for i := range g.groups {
		if u.mask>>i&1 != 0 && smoothByThePage(g.layout.Groups[i].Cells) {
			lines[i] = baselineByThePage(g.groups[i], tick, base, oldest)
			any = any || len(lines[i]) > 0
		}
	}
	u.relative = any && p.bits(1) == 1
	for i := range g.groups {
		switch {
		case u.mask>>i&1 == 0:
		case u.relative && len(lines[i]) > 0:
			p.residuals(g, i, packet, tick, lines[i])
		default:
			p.whole(g, i, packet, tick)
		}
	}
	return u
}

func smoothByThePage(cells []Cell) bool {
	for _, c := range cells {
		if !c.Smooth {
			return false
		}
	}
	return len(cells) > 0
}

// baselineByThePage returns up to two arrivals, the newest first.
func baselineByThePage(arrivals []pageArrival, tick, base, oldest uint64) (line []pageArrival) {
	if base == 0 {
		return nil
	}
	for i := len(arrivals) - 1; i >= 0 && len(line) < 2; i-- {
		if a := arrivals[i]; a.packet <= base {
			if tick-a.tick > oldest {
				break
			}
			line = append(line, a)
		}
	}
	return line
}

// residuals reads a relative group: first the cells without a rate, then the others.
func (p *pageReader) residuals(g *pageGhost, group int, packet, tick uint64, line []pageArrival) {
	cells, newer := g.layout.Groups[group].Cells, line[0]
	since, span := tick-newer.tick, uint64(0)
	if len(line) == 2 {
		span = newer.tick - line[1].tick
	}
	order := 0
	for order < 3 && since > span<<(order+1) {
		order++
	}
	a := pageArrival{packet: packet, tick: tick, values: make([]uint64, len(cells))}
	for _, rated := range []bool{false, true} {
		for i, c := range cells {
			if (c.Rate != nil) != rated {
				continue
			}
			move := new(big.Int)
			switch signed := func(v uint64) *big.Int { return big.NewInt(int64(v<<(64-c.Bits)) >> (64 - c.Bits)) }; {
			case rated:
				zero := big.NewInt(int64(c.Rate.Zero))
				now := new(big.Int).Sub(new(big.Int).SetUint64(a.values[c.Rate.Cell]), zero)
				then := new(big.Int).Sub(new(big.Int).SetUint64(newer.values[c.Rate.Cell]), zero)
				now.Mul(now, big.NewInt(int64(since)+1))
				then.Mul(then, big.NewInt(int64(since)-1))
				move.Mul(now.Add(now, then), big.NewInt(int64(c.Rate.Scale)))
				move.Rsh(move, 21) // rounds down
			case span > 0:
				move.Mul(signed(newer.values[i]-line[1].values[i]), big.NewInt(int64(since)))
				move.Quo(move, big.NewInt(int64(span))) // rounds toward zero
			}
			folded := p.golomb(order)
			residual := int64(folded >> 1)
			if folded&1 != 0 {
				residual = -residual - 1
			}
			move.Add(move, big.NewInt(residual))
			move.Add(move, new(big.Int).SetUint64(newer.values[i]))
			a.values[i] = move.And(move, new(big.Int).SetUint64(1<<c.Bits-1)).Uint64()
		}
	}
	g.groups[group] = append(g.groups[group], a)
}

// TestSectionsByThePage sends random objects over a line with losses, and reads what arrives by the
// rules of PROTOCOL.md. Each group has the values that the sender had.
func TestSectionsByThePage(t *testing.T) {
	relative, whole := 0, 0
	for seed := range testenv.Seeds(t, 5, 300) {
		r := rand.New(rand.NewPCG(seed, 61))
		images, l := NewSnapshots(), drawNumbers(r)
		images.Begin(1)
		g := New(Config{Snapshots: images})
		g.Activate(true)
		page := &pageReader{t: t, layout: func(uint64) *Layout { return l }, ticks: map[uint64]uint64{}, ghosts: map[uint64]*pageGhost{}}
		objs, values := make([]uint32, 1+r.IntN(100)), make([][]Values, 100)
		for i := range objs {
			objs[i] = images.Add(l)
			for _, group := range l.Groups {
				values[i] = append(values[i], Values{Cells: make([]uint64, len(group.Cells))})
			}
			g.Scope(objs[i])
		}
		fates := map[netcore.Seq]bool{}
		loss, delay, size := r.IntN(30), netcore.Seq(1+r.IntN(6)), 60+r.IntN(1200)
		for seq := netcore.Seq(1); seq <= 80; seq++ {
			images.Begin(images.Tick() + 1 + uint32(r.IntN(2)))
			for i, obj := range objs {
				if r.IntN(3) > 0 {
					changeRandomly(r, images, obj, values[i])
				}
			}
			w := bitstream.NewWriter(make([]byte, size))
			active, lost := g.Pack(w, netcore.Outgoing{Seq: seq}), r.IntN(100) < loss
			requireHot(t, g)
			if active && !lost {
				page.r = bitstream.NewReader(w.Bytes())
				for _, u := range page.section(uint64(seq)) {
					obj := g.table.obj[u.id]
					for i := range l.Groups {
						if u.mask>>i&1 == 0 {
							continue
						}
						arrivals := page.ghosts[u.id].groups[i]
						want := images.objects[obj].values(i, new(Values)).Cells
						require.Equal(t, want, arrivals[len(arrivals)-1].values, "seed %d, packet %d, ghost %d, group %d", seed, seq, u.id, i)
					}
					if u.relative {
						relative++
					} else {
						whole++
					}
				}
				require.NoError(t, page.r.Err())
				require.Equal(t, w.Pos(), page.r.Pos())
			}
			fates[seq] = !lost
			if seq > delay {
				g.Notify(seq-delay, fates[seq-delay])
			}
		}
	}
	require.Greater(t, min(relative, whole), 1000)
}
