package game

// noise is a sum of layers of value noise. Each layer has twice the resolution of the previous one,
// and a weight that is smaller the lower the roughness is. All arithmetic uses integers, so the
// result is the same on every machine.
type noise struct {
	seed    uint32
	size    int
	weights [8]int64 // of each layer; the list ends at the first 0
	sum     int64
}

// coarsestLattice is the number of values per side of the coarsest layer.
const coarsestLattice = 4

func newNoise(l terrainParams) noise {
	n := noise{seed: uint32(l.seed), size: l.size}
	weight, keep := int64(1<<16), int64(float64(l.roughness*256))
	for i := range n.weights {
		if coarsestLattice<<i > l.size || weight == 0 {
			break
		}
		n.weights[i] = weight
		n.sum += weight
		weight = weight * keep >> 8
	}
	return n
}

// at returns the noise at a corner of the squares, 0…0xffff.
func (n *noise) at(i, j int) int64 {
	total := int64(0)
	for k, weight := range n.weights {
		if weight == 0 {
			break
		}
		side := coarsestLattice << k
		total += weight * n.layer(uint32(k), i*side, j*side, side)
	}
	return total / n.sum
}

// layer returns the value of one layer, interpolated between its four nearest points. The distance
// between two points is size units of i and j.
func (n *noise) layer(k uint32, i, j, side int) int64 {
	x, y := i/n.size, j/n.size
	right, up := (x+1)%side, (y+1)%side
	fx, fy := n.smooth(i%n.size), n.smooth(j%n.size)
	below := mix(n.value(k, x, y), n.value(k, right, y), fx)
	above := mix(n.value(k, x, up), n.value(k, right, up), fx)
	return mix(below, above, fy)
}

// smooth maps a position between two points to 0…0x10000 with a smoothstep curve.
func (n *noise) smooth(part int) int64 {
	f := int64(part) << 16 / int64(n.size)
	return f * f >> 16 * (3<<16 - 2*f) >> 16
}

func mix(a, b, f int64) int64 { return a + (b-a)*f>>16 }

// value returns the random value of a point, 0…0xffff.
func (n *noise) value(k uint32, x, y int) int64 {
	h := n.seed ^ k*0x9e3779b9
	h = hashBits(h ^ uint32(x))
	h = hashBits(h ^ uint32(y)<<16)
	return int64(h >> 16)
}

// hashBits is an integer hash: every input bit affects all output bits.
func hashBits(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
