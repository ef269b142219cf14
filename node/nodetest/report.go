package nodetest

import (
	"fmt"
	"os"
	"path/filepath"
)

// shrinkRuns is how many runs look for a smaller plan.
const shrinkRuns = 200

// Report shrinks a failing plan, and saves it in a folder with the journals of its server. It
// returns a text that says how to run them again. temp makes an empty folder for a run.
func Report(p Plan, f *Failure, folder string, temp func() string) (string, error) {
	small := Shrink(p, f.Rule, shrinkRuns, func(p Plan) *Failure { return Run(p, temp()).Failure })
	folder = filepath.Join(folder, fmt.Sprintf("torc-%d", p.Seed))
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	plan := filepath.Join(folder, "plan")
	if err := os.WriteFile(plan, []byte(small.String()), 0o600); err != nil {
		return "", err
	}
	after := Record(small, temp(), folder).Failure
	text := fmt.Sprintf("seed %d: %v\nas a smaller plan: %v\n%srun the plan again: TORC_PLAN=%s go test ./node/nodetest -run TestPlan\n",
		p.Seed, f, after, small, plan)
	if after == nil || after.Rule != f.Rule {
		return text + "with journals, which change keys and cookies, it does not fail in this way", nil
	}
	last, err := filepath.Glob(filepath.Join(folder, "*.torcj"))
	if err != nil || len(last) == 0 {
		return text + "the server has not started, so there is no journal", err
	}
	return text + fmt.Sprintf("replay the server: TORC_JOURNAL=%s go test ./node/nodetest -run TestJournal -v", last[len(last)-1]), nil
}
