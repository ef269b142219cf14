package nodetest

import "slices"

// Shrink removes events from a plan while the same rule still fails, as far as a number of runs
// allows. run returns what a run of a plan finds.
func Shrink(p Plan, rule string, runs int, run func(Plan) *Failure) Plan {
	fails := func(events []Event) bool {
		if runs--; runs < 0 {
			return false
		}
		f := run(Plan{p.Seed, events})
		return f != nil && f.Rule == rule
	}
	for size := len(p.Events) / 2; size > 0 && runs > 0; {
		smaller := false
		for i := 0; i < len(p.Events) && runs > 0; {
			rest := slices.Concat(p.Events[:i], p.Events[min(i+size, len(p.Events)):])
			if fails(rest) {
				p.Events, smaller = rest, true
			} else {
				i += size
			}
		}
		if !smaller || size > len(p.Events) {
			size /= 2
		}
	}
	return p
}
