package ghost

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The numbers that order ghosts by priority are stored in bit planes: bit i of plane p is bit p of
// the number of ghost i of a word of the table. One operation on a plane works on 64 ghosts at
// once.

// agePlanes holds the ages of 64 ghosts. The age of a ghost is eight times the binary logarithm of
// the ticks since it was sent, about: the upper four bits are the exponent of the ticks, and the
// lower three bits are those below their leading one.
type agePlanes [7]uint64

// step adds a tick to the ages. It is exact below 16 ticks. Beyond, an age counts every second
// tick, every fourth tick and so on, and the number of the tick tells whether it is one of those.
// The highest age stays, after 17 minutes.
func (a *agePlanes) step(tick uint32) {
	far := a[5] | a[6] // the exponent is at least 4
	one := a[3] & a[4] &^ far
	if far != 0 {
		for exponent := 4; exponent <= min(bits.TrailingZeros32(tick)+3, 15); exponent++ {
			one |= a.withExponent(exponent)
		}
		one &^= far & a[6] & a[5] & a[4] & a[3] & a[2] & a[1] & a[0]
	}
	two, four, eight := a[4]&^(a[3]|far), a[3]&^(a[4]|far), ^(a[3] | a[4] | far)
	carry := uint64(0)
	for p, add := range [4]uint64{one, two, four, eight} {
		add |= carry
		carry = a[p] & add
		a[p] ^= add
	}
	for p := 4; carry != 0; p++ {
		a[p], carry = a[p]^carry, a[p]&carry
	}
}

// run adds the ticks from one tick to another. It skips the ticks that no age of these ghosts
// counts, so that a pause of any length costs little.
func (a *agePlanes) run(from, to uint32) {
	for from < to {
		pace := uint32(1) << max(a.leastExponent()-3, 0)
		next := from - from%pace + pace
		if next > to {
			return
		}
		a.step(next)
		from = next
	}
}

// leastExponent returns the lowest exponent of the ages.
func (a *agePlanes) leastExponent() (least int) {
	among := ^uint64(0)
	for p := 3; p >= 0; p-- {
		if lower := among &^ a[3+p]; lower != 0 {
			among = lower
		} else {
			least |= 1 << p
		}
	}
	return least
}

// restart makes the age of some ghosts that of one tick.
func (a *agePlanes) restart(ids uint64) {
	for p := range a {
		a[p] &^= ids
	}
}

// withExponent returns the ghosts whose age has an exponent.
func (a *agePlanes) withExponent(exponent int) uint64 {
	same := ^uint64(0)
	for p := range 4 {
		same &= a[3+p] ^ (uint64(exponent>>p&1) - 1)
	}
	return same
}

// weightPlanes holds weightKeys of the weights of 64 ghosts.
type weightPlanes [6]uint64

const everyByte = 0x0101010101010101

// set takes the weights of 64 ghosts.
func (p *weightPlanes) set(weights *[64]uint8) {
	*p = weightPlanes{}
	for i := 0; i < 64; i += 8 {
		var keys [8]uint8
		for j, weight := range weights[i : i+8] {
			keys[j] = weightKeys[weight]
		}
		v := binary.LittleEndian.Uint64(keys[:])
		for plane := range p {
			p[plane] |= v >> plane & everyByte * 0x0102040810204080 >> 56 << i
		}
	}
}

// setOne takes the weight of one ghost.
func (p *weightPlanes) setOne(i int, weight uint8) {
	for plane := range p {
		p[plane] = p[plane]&^(1<<i) | uint64(weightKeys[weight]>>plane&1)<<i
	}
}

// at returns the least weight, from 1, with the key of one ghost.
func (p *weightPlanes) at(i int) uint8 {
	key := uint8(0)
	for plane, ids := range p {
		key |= uint8(ids>>i&1) << plane
	}
	return uint8(max(1, slices.Index(weightKeys[:], key)))
}

const leastKey = 64 // the key of a ghost of age and weight 1, for groups of full weight

// keyPlanes holds the keys of 64 ghosts.
type keyPlanes [8]uint64

// add makes the keys the sums of ages and weights, and of leastKey.
func (k *keyPlanes) add(a *agePlanes, w *weightPlanes) {
	carry := uint64(0)
	for p := range w {
		either := a[p] ^ w[p]
		k[p], carry = either^carry, a[p]&w[p]|either&carry
	}
	six := a[6] ^ carry
	k[6], k[7] = ^six, six|a[6]&carry
}

// lower subtracts a number of at most leastKey from the key of a ghost.
func (k *keyPlanes) lower(i int, by uint8) {
	key := k.at(i) - by
	for p := range k {
		k[p] = k[p]&^(1<<i) | uint64(key>>p&1)<<i
	}
}

// at returns the key of a ghost.
func (k *keyPlanes) at(i int) (key uint8) {
	for p := range k {
		key |= uint8(k[p]>>i&1) << p
	}
	return key
}
