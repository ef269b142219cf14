package ghost

import "math/bits"

// composeShared is the fastest path of composeUpdate. It copies a body that another connection has
// encoded in this tick. It returns false if the update does not qualify, or if the body is too long.
func (g *Stream) composeShared(o *object, b *encodedGhost) bool {
	t, usable := g.encodings, b.mask&o.plan.layout.smooth
	if t == nil || usable == 0 || !g.packet.header.near {
		return false
	}
	k, ok := g.commonBaseline(o, int(b.id), usable)
	since, span, oldest := g.snapshots.tick-k.newer, uint32(0), g.packet.header.oldest()
	if !ok || k.newer == 0 || since > oldest {
		return false
	}
	if k.older != 0 && g.snapshots.tick-k.older <= oldest {
		span = k.newer - k.older
	}
	e, ok := t.at(g.table.obj[b.id], g.snapshots.tick, b.mask, since, span)
	if !ok {
		g.encode(e, o, b, usable)
	}
	if e.size == longBody {
		return false
	}
	s := &b.short
	g.addMask(s, o, b.mask)
	s.add(e.bits, int(e.size))
	if e.relative {
		b.relative = usable
	}
	return true
}

// commonBaseline returns the baseline of some smooth groups of a ghost if they all have the same one.
func (g *Stream) commonBaseline(o *object, id int, groups uint32) (k knownValues, ok bool) {
	lines, track := g.table.knownTicksOf(id), &o.plan.layout.track
	k = lines[track[bits.TrailingZeros32(groups)]]
	for m := groups & (groups - 1); m != 0; m &= m - 1 {
		if lines[track[bits.TrailingZeros32(m)]] != k {
			return k, false
		}
	}
	return k, true
}

// encode fills in an entry of the table with the body of an update.
func (g *Stream) encode(e *encoding, o *object, b *encodedGhost, usable uint32) {
	body := encodedGhost{id: b.id, mask: b.mask}
	e.size = longBody
	if g.composeGroups(o, &body, usable) && body.short.n <= shortBody {
		e.bits, e.size, e.relative = body.short.low, uint8(body.short.n), body.relative != 0
	}
}

// composeShort is the fast path of composeUpdate, for at most 128 bits of CellBits groups. Nearly
// all updates take it. It returns false if the update does not qualify.
func (g *Stream) composeShort(o *object, b *encodedGhost, usable uint32) bool {
	g.addMask(&b.short, o, b.mask)
	return g.composeGroups(o, b, usable)
}

// addMask appends the mask of an update to s.
func (g *Stream) addMask(s *shortBits, o *object, mask uint32) {
	if usual := g.packet.header.usual; usual == 0 || mask != usual {
		o.plan.layout.addMask(s, mask, usual != 0)
	} else {
		s.add(1, 1)
	}
}

// composeGroups is the part of composeShort after the mask.
func (g *Stream) composeGroups(o *object, b *encodedGhost, usable uint32) bool {
	whole := 0
	for m := b.mask; m != 0; m &= m - 1 {
		p := &o.plan.groups[bits.TrailingZeros32(m)]
		if !p.short {
			return false
		}
		whole += p.bits
	}
	s := &b.short
	lead := *s
	if usable != 0 {
		s.add(1, 1)
		if g.addGroups(s, o, b, usable) && s.n <= lead.n+whole {
			b.relative = usable
			return true
		}
		*s = lead
		s.add(0, 1)
	}
	return s.n+whole <= shortCapacity && g.addGroups(s, o, b, 0)
}

// addGroups appends the groups of an update to s. It encodes the groups of the mask relative as
// residuals. It returns false if the groups do not fit.
func (g *Stream) addGroups(s *shortBits, o *object, b *encodedGhost, relative uint32) bool {
	r := residual{}
	for m := b.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		p := &o.plan.groups[i]
		if relative>>i&1 == 0 {
			if s.n+p.bits > shortCapacity {
				return false
			}
			s.addWords(o.groups[i].packed, p.bits)
			continue
		}
		g.findBaseline(&r, o, int(b.id), i)
		if !r.add(s, p) {
			return false
		}
	}
	return true
}

// add appends the residuals of a group in the encoding of codec.residuals. It returns false if they
// do not fit.
func (r *residual) add(s *shortBits, p *groupPlan) bool {
	values, newer, older := r.group(p)
	if older == nil {
		older = newer // a line with slope 0
	}
	widths, since, span := p.widths[:len(values)], int64(r.since), r.span
	newer, older = newer[:len(values)], older[:len(values)]
	order := residualOrder(r.since, r.span)
	word, n := uint64(0), 0 // bits that are not yet in s
	for i, value := range values {
		far := (32 - widths[i]) & 31
		step := int64(int32((newer[i]-older[i])<<far)>>far) * since
		d := int32((value-newer[i]-uint32(divide(step, span)))<<far) >> far
		x := uint64(uint32(d<<1^d>>31)) + 1<<(order&3)
		high := bits.Len64(x) - 1
		zeros := high - order
		long := zeros + 1 + high
		if high > shortCell || s.n+n+long > shortCapacity {
			return false
		}
		if n+long > 64 {
			s.add(word, n)
			word, n = 0, 0
		}
		word |= (x&(1<<(high&63)-1)<<1 | 1) << (zeros & 63) << (n & 63)
		n += long
	}
	s.add(word, n)
	return true
}
