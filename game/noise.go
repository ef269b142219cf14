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

// grid returns the noise at the corners of all squares, row by row, 0…0xffff.
func (n *noise) grid() []int64 {
	sums := make([]int64, n.size*n.size)
	for k, weight := range n.weights {
		if weight == 0 {
			break
		}
		n.addLayer(sums, uint32(k), weight)
	}
	for i := range sums {
		sums[i] /= n.sum
	}
	return sums
}

// addLayer adds one layer, times its weight. A corner has the value interpolated between the four
// nearest points of the layer.
func (n *noise) addLayer(sums []int64, k uint32, weight int64) {
	side := coarsestLattice << k
	points, step := n.points(k, side), n.size/side
	smooth := make([]int64, step)
	for i := range smooth {
		smooth[i] = smoothstep(int64(i) << 16 / int64(step))
	}
	for j := range n.size {
		y, fy := j/step, smooth[j%step]
		below, above, row := points[y*side:], points[(y+1)%side*side:], sums[j*n.size:]
		for x := range side {
			right := (x + 1) % side
			for i, fx := range smooth {
				v := mix(mix(below[x], below[right], fx), mix(above[x], above[right], fx), fy)
				row[x*step+i] += weight * v
			}
		}
	}
}

// points returns the random values of a layer's points, row by row, 0…0xffff.
func (n *noise) points(k uint32, side int) []int64 {
	points := make([]int64, side*side)
	for at := range points {
		points[at] = n.value(k, at%side, at/side)
	}
	return points
}

// smoothstep maps 0…0x10000 to 0…0x10000, flat at both ends.
func smoothstep(f int64) int64 { return f * f >> 16 * (3<<16 - 2*f) >> 16 }

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
