package nodetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestSystems runs the plans of some seeds. A failing plan is made smaller, printed and saved.
func TestSystems(t *testing.T) {
	var all Result
	for seed := range testenv.Seeds(t, 2, 200) {
		p := NewPlan(seed)
		r := Run(p, t.TempDir())
		all.ClientTime, all.Enters, all.Secrets = all.ClientTime+r.ClientTime, all.Enters+r.Enters, all.Secrets+r.Secrets
		all.Convergence = max(all.Convergence, r.Convergence)
		if r.Failure != nil {
			text, err := Report(p, r.Failure, os.TempDir(), t.TempDir)
			require.NoError(t, err)
			t.Error(text)
		} else if seed%10 == 0 {
			assert.Equal(t, r.Hash, Run(p, t.TempDir()).Hash, "V14: seed %d, run twice", seed)
		}
	}
	t.Logf("%v of play, %d joins, %d commands of keepers, equal after %v at most", all.ClientTime, all.Enters, all.Secrets, all.Convergence)
}

// TestPlansThatFailed runs the plans in testdata. In each, an honest player was thrown off or seen
// dead. All had one cause (netcore/move, TestStateIsOfOneGhost), so the short form runs one.
func TestPlansThatFailed(t *testing.T) {
	files, err := filepath.Glob("testdata/" + testenv.Length("owed-state.plan", "*.plan"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { runPlan(t, path) })
	}
}

// TestPlan runs the plan of a file.
func TestPlan(t *testing.T) {
	path := os.Getenv("TORC_PLAN")
	if path == "" {
		t.Skip("TORC_PLAN names no file")
	}
	runPlan(t, path)
}

func runPlan(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	p, err := ParsePlan(string(text))
	require.NoError(t, err)
	r := Run(p, t.TempDir())
	require.Nil(t, r.Failure)
	t.Logf("%+v", r)
}

// TestJournal replays a journal that a failing seed has saved.
func TestJournal(t *testing.T) {
	path := os.Getenv("TORC_JOURNAL")
	if path == "" {
		t.Skip("TORC_JOURNAL names no file")
	}
	r, err := Replay(path, func(line string) { t.Log(line) })
	require.NoError(t, err)
	require.Empty(t, r.Difference)
	t.Logf("%d ticks, as in the journal", r.Ticks)
}
