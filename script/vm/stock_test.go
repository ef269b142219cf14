package vm

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
)

// These are the reasons to leave out lines of Lua 5.1's own test suite.
const (
	noFiles   = "a mod has no files"
	noEnv     = "setfenv(0) does not replace the globals of a mod"
	noDebug   = "most of the debug library is missing"
	insides   = "looks into the insides of PUC's implementation"
	ourWords  = "the library's errors are sentences of the house"
	ourSyntax = "syntax errors begin with file and line, and say it in other words"
	limits    = "another limit"
	decidedOn = "a decided difference"
	vmDefect  = "a defect of the VM: see Differences from Lua 5.1"
	tooLong   = "a part of it is enough"
)

// omission is a piece of a file that does not run. text is the start of its first line, so that a
// moved line is detected. If with is not empty, it replaces the piece.
type omission struct {
	first, last     int
	text, why, with string
}

// stock lists the pieces of each file that are left out. Files without an entry are left out
// completely.
var stock = map[string][]omission{
	"strings": {},
	"sort":    {},
	"vararg":  {},
	"math": {
		{126, 137, "f = io.tmpfile()", noFiles, ""},
		{139, 144, "assert(eq(a[300][1]", noFiles, ""},
		{164, 165, `require "checktable"`, insides, ""},
	},
	"closure": {
		{166, 178, "local function foo (a)", noEnv, ""},
		{413, 422, "co = coroutine.create", noDebug, ""},
	},
	"pm": {
		{235, 235, "assert(string.gfind", "each name has a function of its own", ""},
	},
	"nextvar": {},
	"calls": {
		{241, 241, "assert(debug.getinfo", noDebug, ""},
	},
	"constructs": {
		{189, 189, "  assert(debug.getinfo", noDebug, ""},
		{237, 238, "  i = i+1", tooLong, "  i = i+31 until i>=c"},
	},
	"events": {
		{22, 22, "assert(tostring(a) == nil)", decidedOn, ""},
		{331, 357, "mt = {}", noDebug, ""},
	},
	"literals": {},
	"locals": {
		{55, 83, "do", noEnv, ""},
	},
	"errors": {
		{103, 105, "checkmessage([[  -- tail call", ourWords, ""},
		{20, 20, "  assert(string.find(msg, pt))", ourSyntax, "  assert(msg)"},
		{39, 39, `assert(doit";")`, vmDefect, ""},
		{40, 40, `assert(doit"a=1;;")`, vmDefect, ""},
		{44, 44, `assert(doit"a=math.sin`, vmDefect, ""},
		{107, 107, "checkmessage([[collectgarbage", "memory is Go's", ""},
		{111, 111, "checkmessage(\"getmetatable(io", noFiles, ""},
		{126, 126, "assert(lineerror", vmDefect, ""},
		{214, 214, `  assert(not a and string.find(b, "syntax levels"))`, ourSyntax, "  assert(not a)"},
		{238, 238, `assert(string.find(b, "line 3"))`, ourSyntax, "assert(not a)"},
		{152, 168, "local l1", noDebug, ""},
	},
}

// restored are the lines that gopher-lua has commented out, because its own library fails them.
var restored = map[string][][2]int{
	"strings": {{102, 105}, {124, 124}},
	"pm":      {{70, 70}, {107, 107}, {110, 110}, {263, 279}},
	"vararg":  {{36, 36}, {44, 44}},
	"calls":   {{252, 253}},
}

// notStock are the files that are left out completely.
var notStock = map[string]string{
	"all":        "runs the others",
	"api":        insides,
	"attrib":     noFiles,
	"big":        "a table of some 16 MiB of source",
	"checktable": insides,
	"code":       insides,
	"db":         noDebug,
	"files":      noFiles,
	"gc":         "memory is Go's",
	"main":       noFiles,
	"verybig":    noFiles,
}

// stockFolder returns the folder of the suite in gopher-lua's module.
func stockFolder(t *testing.T) string {
	out, err := osexec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/gopher-lua").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "_lua5.1-tests")
}

// around defines the globals that the suite expects and a mod does not have. Globals that the
// suite tests are left out.
const around = `function print() end function collectgarbage() end os = {clock = function() return 0 end, setlocale = function() end} `

// runStock runs a file of the suite without the cuts.
func runStock(t *testing.T, folder, name string, cuts []omission) error {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name+".lua"))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for _, r := range restored[name] {
		for i := r[0]; i <= r[1]; i++ {
			line, commented := strings.CutPrefix(lines[i-1], "--")
			require.True(t, commented, "%s:%d is no comment: %s", name, i, lines[i-1])
			lines[i-1] = strings.TrimPrefix(strings.TrimPrefix(line, "[["), "]]")
		}
	}
	for _, c := range cuts {
		assert.True(t, strings.HasPrefix(lines[c.first-1], c.text), "%s:%d begins %q, not %q", name, c.first, lines[c.first-1], c.text)
		clear(lines[c.first-1 : c.last])
		lines[c.first-1] = c.with
	}
	h := New(Config{Side: Server, Seed: 1})
	m := h.NewMod("x", nil)
	m.State.Undefined = func(string) lua.LValue { return lua.LNil }
	fn, err := m.Compile(name+".lua", around+strings.Join(lines, "\n"), false)
	require.NoError(t, err)
	_, err = h.EnterWith(h.Limits().Load, m, fn)
	return err
}

func TestStockSuite(t *testing.T) {
	folder := stockFolder(t)
	for name, cuts := range stock {
		t.Run(name, func(t *testing.T) { require.NoError(t, runStock(t, folder, name, cuts)) })
	}
}

// TestStockCutsAreNeeded puts back each cut alone and requires that the file fails. Otherwise the
// cut is stale.
func TestStockCutsAreNeeded(t *testing.T) {
	folder := stockFolder(t)
	for name, cuts := range stock {
		for i, c := range cuts {
			if c.why == tooLong || i%testenv.Length(3, 1) != 0 {
				continue
			}
			but := append(append([]omission{}, cuts[:i]...), cuts[i+1:]...)
			assert.Error(t, runStock(t, folder, name, but), "%s:%d runs: %s", name, c.first, c.text)
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.lua"))
	require.NoError(t, err)
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".lua")
		_, run := stock[name]
		_, not := notStock[name]
		assert.True(t, run != not, "%s.lua is in one of the two tables", name)
	}
	assert.Len(t, files, len(stock)+len(notStock))
}
