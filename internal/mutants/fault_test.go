package mutants

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/gopher-lua/parse"
)

const here = "../.."

// leastFaults is the number of faults that the tables must have.
const leastFaults = 80

var testName = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// namesOf returns the tests of a package.
func namesOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(here, dir, "*_test.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range testName.FindAllStringSubmatch(string(text), -1) {
			names[found[1]] = true
		}
	}
	return names
}

// parses returns an error if the text of a file is neither Go nor Lua. A mod that does not parse
// fails any test.
func parses(name, text string) (err error) {
	switch filepath.Ext(name) {
	case ".go":
		_, err = parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	case ".lua":
		_, err = parse.Parse(strings.NewReader(text), name)
	default:
		err = fmt.Errorf("%s is no source", name)
	}
	return err
}

// TestFaultsFitTheSource keeps the tables up to date. Each fault applies to today's source, the
// result is Go or Lua, and the tests meant for it exist. A fault whose lines have changed needs the
// new lines; one whose rule is gone is removed.
func TestFaultsFitTheSource(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("go test -v reads all sources; .ci/run does")
	}
	faults, err := readFaults("faults")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(faults), leastFaults)
	packages := map[string]map[string]bool{}
	for _, f := range faults {
		sources, err := f.sources(here)
		if !assert.NoError(t, err, f.where) {
			continue
		}
		for name, text := range sources {
			assert.NoError(t, parses(name, text), "%s: fault %s", f.where, f.name)
		}
		for _, of := range f.tests {
			if packages[of.dir] == nil {
				packages[of.dir] = namesOf(t, of.dir)
			}
			for _, name := range of.names {
				assert.True(t, packages[of.dir][name], "%s: %s has no test %s", f.where, of.dir, name)
			}
		}
	}
}

// TestTables reads tables with mistakes.
func TestTables(t *testing.T) {
	const good = "fault a\nwhy   x\ntest  ./p TestX\nfile  p/x.go\n-\told\n+\tnew\n"
	for text, says := range map[string]string{
		good: "",
		"# a comment\n\n" + good + "\n" + strings.Replace(good, "fault a", "fault b", 1): "",
		good + good:                           "t.txt:7: fault a is already at t.txt:1",
		"why   x\n":                           `t.txt:1: "why   x" stands before the first fault`,
		"fault a\nwhy   x\n":                  "t.txt:1: fault a needs the lines why, test and file",
		"fault a\ntest  ./p\n":                `t.txt:2: "test  ./p": want a folder and at least one test`,
		"fault a\n-\told\n":                   "want why, test, file, or a line that begins with a space, - or +",
		strings.Replace(good, "why", "is", 1): "want why, test, file, or a line that begins with a space, - or +",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "t.txt"), []byte(text), 0o600))
		_, err := readFaults(dir)
		if says == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, says, text)
		}
	}
}

// TestEditsApplyOnce applies edits whose lines are there once, twice, never, and in part of a line.
func TestEditsApplyOnce(t *testing.T) {
	for _, c := range []struct{ source, old, new, want string }{
		{"a\nb\nc\n", "b\n", "x\ny\n", "a\nx\ny\nc\n"},
		{"a\nb\n", "a\n", "", "b\n"},
		{"a\nb\n", "b\n", "", "a\n"},
		{"b\nab\n", "b\n", "x\n", "x\nab\n"},
		{"a\na\n", "a\n", "x\n", ""},
		{"ab\n", "b\n", "x\n", ""},
		{"a\n", "a\n", "a\n", ""},
		{"a\n", "", "x\n", ""},
	} {
		got, err := edit{"f.go", c.old, c.new}.apply(c.source)
		assert.Equal(t, c.want, got, "%q", c.source)
		assert.Equal(t, c.want == "", err != nil, "%q: %v", c.source, err)
	}
}

// TestChoice chooses by names, by a seed, and all.
func TestChoice(t *testing.T) {
	var faults []fault
	for _, name := range strings.Fields("a b c d e f g h i j") {
		faults = append(faults, fault{name: name})
	}
	names := func(args []string, all bool, count int, seed uint64) (text string) {
		chosen, err := choose(faults, args, all, count, seed)
		require.NoError(t, err)
		for _, f := range chosen {
			text += f.name
		}
		return text
	}
	assert.Equal(t, "ca", names([]string{"c", "a"}, false, 0, 0))
	assert.Equal(t, "abcdefghij", names(nil, true, 3, 1))
	assert.Equal(t, "abcdefghij", names(nil, false, 0, 1))
	assert.Equal(t, names(nil, false, 3, 7), names(nil, false, 3, 7))
	seen := map[string]bool{}
	for seed := range uint64(100) {
		chosen := names(nil, false, 3, seed)
		require.Len(t, chosen, 3)
		for _, name := range chosen {
			seen[string(name)] = true
		}
	}
	assert.Len(t, seen, len(faults), "each has its day")
	_, err := choose(faults, []string{"x"}, false, 0, 0)
	assert.EqualError(t, err, `there is no fault "x": --list prints their names`)
}
