package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBash asks a real bash for the completions of some lines. The last word is the one to
// complete.
func TestBash(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "settings.toml"), nil, 0o600))
	for line, want := range map[string]string{
		"demo r":                 "run",
		"demo ":                  "run stop help",
		"demo run --co":          "--console --count",
		"demo run --console ":    "auto tty",
		"demo run --console t":   "tty",
		"demo run --count ":      "",
		"demo run --strict --fi": "--file",
		"demo stop o":            "one",
		"demo help s":            "stop",
		"demo run --file set":    "settings.toml",
	} {
		words := strings.Split(line, " ")
		script := written(t, "bash") + `COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _demo; for w in "${COMPREPLY[@]}"; do printf '%s ' "$w"; done`
		bash := exec.Command("bash", append([]string{"-c", script, "bash"}, words...)...)
		bash.Dir = dir
		out, err := bash.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
}
