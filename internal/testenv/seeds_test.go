package testenv

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestSeedsAreReadFromTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		long, seeds, most string
		want              uint64
	}{
		{"", "", "", 2}, {"1", "", "", 9}, {"", "7", "", 7}, {"1", "7", "", 7},
		{"", "", "5", 2}, {"1", "", "5", 5}, {"1", "", "50", 9}, {"1", "7", "5", 7},
	} {
		t.Setenv("TORC_LONG", c.long)
		t.Setenv("TORC_SEEDS", c.seeds)
		t.Setenv("TORC_MOST_SEEDS", c.most)
		if got := SeedCount(t, 2, 9); got != c.want {
			t.Errorf("TORC_LONG=%s TORC_SEEDS=%s TORC_MOST_SEEDS=%s: %d seeds, want %d", c.long, c.seeds, c.most, got, c.want)
		}
	}
}

func TestHiddenSeedsStillCount(t *testing.T) {
	t.Setenv("TORC_SEEDS", "7")
	defer func() { hiddenSeeds = "" }()
	HideSeeds()
	if text, is := os.LookupEnv("TORC_SEEDS"); is {
		t.Errorf("TORC_SEEDS=%s is still in the environment", text)
	}
	if got := SeedCount(t, 2, 9); got != 7 {
		t.Errorf("%d seeds, want 7", got)
	}
}

func TestSweepsBeginAtTheBase(t *testing.T) {
	t.Setenv("TORC_SEED_BASE", "7000")
	if got, want := slices.Collect(Sweep(t, 3)), []uint64{7000, 7001, 7002}; !slices.Equal(got, want) {
		t.Errorf("seeds %d, want %d", got, want)
	}
	for _, bad := range []string{"-1", "x", "9223372036854775808"} {
		t.Setenv("TORC_SEED_BASE", bad)
		if _, err := SeedBase(); err == nil {
			t.Errorf("TORC_SEED_BASE=%s is accepted", bad)
		}
	}
	t.Setenv("TORC_SEED_BASE", fmt.Sprint(uint64(math.MaxInt64)))
	if base, err := SeedBase(); base != math.MaxInt64 || err != nil {
		t.Errorf("base %d, %v", base, err)
	}
}

func TestOrdinarySweepsAreTheSameEveryDay(t *testing.T) {
	t.Setenv("TORC_SEED_BASE", "")
	if got, want := slices.Collect(Sweep(t, 3)), []uint64{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("seeds %d, want %d", got, want)
	}
}

// sweepTest is a test that fails when fails says so.
type sweepTest struct {
	testing.TB
	failed   bool
	cleanups []func()
	log      []string
}

func (s *sweepTest) Helper()            {}
func (s *sweepTest) Name() string       { return "TestRow/5 %" }
func (s *sweepTest) Failed() bool       { return s.failed }
func (s *sweepTest) Cleanup(end func()) { s.cleanups = append(s.cleanups, end) }
func (s *sweepTest) Log(args ...any)    { s.log = append(s.log, fmt.Sprint(args...)) }

// sweep runs a sweep of four seeds from 100 that fails at one of them, and returns the log.
func sweep(t *testing.T, failing func(s *sweepTest, seed uint64) (stop bool)) string {
	t.Setenv("TORC_SEED_BASE", "100")
	s := &sweepTest{TB: t}
	for seed := range Sweep(s, 4) {
		if failing(s, seed) {
			break
		}
	}
	for _, end := range s.cleanups {
		end()
	}
	return strings.Join(s.log, "\n")
}

func TestAFailedSweepSaysHowToRunTheSeedAgain(t *testing.T) {
	want := "run the seed again: TORC_SEED_BASE=102 TORC_SEEDS=1 go test -run '^TestRow$/^5 %$'"
	for _, stop := range []bool{false, true} {
		got := sweep(t, func(s *sweepTest, seed uint64) bool {
			s.failed = s.failed || seed == 102
			return s.failed && stop
		})
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := sweep(t, func(*sweepTest, uint64) bool { return false }); got != "" {
		t.Errorf("a sweep without a failure says %q", got)
	}
}
