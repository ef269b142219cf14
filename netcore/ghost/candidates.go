package ghost

import (
	"encoding/binary"
	"math/bits"
)

// Selection of the ghosts for a packet. The priority of a ghost is the product of three factors:
// its weight, the weight of the most urgent group that it owes, and the ticks since it was last
// sent. Eight times its binary logarithm, rounded down, is the key of the ghost, a byte. Counting
// finds the highest keys without a sort. Ghosts with equal keys take turns in the order of ids. The
// priority of a waiting ghost grows without bound, and a sent ghost starts again at one tick, so no
// ghost waits forever.

const (
	keysPerOctave = 8
	longestWait   = 1<<15 - 1 // ticks, 17 minutes: a ghost that waits longer has the same key
	maxKey        = 2*63 + 119 + 1
	ages          = 256 // ticks with an entry in ageKeys
	fullUrgency   = 64  // the part of a key for groups of weight 255, and 1
)

// keyOf returns the part of a key for a factor of at least 1: keysPerOctave · log2(n), rounded down.
func keyOf(n uint32) uint8 {
	octave := bits.Len32(n) - 1
	key := octave * keysPerOctave
	for i := range keysPerOctave - 1 {
		if uint64(n)<<16>>octave < octaveSteps[i] {
			break
		}
		key++
	}
	return uint8(key)
}

// octaveSteps holds 2^(i/8) · 2^16 for i from 1.
var octaveSteps = [keysPerOctave - 1]uint64{71468, 77936, 84990, 92682, 101070, 110218, 120194}

// weightKeys and ageKeys hold keyOf for weights and for ticks. A weight of 0 counts as 1.
var weightKeys, ageKeys = keyTable(), keyTable()

func keyTable() (keys [ages]uint8) {
	for n := range uint32(ages) {
		keys[n] = keyOf(max(n, 1))
	}
	return keys
}

// key returns the key of a ghost, 1..maxKey, from its two weights and the ticks since it was sent.
func key(weight uint8, urgency uint32, waited uint32) uint8 {
	return 1 + weightKeys[weight] + weightKeys[urgency] + keyOf(min(max(waited, 1), longestWait))
}

// candidates holds the ghosts that wait for a place in a list of a packet.
type candidates struct {
	waiting idSet         // the ghosts that were not chosen yet
	keys    []uint8       // by id, of the waiting ghosts
	count   [256]keyCount // waiting ghosts by key
	top     uint8         // no key is higher
	n       int           // waiting ghosts
	chosen  idSet         // the result of choose
}

// reset empties the candidates. words is the number of ids, divided by 64.
func (c *candidates) reset(words int) {
	if len(c.keys) < 64*words {
		c.keys = make([]uint8, 64*words)
	}
	c.waiting, c.chosen = resize(c.waiting, words), resize(c.chosen, words)
	clear(c.waiting)
	if c.n > 0 {
		clear(c.count[:])
	}
	c.n, c.top = 0, 0
}

// add adds a ghost that is not yet a candidate.
func (c *candidates) add(id int, key uint8) {
	c.waiting.add(id)
	c.keys[id] = key
	c.count[key][id&3]++
	c.top = max(c.top, key)
	c.n++
}

// choose moves the ghosts with the highest keys from waiting to chosen: most ghosts, or all if there
// are fewer. Among the ghosts with the lowest key of these, the first ones behind the hand are
// chosen. It returns the hand for the next choice: the first one that was not.
func (c *candidates) choose(most, hand int) (next int) {
	if c.n <= most {
		c.chosen, c.waiting = c.waiting, c.chosen
		c.reset(len(c.chosen))
		return hand
	}
	least, above := c.threshold(most)
	atLeast := newKeyCompare(least)
	for w, waiting := range c.waiting {
		if c.chosen[w] = 0; waiting != 0 {
			c.chosen[w] = atLeast.mask(c.keysOf(w)) & waiting
		}
	}
	left, next := c.leaveEqual(most-above, hand, newKeyCompare(least+1))
	clear(c.count[least : int(c.top)+1])
	c.count[least].set(left)
	c.n, c.top = c.n-most, least
	for w, ids := range c.chosen {
		c.waiting[w] &^= ids
	}
	return next
}

// leaveEqual leaves some ghosts with the lowest chosen key in chosen, the first ones behind the
// hand. It removes the others, and returns their number and the first of them.
func (c *candidates) leaveEqual(some, hand int, more keyCompare) (removed, first int) {
	first = -1
	words := len(c.chosen)
	for step := range words + 1 {
		w, part := roundStep(hand, step, words)
		ids := c.chosen[w] & part
		if ids == 0 {
			continue
		}
		equal := ids &^ more.mask(c.keysOf(w))
		n := bits.OnesCount64(equal)
		if n <= some {
			some -= n
			continue
		}
		for removed += n - some; some > 0; some-- {
			equal &= equal - 1
		}
		if c.chosen[w] &^= equal; first < 0 {
			first = w<<6 + bits.TrailingZeros64(equal)
		}
	}
	return removed, max(first, 0)
}

// keysOf returns the keys of the ids of a word.
func (c *candidates) keysOf(word int) *[64]uint8 { return (*[64]uint8)(c.keys[word<<6:]) }

// round ranges over the chosen ghosts, from the hand on. The caller can remove the present one from
// chosen.
func (c *candidates) round(hand int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		words := len(c.chosen)
		for step := range words + 1 {
			w, part := roundStep(hand, step, words)
			for ids := c.chosen[w] & part; ids != 0; ids &= ids - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(ids)) {
					return
				}
			}
		}
	}
}

// putBack makes the chosen ghosts wait again.
func (c *candidates) putBack() {
	for w, ids := range c.chosen {
		for ; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			c.add(id, c.keys[id])
		}
	}
}

// threshold returns the highest key with which most ghosts, or all, have at least that key, and the
// number of ghosts with a higher key.
func (c *candidates) threshold(most int) (least uint8, above int) {
	for least = max(c.top, 1); least > 1; least-- {
		n := c.count[least].sum()
		if above+n >= most {
			return least, above
		}
		above += n
	}
	return least, above
}

// keyCount is a number of ghosts, in four parts. Neighbours count in different parts, so that the
// processor can count them at once.
type keyCount [4]uint16

func (n *keyCount) set(sum int) {
	part := uint16(sum / 4)
	*n = keyCount{uint16(sum) - 3*part, part, part, part}
}

func (n *keyCount) sum() int { return int(n[0]) + int(n[1]) + int(n[2]) + int(n[3]) }

// roundStep returns the word of a step of a round through some words, and the bits of it that
// belong to the step. The round begins at the bit of the hand and ends before it, after words + 1
// steps.
func roundStep(hand, step, words int) (word int, part uint64) {
	if word = hand>>6 + step; word >= words {
		word -= words
	}
	switch behind := ^uint64(0) << (hand & 63); step {
	case 0:
		return word, behind
	case words:
		return word, ^behind
	}
	return word, ^uint64(0)
}

// keyCompare compares eight keys at a time with a least key.
type keyCompare struct{ least, low uint64 }

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

func newKeyCompare(least uint8) keyCompare {
	return keyCompare{uint64(least) * everyByte, uint64(least&0x7f) * everyByte}
}

// mask returns a bit for each of 64 keys that is at least the least key.
func (k keyCompare) mask(keys *[64]uint8) (mask uint64) {
	for i := 0; i < 64; i += 8 {
		v := binary.LittleEndian.Uint64(keys[i : i+8])
		low := (v | highBits) - k.low // a high bit tells that the lower seven bits are at least those of least
		over := (v&^k.least | ^(v^k.least)&low) & highBits
		mask |= over >> 7 * 0x0102040810204080 >> 56 << i
	}
	return mask
}
