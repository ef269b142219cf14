package testenv

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// SeedBase returns the first seed of sweeps: TORC_SEED_BASE, else 0.
func SeedBase() (uint64, error) {
	text := os.Getenv("TORC_SEED_BASE")
	if text == "" {
		return 0, nil
	}
	base, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("TORC_SEED_BASE = %q: must be a whole number below 2^63", text)
	}
	return base, nil
}

// hiddenSeeds is the value of TORC_SEEDS before HideSeeds.
var hiddenSeeds string

// HideSeeds removes TORC_SEEDS from the environment. Sweeps keep their number of seeds. TestMain
// calls it if the tested program refuses environment variables whose names are near those of its
// settings.
func HideSeeds() {
	hiddenSeeds = os.Getenv("TORC_SEEDS")
	os.Unsetenv("TORC_SEEDS")
}

// SeedCount returns the number of seeds of a sweep: TORC_SEEDS, else full if TORC_LONG is set, but
// at most TORC_MOST_SEEDS, else short.
func SeedCount(t testing.TB, short, full uint64) uint64 {
	t.Helper()
	if n := numberIn(t, "TORC_SEEDS", cmp.Or(os.Getenv("TORC_SEEDS"), hiddenSeeds)); n > 0 {
		return n
	}
	if most := numberIn(t, "TORC_MOST_SEEDS", os.Getenv("TORC_MOST_SEEDS")); most > 0 {
		full = min(full, most)
	}
	return Length(short, full)
}

// numberIn reads the number of a variable. It returns 0 if the variable is not set.
func numberIn(t testing.TB, name, text string) uint64 {
	t.Helper()
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n == 0 {
		t.Fatalf("%s = %q: must be a whole number of at least 1", name, text)
	}
	return n
}

// Seeds returns the seeds of a sweep. SeedCount tells their number, Sweep their values.
func Seeds(t testing.TB, short, full uint64) iter.Seq[uint64] {
	t.Helper()
	return Sweep(t, SeedCount(t, short, full))
}

// Sweep returns n seeds from the base on. So a test plays the same seeds every day, and is not red
// by date: .ci/fresh plays others. A test that fails logs how to run the seed again.
func Sweep(t testing.TB, n uint64) iter.Seq[uint64] {
	t.Helper()
	base, err := SeedBase()
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(uint64) bool) {
		var seed uint64
		ended, failed := false, false
		t.Cleanup(func() {
			if t.Failed() && !ended {
				t.Log(again(t.Name(), seed))
			}
		})
		for i := uint64(0); i < n && !failed; i++ {
			seed = base + i
			if !yield(seed) {
				break
			}
			failed = t.Failed()
		}
		ended = !failed && !t.Failed()
	}
}

// again says how to run one seed of a test again.
func again(test string, seed uint64) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return fmt.Sprintf("run the seed again: TORC_SEED_BASE=%d TORC_SEEDS=1 go test -run '%s'", seed, strings.Join(parts, "/"))
}
