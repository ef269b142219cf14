package mutants

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// newModule writes a module with one function and its tests.
func newModule(t *testing.T) (root string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command builds the tests of this module")
	}
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module m\n\ngo 1.26\n",
		"sum/sum.go": "package sum\n\nfunc Sum(a, b int) int {\n\treturn a + b\n}\n",
		"sum/sum_test.go": `package sum

import "testing"

func TestSum(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		if Sum(1, 2) != 3 {
			t.Fatal("wrong")
		}
	})
}

func TestNothing(t *testing.T) { Sum(1, 2) }

func TestSkipped(t *testing.T) { t.Skip("not here") }
`,
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return root
}

// TestVerdicts tries faults that are noticed, not noticed, and wrong themselves. The source stays
// as it is.
func TestVerdicts(t *testing.T) {
	root := newModule(t)
	type row struct {
		change, test string
		limit        time.Duration
		want         outcome
		by           string
	}
	for _, c := range testenv.Every(3, []row{
		{"\treturn a - b\n", "TestSum", time.Minute, killed, "TestSum/small"},
		{"\treturn a - b\n", "TestNothing", time.Minute, survived, ""},
		{"\treturn b + a\n", "TestSum", time.Minute, survived, ""},
		{"\tselect {}\n", "TestNothing", time.Second, killed, "a hang of TestNothing"},
		{"\tvar s []int\n\treturn Sum(a, b) + s[0]\n", "TestNothing", time.Minute, killed, "a crash of TestNothing"},
		{"\tpanic(a)\n", "TestNothing", time.Minute, killed, "TestNothing"},
		{"\treturn \"\"\n", "TestSum", time.Minute, invalid, "does not compile"},
		{"\treturn a - b\n", "TestSkipped", time.Minute, invalid, "no test ran"},
		{"\treturn a - b\n", "TestOfNobody", time.Minute, invalid, "no test ran"},
	}) {
		f := fault{name: "x", tests: []tests{{"./sum", []string{c.test}}}, edits: []edit{{"sum/sum.go", "\treturn a + b\n", c.change}}}
		v := try(root, f, c.limit)
		assert.Equal(t, c.want, v.outcome, "%s: %s", c.change, v)
		assert.Contains(t, v.by, c.by, c.change)
	}
	text, err := os.ReadFile(filepath.Join(root, "sum", "sum.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "return a + b")
	assert.Equal(t, invalid, try(root, fault{edits: []edit{{"sum/sum.go", "gone\n", ""}}}, time.Minute).outcome)
}

// TestSurvivors checks the error for a fault that survives.
func TestSurvivors(t *testing.T) {
	root := newModule(t)
	plant := func(test, change string) fault {
		return fault{name: test, tests: []tests{{"./sum", []string{test}}}, edits: []edit{{"sum/sum.go", "\treturn a + b\n", change}}}
	}
	bad, unseen, wrong := plant("TestSum", "\treturn a - b\n"), plant("TestNothing", "\treturn a - b\n"), plant("TestSum", "\treturn nil\n")
	assert.NoError(t, run(t.Output(), root, []fault{bad}, 2, time.Minute))
	assert.ErrorIs(t, run(t.Output(), root, []fault{bad, unseen}, 2, time.Minute), ErrSurvived)
	assert.ErrorIs(t, run(t.Output(), root, []fault{wrong}, 1, time.Minute), ErrSurvived)
}
