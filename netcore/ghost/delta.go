package ghost

import "math/bits"

// encode fills in the entry at a place of the table with an update of a ghost. All smooth groups of
// the mask have the same known values. If the update has all smooth groups of the class and nothing
// else, their residuals are encoded at once. Otherwise, and if cells have a rate, it is encoded
// group by group. The entry serves no plain ghost yet.
func (g *Stream) encode(place uint32, id int, mask uint32, k updateKey, known knownValues) {
	o, table := &g.snapshots.objects[g.table.obj[id]], &g.packet.encodings
	s, relative := shortBits{}, true
	g.stats.Ways.Misses++
	if !g.composeSmooth(&s, o, id, mask, known) {
		s = shortBits{}
		if !g.composeShort(&s, o, id, mask, &relative) {
			s.n = longUpdate
		}
	}
	if s.n != longUpdate {
		g.stats.Ways.Filled++
	}
	e := &table.entries[place]
	e.bits, e.objectForm, e.age, e.mask, table.high[place] = s.low, k.objectForm, k.age, mask, s.high
	e.sent, e.reach, e.kind, e.size = neverSent, 0, newUpdateKind(o.plan.layout.ID, relative), uint8(s.n)
}

// composeSmooth composes a relative update with all smooth groups of an object and nothing else. It
// returns false if the update does not qualify, or if whole values are shorter.
func (g *Stream) composeSmooth(s *shortBits, o *object, id int, mask uint32, known knownValues) bool {
	l := o.plan.layout
	since, span := g.age(known)
	if mask != l.smooth || since == 0 || l.rated {
		return false
	}
	r := residual{}
	r.find(&g.snapshots.histories[g.table.obj[id]], g.snapshots.tick, since, span)
	code, n, ok := r.encodeAll(o.plan)
	if !ok || n >= min(o.plan.smoothBits, 64) {
		return false
	}
	g.addMask(s, o, mask)
	s.add(code<<1|1, n+1)
	return true
}

// composeShort composes an update of at most 128 bits of CellBits groups. It returns false if the
// update does not qualify.
func (g *Stream) composeShort(s *shortBits, o *object, id int, mask uint32, relative *bool) bool {
	g.addMask(s, o, mask)
	return g.composeGroups(s, o, id, mask, g.usable(id, mask), relative)
}

// addMask appends the mask of an update to s.
func (g *Stream) addMask(s *shortBits, o *object, mask uint32) {
	if usual := g.packet.header.usual; usual == 0 || mask != usual {
		o.plan.layout.addMask(s, mask, usual != 0)
	} else {
		s.add(1, 1)
	}
}

// composeGroups appends an update without its mask. usable are the groups with a baseline.
func (g *Stream) composeGroups(s *shortBits, o *object, id int, mask, usable uint32, relative *bool) bool {
	whole := 0
	for m := mask; m != 0; m &= m - 1 {
		p := &o.plan.groups[bits.TrailingZeros32(m)]
		if !p.short {
			return false
		}
		whole += p.bits
	}
	lead := *s
	if *relative = false; usable != 0 {
		s.add(1, 1)
		if g.addGroups(s, o, id, mask, usable) && s.n <= lead.n+whole {
			*relative = true
			return true
		}
		*s = lead
		s.add(0, 1)
	}
	return s.n+whole <= shortCapacity && g.addGroups(s, o, id, mask, 0)
}

// addGroups appends the groups of a mask to s. It encodes the groups of the mask relative as
// residuals. It returns false if the groups do not fit.
func (g *Stream) addGroups(s *shortBits, o *object, id int, mask, relative uint32) bool {
	r := residual{}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		p := &o.plan.groups[i]
		if relative>>i&1 == 0 {
			if s.n+p.bits > shortCapacity {
				return false
			}
			s.addWords(o.packed[p.place:], p.bits)
			continue
		}
		g.findBaseline(&r, o, id, i)
		if !r.add(s, p) {
			return false
		}
	}
	return true
}

// add appends the residuals of a group. It returns false if they do not fit.
func (r *residual) add(s *shortBits, p *groupPlan) bool {
	for _, i := range p.order {
		var code uint64
		var n int
		var ok bool
		if rate := p.cells[i].Rate; rate != nil {
			code, n, ok = r.encodeRated(p.first+int(i), p.first+rate.Cell, rate, p.widths[i])
		} else {
			code, n, ok = r.encode(p.widths[i:i+1], p.first+int(i))
		}
		if !ok || s.n+n > shortCapacity {
			return false
		}
		s.add(code, n)
	}
	return true
}

// encodeRated is encode for one cell with a rate. The cells are at some indexes, and the width is
// in bits.
func (r *residual) encodeRated(cell, rateCell int, rate *CellRate, width uint8) (code uint64, n int, ok bool) {
	predicted := rate.predict(r.newer[cell], r.newer[rateCell], r.values[rateCell], r.since)
	far := (32 - width) & 31
	return residualCode(int32((r.values[cell]-predicted)<<far)>>far, residualOrder(r.since, r.span))
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

// encodeAll returns the residuals of all smooth cells of a class, as encode does.
func (r *residual) encodeAll(p *classPlan) (code uint64, n int, ok bool) {
	if p.smoothFars == nil || r.since > quickAge || r.span > relativeAge {
		return r.encode(p.smoothWidths, 0)
	}
	return r.encodeQuick(p.smoothFars)
}

// encodeQuick is the fast form of encode for all smooth cells. fars are 32 minus their widths. The
// widths and the baseline must fit quickSlope.
func (r *residual) encodeQuick(fars []uint8) (code uint64, n int, ok bool) {
	values, newer, older := r.values[:len(fars)], r.newer[:len(fars)], r.newer[:len(fars)]
	if r.older != nil {
		older = r.older[:len(fars)]
	}
	order, slope := residualOrder(r.since, r.span), quickSlope(r.since, r.span)
	for i, far := range fars {
		move := quickMove(int32((newer[i]-older[i])<<(far&31))>>(far&31), slope)
		one, size, _ := residualCode(int32((values[i]-newer[i]-move)<<(far&31))>>(far&31), order)
		code |= one << (n & 63)
		n += size
	}
	return code, n, n <= 64
}

// encode returns the residuals of cells with some widths, from an index on, in the encoding of
// codec.residuals. It returns false if they take more than 64 bits, or one of them too many.
func (r *residual) encode(widths []uint8, from int) (code uint64, n int, ok bool) {
	values, newer, older := r.cells(from, len(widths))
	if older == nil {
		older = newer // a line with slope 0
	}
	since, span := int64(r.since), r.span
	newer, older = newer[:len(values)], older[:len(values)]
	order := residualOrder(r.since, r.span)
	for i, value := range values {
		far := (32 - widths[i]) & 31
		step := int64(int32((newer[i]-older[i])<<far)>>far) * since
		one, size, ok := residualCode(int32((value-newer[i]-uint32(divide(step, span)))<<far)>>far, order)
		code |= one << (n & 63)
		if n += size; !ok || n > 64 {
			return 0, 0, false
		}
	}
	return code, n, true
}
