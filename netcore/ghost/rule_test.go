package ghost

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// A literal implementation of the rule in the Tribes paper. Every ghost has a mask of the state
// that its peer lacks. A change sets bits in the mask. Packing clears the written bits and records
// them with the packet. A lost packet sets the bits again that no later packet carries. The stream
// derives its masks instead, and they must always be equal to these.

type paperGhost struct {
	obj     uint32
	state   Status
	mask    uint32
	held    uint32
	leaving bool // left the scope while its create was in flight
}

type paperRecord struct {
	id   uint16
	mask uint32
	kill bool
}

type paperPacket struct {
	seq     netcore.Seq
	records []paperRecord
}

type paperModel struct {
	r      *ghostRig
	ghosts []paperGhost
	flight []paperPacket
	most   int
}

func (p *paperModel) find(obj uint32) *paperGhost {
	for i := range p.ghosts {
		if g := &p.ghosts[i]; g.obj == obj && !g.leaving && g.state >= Unsent && g.state <= Live {
			return g
		}
	}
	return nil
}

func (p *paperModel) all(obj uint32) uint32 { return p.r.images.Layout(obj).all() }

func (p *paperModel) change(obj uint32, groups uint32) {
	if g := p.find(obj); g != nil {
		g.mask |= groups & p.all(obj)
	}
}

func (p *paperModel) scope(obj uint32) bool {
	if p.find(obj) != nil {
		return true
	}
	fresh := paperGhost{obj: obj, state: Unsent, mask: p.all(obj)}
	for i := range p.ghosts {
		if p.ghosts[i].state == Free {
			p.ghosts[i] = fresh
			return true
		}
	}
	if len(p.ghosts) == p.most {
		return false
	}
	p.ghosts = append(p.ghosts, fresh)
	return true
}

func (p *paperModel) unscope(obj uint32) {
	g := p.find(obj)
	switch {
	case g == nil:
	case g.state == Unsent:
		*g = paperGhost{}
	case g.state == Creating:
		g.leaving = true
	default:
		g.state = Dying
	}
}

// sent accepts the stream's choice of ghosts for a packet, and checks the mask of each.
func (p *paperModel) sent(s *sentPacket) {
	packet, updates := paperPacket{seq: s.seq}, 0
	for i := range s.bodies {
		b := &s.bodies[i]
		g := &p.ghosts[b.id]
		where := fmt.Sprintf("packet %d, ghost %d, %v", s.seq, b.id, *g)
		r := paperRecord{id: b.id}
		switch may := g.mask &^ g.held; {
		case g.state == Dying:
			require.Equal(p.r.t, kindKill, b.kind, where)
			g.state, r.kill = Dead, true
		case g.state == Unsent, (g.state == Creating && !g.leaving || g.state == Live && may&1 != 0) && may != 0:
			require.Equal(p.r.t, kindCreate, b.kind, where)
			r.mask = p.all(g.obj) &^ g.held
			if g.state == Unsent {
				g.state = Creating
			}
		default:
			require.Equal(p.r.t, Live, g.state, where)
			require.Equal(p.r.t, kindUpdate, b.kind, where)
			require.NotZero(p.r.t, may, where)
			r.mask = may
			if light := p.r.images.recent[g.obj].light; completes(may, p.r.from.packet.header.usual, light) && b.mask == p.r.from.packet.header.usual {
				r.mask = b.mask // light groups besides
			}
			if updates++; updates == 1 && b.mask&may != 0 && b.mask&(b.mask-1) == 0 {
				r.mask = b.mask // too large for the packet: one group of it
			}
		}
		require.Equal(p.r.t, r.mask, b.mask, where)
		g.mask &^= r.mask
		packet.records = append(packet.records, r)
	}
	p.flight = append(p.flight, packet)
}

func (p *paperModel) notify(seq netcore.Seq, delivered bool) {
	packet := p.flight[0]
	p.flight = p.flight[1:]
	require.Equal(p.r.t, packet.seq, seq)
	for _, r := range packet.records {
		g := &p.ghosts[r.id]
		switch {
		case delivered && r.kill:
			*g = paperGhost{}
		case delivered:
			if r.mask&1 != 0 && g.state == Creating {
				g.state = Live
				if g.leaving {
					g.state, g.leaving = Dying, false
				} else {
					p.resolved(g.obj)
				}
			}
		case r.kill:
			g.state = Dying
		default:
			p.lose(g, r)
		}
	}
}

func (p *paperModel) lose(g *paperGhost, r paperRecord) {
	lost := r.mask
	for _, later := range p.flight {
		for _, r2 := range later.records {
			if r2.id == r.id {
				lost &^= r2.mask
			}
		}
	}
	switch {
	case g.state == Dying || g.state == Dead:
	case g.state == Creating && lost&1 != 0:
		if g.leaving {
			*g = paperGhost{}
			return
		}
		g.state, g.mask = Unsent, p.all(g.obj)
	case !g.leaving:
		g.mask |= lost
	}
}

// resolved marks every group with a reference to an object.
func (p *paperModel) resolved(target uint32) {
	for i := range p.ghosts {
		g := &p.ghosts[i]
		if p.find(g.obj) != g {
			continue
		}
		o := &p.r.images.objects[g.obj]
		for k := range o.plan.groups {
			for j, c := range o.plan.layout.Groups[k].Cells {
				if c.Kind == CellRef && o.values(k, new(Values)).Cells[j] == uint64(target) {
					g.mask |= 1 << k
				}
			}
		}
	}
}

// compare checks every state and mask of the stream against the paper's.
func (p *paperModel) compare() {
	t, n := &p.r.from.table, 0
	for id := range p.ghosts {
		g := &p.ghosts[id]
		if g.state == Free {
			if id < t.rows() && t.state[id] != Free {
				require.Fail(p.r.t, "state", "ghost %d is %v, should be free", id, t.state[id])
			}
			continue
		}
		n++
		if t.state[id] != g.state {
			require.Equal(p.r.t, g.state, t.state[id], "state of ghost %d", id)
		}
		if g.state >= Dying || g.leaving {
			continue
		}
		if got := p.r.from.pending(id); t.obj[id] != g.obj || got != g.mask {
			require.Fail(p.r.t, "masks differ", "ghost %d (%v), object %d: %b, the paper has object %d: %b", id, g.state, t.obj[id], got, g.obj, g.mask)
		}
	}
	require.Equal(p.r.t, n, p.r.from.Len())
}

// ruleRun drives the stream and the paper's rule with the same random operations.
type ruleRun struct {
	*paperModel
	rng     *rand.Rand
	objects []uint32
	layouts []*Layout
	loss    float64
	step    int
	fates   []fate // that the stream has not applied yet, as far as the model knows
}

func newRuleRun(t testing.TB, seed uint64) *ruleRun {
	rng := rand.New(rand.NewPCG(seed, 7))
	most := 4 + rng.IntN(24)
	layouts := []*Layout{mixedLayout(1), plainLayout(2, 1+rng.IntN(7)), plainLayout(3, 32), mixedLayout(4)}
	cfg := Config{
		Max: most, Check: rng.IntN(4) == 0, NoBaselines: rng.IntN(5) == 0,
		Weigh: func(objs []uint32, weights []uint8) {
			for i, o := range objs {
				weights[i] = uint8(o * 37)
			}
		},
	}
	r := &ruleRun{
		paperModel: &paperModel{r: newGhostRig(t, cfg, layouts...), most: most}, rng: rng, layouts: layouts,
		loss: []float64{0, .05, .2, .5, .8}[rng.IntN(5)],
	}
	r.r.late = seed%2 == 1
	for range 3 + rng.IntN(30) {
		r.add()
	}
	return r
}

// settle makes the model apply the fates that the stream has applied.
func (r *ruleRun) settle() {
	if len(r.r.from.told) > 0 {
		return
	}
	for _, f := range r.fates {
		r.notify(f.seq, f.delivered)
	}
	r.fates = r.fates[:0]
}

func (r *ruleRun) add() {
	l := r.layouts[r.rng.IntN(len(r.layouts))]
	obj := r.r.images.Add(l)
	for g := range l.Groups {
		if l.Groups[g].Raw != nil {
			r.r.images.Set(obj, g, randomValues(r.rng, l, g, &Values{}, nil))
		}
	}
	r.objects = append(r.objects, obj)
}

func (r *ruleRun) changeGroup() {
	obj := r.objects[r.rng.IntN(len(r.objects))]
	l := r.r.images.Layout(obj)
	for g := range l.Groups {
		if g == 0 && r.rng.IntN(20) > 0 || r.rng.IntN(3) == 0 {
			continue
		}
		if r.r.images.Set(obj, g, randomValues(r.rng, l, g, r.r.images.objects[obj].values(g, new(Values)), r.objects)) {
			r.change(obj, 1<<g)
		}
	}
}

// runTick runs one tick of random operations.
func (r *ruleRun) runTick() {
	for range r.rng.IntN(8) {
		r.changeGroup()
	}
	obj := r.objects[r.rng.IntN(len(r.objects))]
	switch r.rng.IntN(12) {
	case 0, 1, 2:
		ok := r.r.from.Scope(obj) // it settles
		r.settle()
		require.Equal(r.r.t, r.scope(obj), ok)
	case 3:
		r.r.from.Unscope(obj)
		r.settle()
		r.unscope(obj)
	case 4:
		held := r.rng.Uint32()
		if r.rng.IntN(2) == 0 {
			held = 0
		}
		if g := r.find(obj); g != nil {
			g.held = held &^ 1
		}
		r.r.from.Withhold(obj, held)
	case 5:
		groups := r.rng.Uint32() & r.rng.Uint32() &^ 1
		r.r.from.Owe(obj, groups)
		r.settle()
		r.change(obj, groups)
	case 6:
		r.r.from.Unscope(obj)
		r.settle()
		r.unscope(obj)
		for i, o := range r.objects {
			if o == obj && len(r.objects) > 2 {
				r.r.images.Remove(obj)
				r.objects = append(r.objects[:i], r.objects[i+1:]...)
				r.add()
			}
		}
	case 7:
		if r.rng.IntN(30) == 0 {
			r.reset()
		}
	}
}

func (r *ruleRun) reset() {
	r.r.from.Reset()
	r.settle()
	r.ghosts = r.ghosts[:0]
	for i := range r.flight {
		r.flight[i].records = nil
	}
}

func (r *ruleRun) send(calm bool) {
	r.r.size = 120 + r.rng.IntN(300)
	s := r.r.pack()
	require.Empty(r.r.t, r.r.from.told, "a packet is made from the newest knowledge")
	if r.settle(); s != nil {
		r.sent(s)
		s.lost = !calm && r.rng.Float64() < r.loss
		s.at = r.step + r.rng.IntN(9)
	}
	r.compare()
}

// ackDue delivers or loses the packets that are due, in order.
func (r *ruleRun) ackDue() {
	for len(r.r.inFlight) > 0 && r.r.inFlight[0].at <= r.step {
		s := r.r.inFlight[0]
		r.r.ack(s.lost)
		r.fates = append(r.fates, fate{s.seq, !s.lost})
		r.settle()
		r.compare()
	}
}

func (r *ruleRun) run(steps int) {
	for r.step = range steps {
		r.r.begin()
		r.runTick()
		for range r.rng.IntN(3) {
			if len(r.r.inFlight) < 200 {
				r.send(false)
			}
		}
		r.ackDue()
	}
	for i := range r.ghosts {
		r.ghosts[i].held = 0
	}
	for _, o := range r.objects {
		r.r.from.Withhold(o, 0)
	}
	for ; r.step < steps+300; r.step++ {
		r.r.begin()
		r.send(true)
		r.ackDue()
		if len(r.r.inFlight) == 0 && len(r.fates) == 0 && r.r.from.Pending() == 0 && !r.r.from.epoch.owed {
			r.r.requireEqual()
			return
		}
	}
	require.Fail(r.r.t, "never at rest", "%v", r.r.states())
}

func TestMasksMatchThePaper(t *testing.T) {
	for seed := range testenv.Seeds(t, 50, 400) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRuleRun(t, seed)
			r.run(60 + r.rng.IntN(80))
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
}
