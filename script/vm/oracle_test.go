package vm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
)

// answer is Lua that runs a function and prints the result in one line. Both sides use the same
// format, so that results can be compared.
const answer = `
local function show(v, depth)
	local kind = type(v)
	if kind == "number" then
		if v ~= v then return "nan" elseif v == 0 then return "0" end
		return string.format("%.10g", v) -- the last bits of a sine are nobody's business
	elseif kind == "string" then
		v = string.gsub(v, ": 0x%x%x%x%x%x%x+", ": 0x") -- an address
		return '"' .. string.gsub(v, '[%c\128-\255"\\]', function(c) return string.format("\\%03d", string.byte(c)) end) .. '"'
	elseif kind == "table" then
		if depth == 0 then return "{...}" end
		local parts = {}
		for k, x in pairs(v) do parts[#parts + 1] = show(k, depth - 1) .. "=" .. show(x, depth - 1) end
		table.sort(parts)
		return "{" .. table.concat(parts, " ") .. "}"
	elseif kind == "nil" or kind == "boolean" then
		return tostring(v)
	end
	return kind
end
local function tell(ok, ...)
	if not ok then return "error: " .. show((...), 2) end
	local parts = {}
	for i = 1, select("#", ...) do parts[i] = show((select(i, ...)), 3) end
	return table.concat(parts, " ")
end
`

// oracle is PUC Lua 5.1 in a separate process. Each request is a length and a program.
type oracle struct {
	in  io.Writer
	out *bufio.Reader
}

// newOracle returns nil if lua5.1 is not installed.
func newOracle(t testing.TB) *oracle {
	path, err := osexec.LookPath("lua5.1")
	if err != nil {
		return nil
	}
	child := osexec.Command(path, "-e", answer+`
		for n in function() return io.read("*n", 1) end do
			local f, err = loadstring(io.read(n), "=case")
			local said = f and tell(pcall(setfenv(f, setmetatable({}, {__index = _G})))) or "error: " .. err
			io.write(#said, "\n", said)
			io.flush()
		end`)
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, testenv.Start(t, child)) // lua5.1 ends when its input ends
	t.Cleanup(func() {
		_ = in.Close()
		_ = child.Wait()
	})
	return &oracle{in, bufio.NewReader(out)}
}

func (o *oracle) ask(source string) string {
	n := 0
	_, err := fmt.Fprintf(o.in, "%d\n%s", len(source), source)
	if err == nil {
		var line string
		line, err = o.out.ReadString('\n')
		n, _ = strconv.Atoi(strings.TrimSpace(line))
	}
	said := make([]byte, n)
	if err == nil {
		_, err = io.ReadFull(o.out, said)
	}
	if err != nil {
		panic(fmt.Sprintf("lua5.1 died of %s: %v", source, err))
	}
	return string(said)
}

// hostModel is torc's side: one mod.
type hostModel struct {
	h      *Runtime
	m      *Mod
	answer *lua.LFunction
	limit  Limit
}

func newHostModel(t testing.TB) *hostModel {
	h := New(Config{Side: Server, Seed: 1})
	m := h.NewMod("x", nil)
	fn, err := m.Compile("answer", answer+"return tell(pcall(...))", false)
	require.NoError(t, err)
	return &hostModel{h, m, fn, h.Limits().Line}
}

func (m *hostModel) ask(source string) string {
	fn, err := m.m.Compile("case", source, false)
	if err != nil {
		return "error: " + err.Error()
	}
	out, err := m.h.EnterWith(m.limit, m.m, m.answer, fn)
	if err != nil {
		return "error: " + err.Error() // the whole budget is used up
	}
	return string(out[0].(lua.LString))
}

// agree compares two answers. The error messages differ, so kind decides whether two errors mean
// the same.
func agree(want, got string, kind func(string) string) bool {
	if strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, "error: ") {
		return kind(want) == kind(got)
	}
	want = strings.ReplaceAll(want, "-nan", "nan") // C prints a sign that nan does not have
	return withoutNegativeZero(want) == withoutNegativeZero(got)
}

var negativeZero = regexp.MustCompile(`-0([^0-9.]|$)`)

// withoutNegativeZero replaces -0 by 0; see decided about it.
func withoutNegativeZero(answer string) string { return negativeZero.ReplaceAllString(answer, "0$1") }

// anyError treats all errors as equal.
func anyError(string) string { return "" }

// vector is a piece of Lua and the answer of Lua 5.1.
type vector struct{ Lua, Want string }

// mostStored is the number of cases whose answers are stored in a file of a test.
const mostStored = 150

// compare compares the host's answers with those of the oracle: to the cases of the file, and with
// TORC_LONG, as .ci/run sets it, to all of them. Where the oracle is not installed it uses the
// answers of the file. With -update it writes that file.
func compare(t *testing.T, file string, cases []string, kind func(string) string) {
	t.Helper()
	name := filepath.Join("testdata", file)
	o, every := newOracle(t), (len(cases)+mostStored-1)/mostStored
	if testenv.Update() {
		require.NotNil(t, o, "only Lua 5.1 itself can say what is right")
		var chosen []vector
		for i := 0; i < len(cases); i += every {
			chosen = append(chosen, vector{cases[i], o.ask(cases[i])})
		}
		writeVectors(t, name, chosen)
	}
	stored := readVectors(t, name)
	require.Len(t, stored, (len(cases)+every-1)/every, "%s is stale: run go test ./script/vm -run %s -update where lua5.1 is installed", name, t.Name())
	here, wrong := newHostModel(t), 0
	for i, c := range cases {
		want, known := "", i%every == 0
		if known {
			require.Equal(t, c, stored[i/every].Lua, "%s is stale", name)
			want = stored[i/every].Want
		} else if !testenv.Long() {
			continue
		}
		if o != nil {
			said := o.ask(c)
			require.True(t, !known || said == want, "%s is stale: %s", name, c)
			want, known = said, true
		}
		if got := here.ask(c); known && !agree(want, got, kind) {
			t.Errorf("%s\n\tLua 5.1: %s\n\there:    %s", c, want, got)
			if wrong++; wrong > 20 {
				t.FailNow()
			}
		}
	}
}

func readVectors(t *testing.T, name string) (vectors []vector) {
	t.Helper()
	var pairs [][2]string
	if text, err := os.ReadFile(name); err == nil {
		require.NoError(t, json.Unmarshal(text, &pairs))
	}
	for _, p := range pairs {
		vectors = append(vectors, vector{p[0], p[1]})
	}
	return vectors
}

func writeVectors(t *testing.T, name string, vectors []vector) {
	t.Helper()
	var b strings.Builder
	for i, v := range vectors {
		b.WriteString(map[bool]string{true: "[", false: ","}[i == 0])
		line := json.NewEncoder(&b)
		line.SetEscapeHTML(false)
		require.NoError(t, line.Encode([2]string{v.Lua, v.Want}))
	}
	b.WriteString("]\n")
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o644))
}

// sweep compares both sides on random cases if the oracle is installed. It runs TORC_SEEDS seeds,
// or one.
func sweep(t *testing.T, draw func(*drawer) string, each int, kind func(string) string) {
	t.Helper()
	o := newOracle(t)
	if o == nil {
		return
	}
	here := newHostModel(t)
	for seed := range testenv.Seeds(t, 1, 20) {
		d := newDrawer(1000 + seed)
		for range testenv.Length(each/10, each) {
			c := draw(d)
			if want, got := o.ask(c), here.ask(c); !agree(want, got, kind) {
				t.Fatalf("seed %d: %s\n\tLua 5.1: %s\n\there:    %s", seed, c, want, got)
			}
		}
	}
}

// drawer draws pieces of Lua.
type drawer struct{ *rand.Rand }

func newDrawer(seed uint64) *drawer { return &drawer{rand.New(rand.NewPCG(seed, 51))} }

func (d *drawer) one(of ...string) string { return of[d.IntN(len(of))] }

// quote returns bytes as a Lua string in ASCII.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}
