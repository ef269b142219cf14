package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

// TestLine runs a row of its own, on netsim and through the relay: a connection that carries data.
func TestLine(t *testing.T) {
	t.Parallel()
	carries := line.Row{Name: "a short one", Required: "data arrives", Measure: func(m line.Medium, seed uint64, long netcore.Time) (line.Result, error) {
		r, bytes := line.NewRun(m, seed, 0, 0), 0.
		end := m.Now() + 5*time.Minute
		for r.Connect(false, 0); bytes == 0 && m.Now() < end; {
			bytes = r.Use(m.Now() + tiny).Deliveries[0]
		}
		return line.Result{Measured: fmt.Sprintf("%.0f bytes", bytes), Score: line.Holds(bytes > 0)}, nil
	}}
	var got []Row
	require.NoError(t, runLines([]line.Row{carries}, Options{Rows: []string{carries.Name}}, func(r Row) { got = append(got, r) }))
	require.Len(t, got, 1)
	for i, name := range []string{"line", "required", "netsim", "relay", "result"} {
		assert.Equal(t, name, got[0][i].Name)
		assert.NotEmpty(t, got[0][i].Value)
	}
	fails := line.Row{Name: "none", Measure: func(line.Medium, uint64, netcore.Time) (line.Result, error) {
		return line.Result{Measured: "none", Score: line.Holds(false)}, nil
	}}
	assert.EqualError(t, runLines([]line.Row{fails}, Options{Rows: []string{"none"}}, func(Row) {}), "1 of 1 rows failed")
}

// TestErrorsStayInTheirRow: a row that ends with an error keeps no other row from its result, and a
// row of virtual time is not run through the relay.
func TestErrorsStayInTheirRow(t *testing.T) {
	lives := make([]int, 3)
	measure := func(i int, err error) func(line.Medium, uint64, netcore.Time) (line.Result, error) {
		return func(line.Medium, uint64, netcore.Time) (line.Result, error) {
			lives[i]++
			return line.Result{Measured: "fine"}, err
		}
	}
	rows := []line.Row{
		{Name: "broken", Measure: measure(0, errors.New("no ghost arrived"))},
		{Name: "good", Measure: measure(1, nil)},
		{Name: manyRow.Name, Measure: measure(2, nil)},
	}
	results := make([]lineResult, len(rows))
	liveResults(rows, results, tiny)
	assert.Equal(t, []int{2, 1, 0}, lives)
	assert.EqualError(t, results[0].err, "no ghost arrived")
	assert.NoError(t, results[1].err)
	assert.Equal(t, "fine", results[1].live.Measured)
}

// TestHeavyRowsRunAlone: rows run together, but no other row runs beside one that needs much of a
// processor. Each row waits for its release, so the test sees which rows run at the same time.
func TestHeavyRowsRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release, done := make(chan string, 10), make(chan struct{}), make(chan struct{})
		row := func(name string, alone bool) line.Row {
			return line.Row{Name: name, Alone: alone, Measure: func(line.Medium, uint64, netcore.Time) (line.Result, error) {
				started <- name
				<-release
				return line.Result{Measured: name}, nil
			}}
		}
		rows := []line.Row{row("heavy", true), row("light", false), row("heavier", true), row("lighter", false)}
		results := make([]lineResult, len(rows))
		go func() {
			defer close(done)
			liveResults(rows, results, tiny)
		}()
		for _, together := range [][]string{{"light", "lighter"}, {"heavy"}, {"heavier"}} {
			synctest.Wait()
			var running []string
			for range len(started) {
				running = append(running, <-started)
			}
			assert.ElementsMatch(t, together, running)
			for range running {
				release <- struct{}{}
			}
		}
		<-done
		for i := range rows {
			assert.Equal(t, rows[i].Name, results[i].live.Measured)
		}
	})
}

func TestChosenLines(t *testing.T) {
	all, err := chosenLines(nil)
	require.NoError(t, err)
	some, err := chosenLines([]string{"two on", "28.8"})
	require.NoError(t, err)
	assert.Len(t, some, 3)
	assert.Greater(t, len(all), 10)
	_, err = chosenLines([]string{"nothing"})
	assert.ErrorContains(t, err, `torclab bench line has no row "nothing"; it has 28.8 kbit/s; `)
}

// TestHostRows holds the requirements of the rows with complete hosts, in virtual time.
// TORC_SEEDS=20 takes ten minutes. The rows with 64,000 objects and 60 bots run with TORC_LONG: the
// first takes 15 s. Others show fewer objects and bots on slower lines.
func TestHostRows(t *testing.T) {
	t.Parallel()
	heavy := func(r line.Row) bool {
		return strings.Contains(r.Name, "64,000") || strings.Contains(r.Name, "60 bots")
	}
	rows := hostRows()
	if !testenv.Long() {
		rows = slices.DeleteFunc(rows, heavy)
	}
	for _, row := range append(testenv.Every(2, append(rows, objectsRow(2000, 500_000))), botsRow(20, 32_000)) {
		t.Run(row.Name, func(t *testing.T) {
			for seed := range min(testenv.SeedCount(t, 1, 3), 20) {
				result, err := row.Measure(line.NewSimulated(seed), seed, testenv.Length(20*time.Second, time.Minute))
				require.NoError(t, err)
				t.Logf("seed %d: %s", seed, result.Measured)
				assert.True(t, result.Pass(), "seed %d: required %s; measured %s", seed, row.Required, result.Measured)
			}
		})
	}
}
