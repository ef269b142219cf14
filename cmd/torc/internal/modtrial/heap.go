package modtrial

import "runtime/metrics"

// readEvery is how many times a figure of the heap is used before it is read again: reading costs as much as many
// instructions of Lua.
const readEvery = 16

// heapSampler returns the bytes of live heap, as of a moment ago. It is the one limit of tests that is not the same in
// every run; only what hoards memory meets it.
func heapSampler() func() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	asked := 0
	return func() uint64 {
		if asked%readEvery == 0 {
			metrics.Read(sample)
		}
		asked++
		return sample[0].Value.Uint64()
	}
}
