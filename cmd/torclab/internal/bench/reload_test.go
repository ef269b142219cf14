package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReload reloads the mod of an empty server. The two faulty versions are refused.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m, err := copyMod(dir)
	require.NoError(t, err)
	tests, err := filepath.Glob(filepath.Join(m.dir, "test", "*_test.lua"))
	require.NoError(t, err)
	for _, file := range tests { // the others take long
		if filepath.Base(file) != "match_test.lua" {
			require.NoError(t, os.Remove(file))
		}
	}
	a, err := newScenario(1, os.DirFS(dir))
	require.NoError(t, err)
	require.NoError(t, a.open())
	defer a.close()
	for _, line := range []string{"mod.callbackTime 1s", "mod.tickTime 1s"} { // a busy machine must not stop a script
		_, err = a.console.Exec(line)
		require.NoError(t, err)
	}
	var row Row
	require.NoError(t, a.reloads(Options{Row: 8 * tickTime, Load: Load{}}, 0, m, func(r Row) { row = r }))
	figures := map[string]any{}
	for _, f := range row {
		figures[f.Name] = f.Value
	}
	for name, want := range map[string]any{"reloads": 3, "refused": 2, "disconnects": 0, "script_faults": 0} {
		assert.Equal(t, want, figures[name], name)
	}
	for _, name := range []string{"swap_ms_p50", "swap_ms_max", "trial_ms_p50", "interval_ms_p99", "interval_ms_max", "calm_interval_ms_max"} {
		assert.Positive(t, figures[name], name)
	}
	assert.Equal(t, "1.0.1", a.scripts.Manifest("ctf").Version.String(), "of the one that was right")
	assert.ErrorContains(t, m.put("server/score.lua", "nowhere", ""), `ctf's server/score.lua has no "nowhere"`)
}

func TestAbove(t *testing.T) {
	for most, want := range map[float64]int{0: 4, 1: 3, 2: 1, 2.5: 1, 3: 0} {
		assert.Equal(t, want, above([]float64{1, 2, 2, 3}, most), most)
	}
	assert.Empty(t, intervals(nil))
}
