package nodetest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRowsHaveAllPairs(t *testing.T) {
	have := map[pair]bool{}
	for _, row := range conditionRows() {
		for a := range row {
			for b := a + 1; b < len(row); b++ {
				have[pair{a, row[a], b, row[b]}] = true
			}
		}
	}
	want := 0
	for a := range factors {
		for b := a + 1; b < len(factors); b++ {
			want += len(factors[a].levels) * len(factors[b].levels)
		}
	}
	assert.Len(t, have, want)
	t.Logf("%d rows for %d pairs", len(conditionRows()), want)
}

func TestPlansAreText(t *testing.T) {
	for seed := range uint64(200) {
		p := NewPlan(seed)
		require.NotEmpty(t, p.Events)
		again, err := ParsePlan(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
}

func TestPlansOfStrangersAreRefused(t *testing.T) {
	for text, why := range map[string]string{
		"seed x":               "line 1",
		"seed 1\n1s fly 2":     `line 2: no event is called "fly"`,
		"seed 1\n\nx kick 2":   "line 3",
		"seed 1\n1s kick Anna": "line 2",
	} {
		_, err := ParsePlan(text)
		assert.ErrorContains(t, err, why, text)
	}
}

// A run of this test fails if it has the events 3 and 17.
func TestShrinkKeepsOnlyTheCause(t *testing.T) {
	var p Plan
	for i := range 40 {
		p.Events = append(p.Events, Event{What: "kick", Who: i})
	}
	runs := 0
	run := func(p Plan) *Failure {
		runs++
		has := func(who int) bool { return slices.ContainsFunc(p.Events, func(e Event) bool { return e.Who == who }) }
		switch {
		case has(3) && has(17):
			return &Failure{Rule: "V5"}
		case has(3):
			return &Failure{Rule: "V7"}
		}
		return nil
	}
	assert.Equal(t, []Event{{What: "kick", Who: 3}, {What: "kick", Who: 17}}, Shrink(p, "V5", 200, run).Events)
	assert.Less(t, runs, 100)
	runs = 0
	Shrink(p, "V5", 7, run)
	assert.Equal(t, 7, runs, "the number of runs is limited")
}

func TestClocksOfMachines(t *testing.T) {
	var c clock
	assert.Equal(t, time.Second, c.at(time.Second))
	c.set(time.Second, 500, 3*time.Second)
	assert.Equal(t, 4*time.Second, c.at(time.Second))
	assert.Equal(t, 14*time.Second+5*time.Millisecond, c.at(11*time.Second))
}
