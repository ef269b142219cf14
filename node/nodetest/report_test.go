package nodetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReportSavesJournals breaks a rule in the second life of a server. The report has the smallest
// plan, and a journal of each life, which plays to its end without a difference.
func TestReportSavesJournals(t *testing.T) {
	actions["break"] = func(s *system, _ Event) {
		if s.server.life > 1 {
			s.fail("planted", "the server lives again")
		}
	}
	defer delete(actions, "break")
	p, err := ParsePlan("seed 3\n0s players 0 1\n0s loss 0 0.1\n1s reload 0\n3s crash 0\n5s rebind 1 port\n7s break 0\n8s calm 0\n")
	require.NoError(t, err)
	f := Run(p, t.TempDir()).Failure
	require.NotNil(t, f)
	folder := t.TempDir()
	text, err := Report(p, f, folder, t.TempDir)
	require.NoError(t, err)
	small := "seed 3\n3s crash 0\n7s break 0\n"
	assert.Contains(t, text, small)
	at := filepath.Join(folder, "torc-3")
	plan, err := os.ReadFile(filepath.Join(at, "plan"))
	require.NoError(t, err)
	assert.Equal(t, small, string(plan))
	assert.Contains(t, text, "TORC_JOURNAL="+filepath.Join(at, journalName(2))+" ")
	for life := 1; life <= 2; life++ {
		var printed []string
		again, err := Replay(filepath.Join(at, journalName(life)), func(line string) { printed = append(printed, line) })
		require.NoError(t, err)
		assert.Empty(t, again.Difference)
		assert.Greater(t, again.Ticks, uint64(80))
		assert.Contains(t, strings.Join(printed, "\n"), "probe\tput\t")
	}
}
