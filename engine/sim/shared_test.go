package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestClassesAreShared: the classes of a program are those of all its nodes, and two of these
// describe them at the same time. The race detector reports a write to a default.
func TestClassesAreShared(t *testing.T) {
	all := registered(t, Class{Name: "Placed", Parent: thingClass.Name, New: func() Object {
		return &testObject{at: Vec3{1, 2, 3}, turn: Rot{Yaw: 1}}
	}})
	one, two := all.Session(), all.Session()
	packed := make(chan []byte)
	go func() { packed <- one.PackList() }()
	list := two.PackList()
	assert.Equal(t, list, <-packed)
}
