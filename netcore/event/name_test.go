package event

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// fixedRefs gives every object the same name and records the names that it reads.
type fixedRefs struct {
	name uint32
	read []uint32
}

func (o *fixedRefs) ToWire(uint32) uint32 { return o.name }
func (o *fixedRefs) FromWire(name uint32) uint32 {
	o.read = append(o.read, name)
	return 1
}

// TestOnlyPiecesIncludeBirths checks that only references in pieces include the birth of the ghost.
// Other references are read in the packet in which they were written.
func TestOnlyPiecesIncludeBirths(t *testing.T) {
	refs := &fixedRefs{name: 5 | 77<<netcore.NameBits}
	r := newEventRig(t, 1, Config{Server: true, Refs: refs}, Config{Refs: refs})
	for _, pad := range []int{0, 5000, 0} {
		r.post(r.a, &note{object: 3, pad: make([]byte, pad)}, Post{})
		r.runUntilIdle(10 * time.Second)
	}
	assert.Equal(t, []uint32{5, refs.name, 5}, slices.Compact(refs.read), "events are carried again and again")
}
