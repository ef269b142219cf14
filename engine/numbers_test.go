package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore/ghost"
)

// TestNumbersFor checks that the places of numbers are used only if the class has the groups of the
// layout. Otherwise the values of an update would go to the wrong fields.
func TestNumbersFor(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Classes: gliderClass(t)})
	class := r.Server.World().Classes().Lookup("Glider")
	o := r.Server.World().Make(class).(*glider)
	own := engine.LayoutOf(r.Server.Host, "Glider")
	n := engine.NumbersFor(own, class, o)
	assert.Len(t, n, 5)
	for i, p := range []*float64{&o.at.X, &o.at.Y, &o.at.Z, &o.yaw, &o.pitch} {
		assert.Same(t, p, n[i])
	}
	groups := append([]ghost.CellGroup(nil), own.Groups...)
	groups[2].Cells = append([]ghost.Cell(nil), groups[2].Cells...)
	groups[2].Cells[0].Smooth = false
	assert.Nil(t, engine.NumbersFor(ghost.NewLayout(own.ID, own.Name, groups), class, o))
}
