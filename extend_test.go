package torc_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// changesHeading divides docs/extend.md: before it is a program of its own, after it are changes.
const changesHeading = "\n## Change torc itself\n"

// TestExtendQuotes: the excerpts of docs/extend.md about a program of its own are parts of
// examples/embed.
func TestExtendQuotes(t *testing.T) {
	page, err := os.ReadFile("docs/extend.md")
	require.NoError(t, err)
	program, _, found := strings.Cut(string(page), changesHeading)
	require.True(t, found)
	var sources []string
	require.NoError(t, filepath.WalkDir("examples/embed", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			sources = append(sources, string(text))
		}
		return err
	}))
	quotes := regexp.MustCompile("(?ms)^```(?:go|lua)\n(.*?)^```$").FindAllStringSubmatch(program, -1)
	assert.Len(t, quotes, 11)
	for _, q := range quotes {
		assert.True(t, slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, q[1]) }), "examples/embed has no\n%s", q[1])
	}
}

// TestExtend applies the changes of docs/extend.md to the source, by an overlay, and runs the tests
// that the page adds.
func TestExtend(t *testing.T) {
	if !testing.Verbose() {
		return // it builds two packages anew; .ci/run runs it
	}
	page, err := os.ReadFile("docs/extend.md")
	require.NoError(t, err)
	_, changes, found := strings.Cut(string(page), changesHeading)
	require.True(t, found)
	files := map[string]string{}
	name := ""
	block := regexp.MustCompile("(?ms)^\\*\\*([a-z/_]+\\.go)\\*\\*|^```(go|diff)\n(.*?)^```$")
	for _, m := range block.FindAllStringSubmatch(changes, -1) {
		switch {
		case m[1] != "":
			name = m[1]
		case m[2] == "go":
			assert.NoFileExists(t, name, "the page says that it is a new file")
			files[name] = m[3]
		default:
			if _, begun := files[name]; !begun {
				source, err := os.ReadFile(name)
				require.NoError(t, err)
				files[name] = string(source)
			}
			files[name] = patched(t, name, files[name], m[3])
		}
	}
	require.Len(t, files, 8)
	overlay, tests := map[string]string{}, map[string][]string{}
	for name, text := range files {
		path := filepath.Join(t.TempDir(), filepath.Base(name))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		full, err := filepath.Abs(name)
		require.NoError(t, err)
		overlay[full] = path
		for _, m := range regexp.MustCompile(`(?m)^func (Test[A-Za-z]+)`).FindAllStringSubmatch(text, -1) {
			tests[filepath.Dir(name)] = append(tests[filepath.Dir(name)], m[1])
		}
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(list, text, 0o644))
	require.Len(t, tests, 2)
	for folder, names := range tests {
		run := exec.CommandContext(t.Context(), "go", "test", "-overlay", list, "-v", "-run", "^("+strings.Join(names, "|")+")$", "./"+folder)
		out, err := testenv.Output(t, run)
		assert.NoError(t, err, "%s", out)
		for _, name := range names {
			assert.Contains(t, string(out), "--- PASS: "+name+" ", folder)
		}
	}
}

// patched returns a source with a change. The lines with - are there once; those with + replace
// them. The last line of each can be the beginning of one.
func patched(t *testing.T, name, source, change string) string {
	var was, is []string
	for line := range strings.Lines(change) {
		line = strings.TrimSuffix(line, "\n")
		switch line[0] {
		case '-':
			was = append(was, line[1:])
		case '+':
			is = append(is, line[1:])
		}
	}
	old := strings.Join(was, "\n")
	require.Equal(t, 1, strings.Count(source, old), "%s has once: %s", name, old)
	return strings.Replace(source, old, strings.Join(is, "\n"), 1)
}
