package modtrial

import "runtime/metrics"

// readEvery is the number of uses of a heap sample. Reading one costs as much as many Lua
// instructions.
const readEvery = 16

// heapSampler returns a function that returns the bytes of heap, with dead objects. This is the
// only limit of tests that differs between runs. Only tests that use very much memory reach it.
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
