package vm

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// loads runs the files of two mods in a transaction of 10 ms, and returns the errors and what a
// script could have seen.
func loads(r *rig, sources ...string) (errs []string, count int64) {
	end := r.Transact(10 * time.Millisecond)
	for i, source := range sources {
		m := r.NewMod(string(rune('a'+i)), files("server/init.lua", source))
		if err := m.RunFile("server/init.lua"); err != nil {
			errs = append(errs, err.Error())
		}
	}
	end()
	return errs, r.InstructionCount()
}

const (
	shortLoop = `for i = 1, 1000 do end`
	longLoop  = `for i = 1, 5000 do end`
	endless   = `pcall(function() while true do end end) while true do end`
)

// TestATransactionHasOneBudget checks that all loads of a transaction share its CPU time, with the
// time of the work between them. Their error names the whole budget. A runtime that is told the
// verdicts ends at the same instruction.
func TestATransactionHasOneBudget(t *testing.T) {
	for name, c := range map[string]struct {
		sources []string
		between time.Duration // CPU time of each read of the clock
		failing int
	}{
		"enough time":          {[]string{shortLoop, shortLoop, shortLoop}, 100 * time.Microsecond, 0},
		"a loop":               {[]string{endless, `x = 1`}, 100 * time.Microsecond, 2},
		"the third is late":    {[]string{longLoop, longLoop, longLoop}, 200 * time.Microsecond, 1},
		"time between entries": {[]string{`x = 1`, `x = 1`, `x = 1`}, 4 * time.Millisecond, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var told []Verdict
			r := newRig(t, func(c *Config) { c.Verdict = func(v Verdict) { told = append(told, v) } })
			r.perCPU = c.between
			errs, count := loads(r, c.sources...)
			assert.Len(t, errs, c.failing)
			for _, err := range errs {
				assert.True(t, strings.HasSuffix(err, "the budget of 10ms is used up"), err)
			}
			assert.Zero(t, r.pinned)

			again := newRig(t, func(c *Config) { c.Thread, c.Heap, c.Clock, c.Foretold = nil, nil, nil, true })
			for _, v := range told {
				again.Foretell(v)
			}
			errsAgain, countAgain := loads(again, c.sources...)
			assert.Equal(t, errs, errsAgain)
			assert.Equal(t, count, countAgain)
			assert.Empty(t, again.Untold())
		})
	}
}

// TestATransactionBoundsNoEvents checks that events in a transaction and loads after it have their
// own budgets.
func TestATransactionBoundsNoEvents(t *testing.T) {
	r := newRig(t)
	m := r.mod("m", `function onTick() for i = 1, 10000 do end end`)
	end := r.Transact(time.Millisecond)
	r.cpu += time.Second
	_, ok := r.Dispatch(m, "onTick", m.Global("onTick").(*lua.LFunction))
	assert.True(t, ok)
	require.ErrorContains(t, m.RunFile("server/init.lua"), "the budget of 1ms is used up")
	end()
	assert.NoError(t, m.RunFile("server/init.lua"))
}
