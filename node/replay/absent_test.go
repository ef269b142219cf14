package replay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestFleetIsAwayForLong is F6 in virtual time: the fleet is away for ten minutes. Both servers
// play on. Changes wait up to the limit of a mod, and put says so. When the fleet is back, all that
// waited is there, except what the other server was faster with. Both journals replay.
func TestFleetIsAwayForLong(t *testing.T) {
	t.Parallel()
	x := sharing(t, [2]string{})
	x.run(time.Second)
	x.in(0, `shared:put("n", 1)`)
	x.run(time.Second)
	x.world.Die()
	x.run(testenv.Length(20*time.Second, 10*time.Minute))
	for range 16 {
		x.in(0, `for i = 1, 1024 do shared:put("k" .. i % 50, i) end`)
		x.run(100 * time.Millisecond)
	}
	assert.Contains(t, x.in(0, `return select(2, pcall(shared.put, shared, "n", 2))`), "16384 changes of ")
	for range 5 {
		x.in(1, "update()")
	}
	x.in(1, `shared:put("k0", "of arena-2", note "put")`)
	assert.Equal(t, "6", x.in(1, `return shared:get("n")`), "an own change is seen at once")
	assert.Equal(t, "1", x.in(0, `return shared:get("n")`))
	for i := range 2 {
		assert.Equal(t, 1, strings.Count(x.logs[i].String(), "the fleet does not answer"), "said once")
	}
	x.world.Revive()
	x.run(20 * time.Second)
	for i := range 2 {
		assert.Equal(t, "6", x.in(i, `return shared:get("n")`))
		assert.Equal(t, "1001", x.in(i, `return shared:get("k1")`))
	}
	assert.Equal(t, 5, x.count(1, "good"))
	assert.Equal(t, x.in(0, "return have()"), x.in(1, "return have()"))
	x.in(0, "update()")
	x.run(time.Second)
	assert.Equal(t, "7", x.in(1, `return shared:get("n")`), "there is room again")
	x.replayAll()
}
