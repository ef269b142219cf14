package event

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// oneName gives every object the same name and records the names that it reads.
type oneName struct {
	name uint32
	told []uint32
}

func (o *oneName) ToWire(uint32) uint32 { return o.name }
func (o *oneName) FromWire(name uint32) uint32 {
	o.told = append(o.told, name)
	return 1
}

// TestOnlyPiecesNameBirths checks that only references in pieces include the birth of the ghost.
// Other references are read in the packet in which they were written.
func TestOnlyPiecesNameBirths(t *testing.T) {
	refs := &oneName{name: 5 | 77<<netcore.NameBits}
	r := newEventRig(t, 1, Config{Server: true, Refs: refs}, Config{Refs: refs})
	for _, pad := range []int{0, 5000, 0} {
		r.post(r.a, &note{object: 3, pad: make([]byte, pad)}, Post{})
		r.settle(10 * time.Second)
	}
	assert.Equal(t, []uint32{5, refs.name, 5}, slices.Compact(refs.told), "events are carried again and again")
}
