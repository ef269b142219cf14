package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testChecker answers the checks of a world.
type testChecker struct {
	has, wait bool
	verdict   Value
	asked     []string
}

func (c *testChecker) Checks(Object, string) bool { return c.has }

func (c *testChecker) Check(_ Object, name string, _ []Value) (Value, bool) {
	if !c.wait {
		c.asked = append(c.asked, name)
	}
	return c.verdict, !c.wait
}

// TestCheck checks when a world decides: at once without a callback, otherwise in the order of the
// events, and never for an object that is deleted before.
func TestCheck(t *testing.T) {
	w := testWorld(t)
	o, err := w.New("Thing", setter(row{"dataBlock", String("plain")}))
	require.NoError(t, err)
	var order []string
	decide := func(v Value) { order = append(order, v.Literal()) }
	tell := func(_ Object, name string, _ []Value) bool { order = append(order, name); return true }

	w.Check(o, "onHit", decide)
	assert.Equal(t, []string{"nil"}, order, "no checker")
	c := &testChecker{verdict: Number(3)}
	w.Checker = c
	w.Check(o, "onHit", decide)
	assert.Equal(t, []string{"nil", "nil"}, order, "no callback")

	order, c.has = nil, true
	w.Emit(o, "before")
	w.Check(o, "onHit", decide)
	w.Emit(o, "after")
	assert.Empty(t, order)
	c.wait = true
	w.Deliver(tell)
	assert.Equal(t, []string{"before", "after"}, order, "the check waits")
	c.wait = false
	w.Deliver(tell)
	assert.Equal(t, []string{"before", "after", "3"}, order)
	w.Deliver(tell)
	assert.Len(t, c.asked, 1, "each check is asked once")

	order = nil
	w.Check(o, "onHit", decide)
	require.NoError(t, w.Delete(o))
	w.Deliver(tell)
	assert.Empty(t, order)
	assert.Len(t, c.asked, 1)
}

// TestEventsAreBounded emits more events in a tick than scripts get. The newest are dropped and
// counted.
func TestEventsAreBounded(t *testing.T) {
	w := testWorld(t)
	o, err := w.New("Thing", setter(row{"dataBlock", String("plain")}))
	require.NoError(t, err)
	for i := range MaxEvents + 3 {
		w.Emit(o, "hit", Number(float64(i)))
	}
	assert.Len(t, w.events, MaxEvents)
	assert.EqualValues(t, 3, w.DroppedEvents)
	n := 0
	w.Deliver(func(_ Object, _ string, args []Value) bool {
		assert.Equal(t, Number(float64(n)), args[0])
		n++
		return true
	})
	assert.Equal(t, MaxEvents, n)
	w.Emit(o, "hit", Number(0))
	assert.Len(t, w.events, 1, "there is room again")
}
