package ghost

import "math/bits"

// Selection of the ghosts for a packet. The priority of a ghost is the product of three factors:
// its weight, the weight of the most urgent group that it owes, and the ticks since it was last
// sent. Eight times its binary logarithm, about, is the key of the ghost, a byte. The bits of the
// keys find the highest ones without a sort. Ghosts with equal keys take turns in the order of ids.
// The priority of a waiting ghost grows for 17 minutes, and a sent ghost starts again at one tick,
// so no ghost waits forever.

const (
	keysPerOctave = 8
	fullUrgency   = 63 // the part of a key for groups of weight 255
)

// keyOf returns the part of a key for a factor of at least 1: keysPerOctave · log2(n), rounded
// down.
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

// weightKeys holds keyOf for weights. A weight of 0 counts as 1.
var weightKeys = func() (keys [256]uint8) {
	for n := range uint32(len(keys)) {
		keys[n] = keyOf(max(n, 1))
	}
	return keys
}()

// candidates holds the ghosts that wait for a place in a list of a packet.
type candidates struct {
	waiting idSet // the ghosts that were not chosen yet
	n       int   // their number
	chosen  idSet // the result of choose
	equal   idSet // memory of choose
}

// reset empties the candidates. words is the number of ids, divided by 64.
func (c *candidates) reset(words int) {
	c.waiting, c.chosen, c.equal = resize(c.waiting, words), resize(c.chosen, words), resize(c.equal, words)
	clear(c.waiting)
	c.n = 0
}

// add adds ghosts of a word that are not yet candidates.
func (c *candidates) add(word int, ids uint64) {
	c.waiting[word] |= ids
	c.n += bits.OnesCount64(ids)
}

// choose moves the ghosts with the highest keys from waiting to chosen: most ghosts, or all if
// there are fewer. Among the ghosts with the lowest key of these, the first ones behind the hand
// are chosen. It returns the hand for the next choice: the first one that was not.
func (c *candidates) choose(keys []keyPlanes, most, hand int) (next int) {
	if c.n <= most {
		c.chosen, c.waiting = c.waiting, c.chosen
		clear(c.waiting)
		c.n = 0
		return hand
	}
	left := most - c.chooseAbove(keys, most)
	next = c.chooseEqual(left, hand)
	for w, ids := range c.chosen {
		c.waiting[w] &^= ids
	}
	c.n -= most
	return next
}

// chooseAbove chooses the ghosts with more than a least key, and returns their number, which is
// below most. It puts those with the least key into equal. Together they are at least most. It goes
// through the bits of the keys, from the highest one.
func (c *candidates) chooseAbove(keys []keyPlanes, most int) (above int) {
	copy(c.equal, c.waiting)
	clear(c.chosen)
	equal, chosen, keys := c.equal, c.chosen[:len(c.equal)], keys[:len(c.equal)]
	for plane := len(keyPlanes{}) - 1; plane >= 0; plane-- {
		n := 0
		for w, ids := range equal {
			n += bits.OnesCount64(ids & keys[w][plane])
		}
		if above+n >= most {
			for w := range equal {
				equal[w] &= keys[w][plane]
			}
			continue
		}
		if above += n; n == 0 {
			continue
		}
		for w, ids := range equal {
			chosen[w] |= ids & keys[w][plane]
			equal[w] = ids &^ keys[w][plane]
		}
	}
	return above
}

// chooseEqual chooses some of the ghosts in equal, the first ones behind the hand. It returns the
// first one that it does not choose, or the hand.
func (c *candidates) chooseEqual(some, hand int) (next int) {
	words := len(c.equal)
	for step := range words + 1 {
		w, part := roundStep(hand, step, words)
		ids := c.equal[w] & part
		if n := bits.OnesCount64(ids); n <= some {
			c.chosen[w] |= ids
			some -= n
			continue
		}
		rest := ids
		for ; some > 0; some-- {
			rest &= rest - 1
		}
		c.chosen[w] |= ids &^ rest
		return w<<6 + bits.TrailingZeros64(rest)
	}
	return hand
}

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
		c.add(w, ids)
	}
}

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
