package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

// lineSeeds is the number of runs of a row on netsim, and lineLong the virtual time of each.
const (
	lineSeeds = 5
	lineLong  = time.Minute
)

// lineResult is what a row has measured on both media.
type lineResult struct {
	simulated, live line.Result
	err             error
}

// lines runs the chosen rows on netsim, one after the other. Then it runs them through relays.
func lines(o Options, emit func(Row)) error {
	rows, err := chosenLines(o.Rows)
	if err != nil {
		return err
	}
	return runLines(rows, o, emit)
}

func runLines(rows []line.Row, o Options, emit func(Row)) (err error) {
	results := make([]lineResult, len(rows))
	for i := range rows {
		if results[i].simulated, results[i].err = worstSimulated(&rows[i]); results[i].err != nil {
			return results[i].err
		}
	}
	liveResults(rows, results, o.Row)
	failed := 0
	for i, r := range results {
		verdict := "pass"
		if onlyVirtual(&rows[i]) {
			r.live = line.Result{Measured: "-"}
		}
		if r.err != nil {
			r.live = line.Result{Measured: r.err.Error(), Score: line.Holds(false)}
		}
		if !r.simulated.Pass() || !r.live.Pass() {
			verdict, failed = "FAIL", failed+1
		}
		emit(Row{{"line", rows[i].Name}, {"required", rows[i].Required}, {"netsim", r.simulated.Measured}, {"relay", r.live.Measured}, {"result", verdict}})
	}
	all := len(rows)
	if len(o.Rows) == 0 || slices.Contains(o.Rows, "kernel") {
		for _, rate := range kernelRates {
			row, pass := kernelRow(rate, o.Row)
			emit(row)
			if all++; !pass {
				failed++
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d rows failed", failed, all)
	}
	return nil
}

// liveResults runs the rows through relays: all at once, and then those one by one that need much
// of a processor. Rows that fail run once more, alone: other load on the machine disturbs them. An
// error is the result of its row, and the other rows keep theirs.
func liveResults(rows []line.Row, results []lineResult, long time.Duration) {
	measure := func(i int) { results[i].live, results[i].err = liveResult(&rows[i], long) }
	var all sync.WaitGroup
	for i := range rows {
		if !rows[i].Alone && !onlyVirtual(&rows[i]) {
			all.Go(func() { measure(i) })
		}
	}
	all.Wait()
	for i := range rows {
		if rows[i].Alone {
			measure(i)
		}
		if results[i].failed() {
			measure(i)
		}
	}
}

// failed reports whether the row has no result through a relay, or one that does not meet the
// requirement.
func (r *lineResult) failed() bool { return r.err != nil || !r.live.Pass() }

// chosenLines returns the rows whose names contain one of some words.
func chosenLines(words []string) ([]line.Row, error) {
	rows := append(line.Rows(), hostRows()...)
	if len(words) == 0 {
		return rows, nil
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "kernel" })
	for _, w := range words {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, w) }) {
			return nil, flags.Usagef("torclab bench line has no row %q; it has %s", w, strings.Join(names, "; "))
		}
	}
	return slices.DeleteFunc(rows, func(r line.Row) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(r.Name, w) })
	}), nil
}

// worstSimulated returns the worst result of some seeds on netsim.
func worstSimulated(row *line.Row) (worst line.Result, err error) {
	for seed := range uint64(lineSeeds) {
		result, err := row.Measure(line.NewSimulated(seed), seed, lineLong)
		if err != nil {
			return worst, err
		}
		if seed == 0 || result.Score > worst.Score {
			worst = result
		}
	}
	return worst, nil
}

// liveResult runs a row through a relay.
func liveResult(row *line.Row, long time.Duration) (line.Result, error) {
	m := newLiveLine()
	result, err := row.Measure(m, uint64(time.Now().UnixNano()), long)
	return result, errors.Join(err, m.close())
}
