package manual

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBash asks a real bash for the completions of some lines. The last word is the one to complete.
func TestBash(t *testing.T) {
	for line, want := range map[string]string{
		"demo r":                   "run",
		"demo ":                    "run stop help",
		"demo run --co":            "--console --count",
		"demo run --console ":      "auto tty",
		"demo run --console t":     "tty",
		"demo run --count ":        "",
		"demo run --strict --fi":   "--file",
		"demo stop o":              "one",
		"demo help s":              "stop",
		"demo run --file /etc/pas": "/etc/passwd",
	} {
		words := strings.Split(line, " ")
		script := written(t, "bash") + `COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _demo; for w in "${COMPREPLY[@]}"; do [ "$w" = /etc/passwd- ] || printf '%s ' "$w"; done`
		out, err := exec.Command("bash", append([]string{"-c", script, "bash"}, words...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
}
