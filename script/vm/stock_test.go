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
	notLua    = "a difference between gopher-lua and Lua 5.1"
	ownStack  = "the levels of the stack end at a protected call"
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
	"sort": {
		{17, 17, "limit = 30000", tooLong, "limit = 5000"},
	},
	"vararg": {},
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

// glua lists the pieces of gopher-lua's own tests that are left out, as stock does.
var glua = map[string][]omission{
	"base": {
		{1, 4, "local ok, msg", noFiles, ""},
		{7, 7, "  assert(getfenv(2)", ownStack, ""},
		{32, 32, "assert(not fn", ourSyntax, "assert(not fn)"},
	},
	"coroutine": {
		{8, 8, "assert(not ok", ourWords, "assert(not ok)"},
		{17, 17, "assert(not ok", ourWords, "assert(not ok)"},
	},
	"goto": {},
	"issues": {
		{75, 115, "local ok, result", noDebug, ""},
		{167, 167, "assert(not ok", ourWords, "assert(not ok)"},
		{217, 217, "assert(not ok", ourWords, "assert(not ok)"},
		{474, 481, "function test()", noFiles, ""},
		{484, 492, "function test()", noFiles, ""},
	},
	"math": {
		{7, 7, "assert(not ok", ourWords, "assert(not ok)"},
		{12, 12, "assert(not ok", ourWords, "assert(not ok)"},
	},
	"strings": {
		{5, 5, "assert(not ok", ourWords, "assert(not ok)"},
		{7, 7, "assert(string.gsub", notLua, ""},
	},
	"table": {
		{6, 6, "table.insert(a, 3", decidedOn, "a[3] = 10"},
		{12, 12, "assert(not ok", ourWords, "assert(not ok)"},
	},
	"vm": {
		{5, 5, "  assert(not ok", ourWords, "assert(not ok)"},
		{33, 33, "assert(not ok", ourWords, "assert(not ok)"},
		{40, 40, "assert(not ok", ourWords, "assert(not ok)"},
		{47, 47, "assert(not ok", ourWords, "assert(not ok)"},
		{52, 52, "assert(not ok", ourWords, "assert(not ok)"},
		{57, 57, "assert(not ok", ourWords, "assert(not ok)"},
	},
}

// notGlua are the files of gopher-lua's own tests that are left out completely.
var notGlua = map[string]string{
	"db": noDebug,
	"os": "a mod starts no programs and has no environment",
}

// around defines the globals that the suite of Lua 5.1 expects and a mod does not have. Globals
// that the suite tests are left out.
const around = `function print() end function collectgarbage() end os = {clock = function() return 0 end, setlocale = function() end} `

// A suite is a folder of tests in gopher-lua's module.
type suite struct {
	folder   string
	around   string // Lua in front of each file
	cuts     map[string][]omission
	restored map[string][][2]int
	not      map[string]string
}

// suites returns Lua's own tests and those of gopher-lua. They are read where Go keeps the module.
func suites(t *testing.T) map[string]suite {
	out, err := osexec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/gopher-lua").Output()
	require.NoError(t, err)
	module := strings.TrimSpace(string(out))
	return map[string]suite{
		"lua":  {filepath.Join(module, "_lua5.1-tests"), around, stock, restored, notStock},
		"glua": {filepath.Join(module, "_glua-tests"), "function print() end ", glua, nil, notGlua},
	}
}

// run runs a file of the suite without the cuts.
func (s suite) run(t *testing.T, name string, cuts []omission) error {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, name+".lua"))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for _, r := range s.restored[name] {
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
	fn, err := m.Compile(name+".lua", s.around+strings.Join(lines, "\n"), false)
	require.NoError(t, err)
	_, err = h.EnterWith(h.Limits().Load, m, fn)
	return err
}

func TestStockSuites(t *testing.T) {
	for of, s := range suites(t) {
		for name, cuts := range s.cuts {
			t.Run(of+"/"+name, func(t *testing.T) { require.NoError(t, s.run(t, name, cuts)) })
		}
	}
}

// TestStockCutsAreNeeded puts back each cut alone and requires that the file fails. Otherwise the
// cut is stale. Each file of a suite must be in one of its two tables.
func TestStockCutsAreNeeded(t *testing.T) {
	for _, s := range suites(t) {
		for name, cuts := range s.cuts {
			for i, c := range cuts {
				if c.why == tooLong || i%testenv.Length(3, 1) != 0 {
					continue
				}
				but := append(append([]omission{}, cuts[:i]...), cuts[i+1:]...)
				assert.Error(t, s.run(t, name, but), "%s:%d runs: %s", name, c.first, c.text)
			}
		}
		files, err := filepath.Glob(filepath.Join(s.folder, "*.lua"))
		require.NoError(t, err)
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".lua")
			_, run := s.cuts[name]
			_, not := s.not[name]
			assert.True(t, run != not, "%s is in one of the two tables", f)
		}
		assert.Len(t, files, len(s.cuts)+len(s.not))
	}
}
