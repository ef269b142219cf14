package ghost

import "math/bits"

// encodeGroup fills in an entry of the table with the bits of a group.
func (g *Stream) encodeGroup(e *groupBits, obj uint32, group int, since, span uint32) {
	o := &g.snapshots.objects[obj]
	p, s := &o.plan.groups[group], shortBits{}
	*e = groupBits{object: obj, tick: g.snapshots.tick, key: newGroupKey(group, since, span), class: o.plan.layout.ID, size: noShortForm}
	switch {
	case !p.short:
		return
	case since == 0:
		s.addWords(o.packed[p.place:], p.bits)
	default:
		r := residual{}
		if r.find(&g.snapshots.histories[obj], g.snapshots.tick, since, span); !r.add(&s, p) {
			return
		}
	}
	e.low, e.high, e.size, e.saved = s.low, s.high, uint8(s.n), int8(p.bits-s.n)
}

// joinSmooth is the fast form of join for an update with all smooth groups and nothing else, of a
// ghost that is not in split. It encodes all residuals at once. It returns false if the update does
// not qualify, or if whole values are shorter.
func (g *Stream) joinSmooth(u *joined, obj, mask uint32, known knownValues) bool {
	since, span := g.packet.age(known)
	if since == 0 || since > quickAge || span > relativeAge {
		return false
	}
	plan := g.snapshots.objects[obj].plan
	if plan.smoothFars == nil {
		return false
	}
	r := residual{}
	r.find(&g.snapshots.histories[obj], g.snapshots.tick, since, span)
	code, n, ok := r.encodeQuick(0, plan.smoothFars)
	if !ok || n >= plan.smoothBits {
		return false
	}
	g.stats.Ways.Misses++
	*u = joined{shortBits: shortBits{low: code, n: n}, class: plan.layout.ID, relative: true, missed: true}
	return g.addLead(u, obj, mask, leadRelative)
}

// add appends the residuals of a group. It returns false if they do not fit.
func (r *residual) add(s *shortBits, p *groupPlan) bool {
	if p.fars != nil && r.since <= quickAge && r.span <= relativeAge {
		if code, n, ok := r.encodeQuick(p.first, p.fars); ok {
			s.add(code, n)
			return true
		}
	}
	for _, i := range p.order {
		at := p.first + int(i)
		predicted := uint32(0)
		if rate := p.cells[i].Rate; rate != nil {
			rateCell := p.first + rate.Cell
			predicted = rate.predict(r.newer[at], r.newer[rateCell], r.values[rateCell], r.since)
		} else {
			predicted = r.predict(at, p.widths[i])
		}
		far := (32 - p.widths[i]) & 31
		code, n, ok := residualCode(int32((r.values[at]-predicted)<<far)>>far, residualOrder(r.since, r.span))
		if !ok || s.n+n > shortCapacity {
			return false
		}
		s.add(code, n)
	}
	return true
}

// predict returns the prediction of a cell without a rate, at an index and with a width in bits.
func (r *residual) predict(at int, width uint8) uint32 {
	if r.older == nil {
		return r.newer[at]
	}
	far := (32 - width) & 31
	step := int64(int32((r.newer[at]-r.older[at])<<far)>>far) * int64(r.since)
	return r.newer[at] + uint32(divide(step, r.span))
}

// residualCode returns the code of a residual with an order, as codec.residuals writes it. It
// returns false if it takes too many bits.
func residualCode(d int32, order int) (code uint64, n int, ok bool) {
	x := uint64(uint32(d<<1^d>>31)) + 1<<(order&3)
	high := bits.Len64(x) - 1
	zeros := high - order
	// as many zeros, a one, and the bits of x below its highest
	return ((x^1<<(high&63))<<1 | 1) << (zeros & 63), zeros + 1 + high, high <= shortCell
}

// encodeQuick returns the residuals of cells without rates, from an index on. fars are 32 minus
// their widths. The widths and the baseline must fit quickSlope. It returns false if the residuals
// take more than 64 bits.
func (r *residual) encodeQuick(from int, fars []uint8) (code uint64, n int, ok bool) {
	values, newer, older := r.cells(from, len(fars))
	if older == nil {
		older = newer // a line with slope 0
	}
	values, newer, older = values[:len(fars)], newer[:len(fars)], older[:len(fars)]
	order, slope := residualOrder(r.since, r.span), quickSlope(r.since, r.span)
	for i, far := range fars {
		move := quickMove(int32((newer[i]-older[i])<<(far&31))>>(far&31), slope)
		one, size, _ := residualCode(int32((values[i]-newer[i]-move)<<(far&31))>>(far&31), order)
		code |= one << (n & 63)
		n += size
	}
	return code, n, n <= 64
}
