package script_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/vm"
)

// A speaker writes programs of a small grammar from bytes: loops, tables, strings, protected
// calls, coroutines and metatables. They use five variables that hold any values.
type speaker struct {
	data  []byte
	depth int
}

// choose returns the next byte as a number below n. Without more bytes it returns 0, which ends
// the program.
func (s *speaker) choose(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	c := int(s.data[0])
	s.data = s.data[1:]
	return c % n
}

var (
	atoms  = []string{"1", "nil", "a", "b", "c", "d", "e", "0", "-1", "2^31", "1/0", "0/0", "''", "'x'", "true", "{}", "1e5", "300", "_G", "print", "coroutine.yield", "error", "('x'):rep(9999)"}
	opers  = []string{"+", "-", "*", "/", "%", "^", "..", "==", "<", "<=", "~=", " and ", " or "}
	callee = []string{"tostring", "tonumber", "type", "pcall", "error", "unpack", "select", "next", "pairs", "setmetatable", "getmetatable", "rawget", "rawset", "rawequal",
		"table.insert", "table.remove", "table.concat", "table.sort", "string.rep", "string.gsub", "string.find", "string.format", "string.byte", "string.char", "math.floor", "math.random",
		"coroutine.wrap", "coroutine.create", "coroutine.resume", "coroutine.status", "coroutine.running", "xpcall", "traceback", "loadstring", "eval", "schedule", "vec", "a", "b", "c"}
	events   = []string{"__index", "__newindex", "__call", "__concat", "__eq", "__lt", "__le", "__unm", "__len", "__tostring", "__add", "__metatable"}
	modNames = []string{"a", "b", "c", "d", "e"}
)

func (s *speaker) expr() string {
	if s.depth++; s.depth > 6 {
		s.depth--
		return atoms[s.choose(len(atoms))]
	}
	defer func() { s.depth-- }()
	switch s.choose(9) {
	case 1:
		return "(" + s.expr() + opers[s.choose(len(opers))] + s.expr() + ")"
	case 2:
		return callee[s.choose(len(callee))] + "(" + s.expr() + "," + s.expr() + "," + s.expr() + ")"
	case 3:
		return "{" + s.expr() + ",[" + s.expr() + "]=" + s.expr() + "," + s.expr() + "}"
	case 4:
		return "(function(...) " + s.block() + " return ... end)"
	case 5:
		return "setmetatable({}, {" + events[s.choose(len(events))] + "=" + s.expr() + "})"
	case 6:
		return modNames[s.choose(len(modNames))] + "[" + s.expr() + "]"
	case 7:
		return []string{"#", "-", "not "}[s.choose(3)] + s.expr()
	case 8:
		return "coroutine.wrap(function(...) " + s.block() + " end)"
	}
	return atoms[s.choose(len(atoms))]
}

func (s *speaker) stmt() string {
	switch s.choose(10) {
	case 1:
		return modNames[s.choose(len(modNames))] + "[" + s.expr() + "]=" + s.expr()
	case 2:
		return "for i=1," + s.expr() + " do " + s.block() + " end"
	case 3:
		return "while " + s.expr() + " do " + s.block() + " end"
	case 4:
		return "pcall(function() " + s.block() + " end)"
	case 5:
		return "repeat " + s.block() + " until " + s.expr()
	case 6:
		return "if " + s.expr() + " then " + s.block() + " else " + s.block() + " end"
	case 7:
		return "for k,v in pairs(" + s.expr() + ") do " + s.block() + " end"
	case 8:
		return modNames[s.choose(len(modNames))] + "[" + s.expr() + "]," + modNames[s.choose(len(modNames))] + "=" + s.expr() + "," + s.expr()
	case 9:
		return "local _=" + s.expr()
	}
	return modNames[s.choose(len(modNames))] + "=" + s.expr()
}

func (s *speaker) block() string {
	if s.depth++; s.depth > 6 {
		s.depth--
		return ""
	}
	defer func() { s.depth-- }()
	var list []string
	for range 1 + s.choose(3) {
		list = append(list, s.stmt())
	}
	return strings.Join(list, "; ")
}

// program returns the program for the bytes.
func program(data []byte) string {
	s := &speaker{data: data}
	list := []string{"local a,b,c,d,e={},{},'x',1,print"}
	for len(s.data) > 0 && len(list) < 12 {
		list = append(list, "pcall(function() "+s.stmt()+" end)", s.stmt())
	}
	return strings.Join(list, "; ")
}

// arena makes a server that runs programs one after the other.
func arena(t testing.TB) func(t testing.TB, source string) {
	f := attackServer(t, attack{stop: "instructions", files: map[string]string{}})
	limits := vm.Limits{Callback: vm.Limit{Instructions: 20_000, Heap: 32 << 20}, Tick: 1 << 50}
	f.setMeter(limits, nil, nil)
	m := f.scripts.Runtime.Mod("evil")
	return func(t testing.TB, source string) {
		t.Helper()
		m.Enable()
		fn, err := m.Compile("mods/evil/program.lua", source, false)
		if err != nil {
			return
		}
		before := m.Usage.Instructions
		_, err = f.scripts.Runtime.Enter(m, fn)
		if err != nil {
			f.scripts.Runtime.Fail(m, "program", err)
			require.NotContains(t, err.Error(), "internal error", source)
		}
		// The work that Go does for one instruction is charged afterwards. No single operation of
		// a script exceeds this.
		require.LessOrEqual(t, m.Usage.Instructions-before, int64(20_000+1<<21), source)
		f.ticks++
		f.host.Tick(time.Duration(f.ticks) * 32 * time.Millisecond)
		f.unharmed(t)
	}
}

func TestRandomProgramsHarmNobody(t *testing.T) {
	run := arena(t)
	random := randomBytes(1)
	for i := range testenv.Length(75, 500) {
		run(t, program(random(40+i%200)))
	}
}

func FuzzPrograms(f *testing.F) {
	random := randomBytes(2)
	for range 20 {
		f.Add(random(120))
	}
	run := arena(f)
	f.Fuzz(func(t *testing.T, data []byte) { run(t, program(data)) })
}

// randomBytes returns a function that gives n bytes, the same on every run.
func randomBytes(seed uint64) func(n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	return func(n int) []byte {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		return data
	}
}
