package nodetest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// shrinkRuns is how many runs look for a smaller plan.
const shrinkRuns = 200

// TestSystems runs the plans of some seeds. A failing plan is made smaller, printed and saved.
func TestSystems(t *testing.T) {
	var all Result
	for seed := range testenv.Seeds(t, 12, 200) {
		p := NewPlan(seed)
		r := Run(p, t.TempDir())
		all.ClientTime, all.Enters, all.Secrets = all.ClientTime+r.ClientTime, all.Enters+r.Enters, all.Secrets+r.Secrets
		all.Convergence = max(all.Convergence, r.Convergence)
		if r.Failure != nil {
			report(t, p, r.Failure)
		} else if seed%10 == 0 {
			assert.Equal(t, r.Hash, Run(p, t.TempDir()).Hash, "V14: seed %d, run twice", seed)
		}
	}
	t.Logf("%v of play, %d joins, %d commands of keepers, equal after %v at most", all.ClientTime, all.Enters, all.Secrets, all.Convergence)
}

// report shrinks a failing plan and tells how to run it again.
func report(t *testing.T, p Plan, f *Failure) {
	small := Shrink(p, f.Rule, shrinkRuns, func(p Plan) *Failure { return Run(p, t.TempDir()).Failure })
	after := Run(small, t.TempDir()).Failure
	path := filepath.Join(os.TempDir(), fmt.Sprintf("torc-%d.plan", p.Seed))
	require.NoError(t, os.WriteFile(path, []byte(small.String()), 0o600))
	t.Errorf("seed %d: %v\nas a smaller plan: %v\n%srun the plan again: TORC_PLAN=%s go test ./engine/node/nodetest -run TestPlan",
		p.Seed, f, after, small, path)
}

// TestPlan runs the plan of a file.
func TestPlan(t *testing.T) {
	path := os.Getenv("TORC_PLAN")
	if path == "" {
		t.Skip("TORC_PLAN names no file")
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	p, err := ParsePlan(string(text))
	require.NoError(t, err)
	r := Run(p, t.TempDir())
	require.Nil(t, r.Failure)
	t.Logf("%+v", r)
}
