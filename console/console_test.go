package console_test

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/consoletest"
)

// settings holds the values bound to the variables of the test console.
type settings struct {
	rate     float64
	size     int
	check    bool
	name     string
	password string
	profile  string
	timeout  time.Duration
}

// lua replaces the Lua machine: it returns the chunk it was given. A chunk is complete when it has
// as many "end" as "function" and "do".
func lua(chunk string) (string, bool, error) {
	opened := strings.Count(chunk, "function") + strings.Count(chunk, "do")
	switch {
	case opened > strings.Count(chunk, "end"):
		return "", true, nil
	case strings.Contains(chunk, "fail"):
		return "", false, errors.New("console:1: failed")
	case strings.Contains(chunk, "silent"):
		return "", false, nil
	}
	return "lua(" + strings.ReplaceAll(chunk, "\n", "|") + ")", false, nil
}

func open(t testing.TB, out func(string)) *console.Console {
	t.Helper()
	c := console.New(out)
	s := &settings{rate: 31.25, size: 1200, name: "torc", profile: "lan", timeout: 45 * time.Second}
	for _, v := range []console.Var{
		{Name: "net.rate", Help: "packets per second this side can receive", Value: console.Float(&s.rate, 1, 125)},
		{Name: "net.size", Help: "bytes of a packet", Value: console.Int(&s.size, 100, 1200)},
		{Name: "net.check", Help: "marks in packets", Value: console.Bool(&s.check)},
		{Name: "net.profile", Help: "rate and size together", Value: console.Enum(&s.profile, "modem", "dsl", "lan")},
		{Name: "net.timeout", Help: "silence that ends a connection", Value: console.Duration(&s.timeout, time.Second, time.Hour)},
		{Name: "sv.name", Help: "name of the server", Value: console.String(&s.name)},
		{Name: "sv.password", Help: "to join", Secret: true, Value: console.String(&s.password)},
		{Name: "sv.port", Help: "as bound", Value: console.Func(func() string { return "28000" }, nil)},
	} {
		require.NoError(t, c.Bind(v))
	}
	words := func(args []string) (string, error) { return fmt.Sprintf("%q", args), nil }
	players := func(args []string) []string {
		if len(args) == 1 {
			return []string{"Anna", "Bob the Builder", "127.0.0.1"}
		}
		return nil
	}
	require.NoError(t, c.Register(console.Command{Name: "kick", Params: "ID|NAME [REASON]", Help: "throws a player out", Run: words, Complete: players}))
	require.NoError(t, c.Register(console.Command{Name: "say", Params: "TEXT", Help: "speaks to all", Run: words}))
	require.NoError(t, c.Register(console.Command{Name: "login", Params: "KEY", Help: "proves a key", Secret: true, Run: words}))
	require.NoError(t, c.Register(console.Command{Name: "other", Params: "[LINE]", Help: "hands a line on", Run: words,
		Line: func(rest string) (string, error) { return "<" + rest + ">", nil }}))
	c.SetEval(lua)
	c.SetFiles(fstest.MapFS{
		"good.cfg":     {Data: []byte("\ufeffnet.rate 20\r\n\nfunction f()\n  1\nend\nsay done")},
		"bad.cfg":      {Data: []byte("# my server\n// old: say never\nsay before\nnet.rate x\nsay after\nnet.rate y")},
		"open.cfg":     {Data: []byte("say before\n\nfunction f()\n1")},
		"loop.cfg":     {Data: []byte("exec loop.cfg\nexec loop.cfg")},
		"all.lua":      {Data: []byte("\ufeffsay x\nnet.rate")},
		"bad.lua":      {Data: []byte("fail")},
		"open.lua":     {Data: []byte("function f()")},
		"sub/more.cfg": {Data: []byte("say more")},
	})
	return c
}

func TestTranscripts(t *testing.T) {
	consoletest.Run(t, "testdata/*.txt", func(t *testing.T, out func(string)) consoletest.LineRunner {
		return open(t, out)
	})
}

func TestRegister(t *testing.T) {
	c := open(t, nil)
	run := func([]string) (string, error) { return "", nil }
	for _, row := range []struct{ name, want string }{
		{"kick", "kick is already the command kick"},
		{"Kick", "Kick is already the command kick"},
		{"net.rate", "net.rate is already the variable net.rate"},
		{"help", "help is already the command help"},
		{"", `invalid name ""`},
		{"a b", `invalid name "a b"`},
		{"a..b", `invalid name "a..b"`},
		{".a", `invalid name ".a"`},
		{"3d", `invalid name "3d"`},
		{"a.b=", `invalid name "a.b="`},
	} {
		assert.ErrorContains(t, c.Register(console.Command{Name: row.name, Run: run}), row.want)
		assert.ErrorContains(t, c.Bind(console.Var{Name: row.name, Value: console.Bool(new(bool))}), row.want)
	}
	assert.Error(t, c.Register(console.Command{Name: "nothing"}))
	assert.Error(t, c.Bind(console.Var{Name: "nothing"}))

	c.Unregister("kick")
	c.Unregister("kick")
	require.NoError(t, c.Bind(console.Var{Name: "KICK", Value: console.Bool(new(bool))}))
	command, variable := c.Lookup("KICK")
	assert.Nil(t, command)
	assert.NotNil(t, variable)
	assert.IsIncreasing(t, c.Names())
}

func TestCallAndSet(t *testing.T) {
	c := open(t, nil)
	out, err := c.Call("kick", []string{"3", "bad words"})
	require.NoError(t, err)
	assert.Equal(t, `["3" "bad words"]`, out)
	_, err = c.Call("kik", nil)
	assert.EqualError(t, err, `there is no command "kik", did you mean kick?`)
	require.NoError(t, c.Set("net.rate", "20"))
	_, v := c.Lookup("net.rate")
	assert.Equal(t, 20.0, console.Any(v.Value))
	require.NoError(t, c.Reset("net.rate"))
	assert.Equal(t, 31.25, console.Any(v.Value))
	assert.EqualError(t, c.Set("net.Rate", "20"), `there is no variable "net.Rate", did you mean net.rate?`)
}

func TestValues(t *testing.T) {
	var (
		b bool
		i int
		f float64
		s string
		e = "lan"
		d time.Duration
		n []netip.Prefix
	)
	for _, row := range []struct {
		value          console.VarValue
		set, show, err string
		any            any
	}{
		{console.Bool(&b), "on", "true", "", true},
		{console.Bool(&b), "2", "", `must be true or false, got "2"`, nil},
		{console.Int(&i, 0, 31), "31", "31", "", 31.0},
		{console.Int(&i, 0, 31), "32", "", `must be a whole number from 0 to 31, got "32"`, nil},
		{console.Int(&i, 0, math.MaxInt), "1.5", "", `must be a whole number of at least 0, got "1.5"`, nil},
		{console.Float(&f, 1, 125), "0.5", "", `must be a number from 1 to 125, got "0.5"`, nil},
		{console.Float(&f, 1, 125), "nan", "", `must be a number from 1 to 125, got "nan"`, nil},
		{console.Float(&f, math.Inf(-1), 0), "1", "", `must be a number of at most 0, got "1"`, nil},
		{console.Float(&f, math.Inf(-1), math.Inf(1)), "inf", "", `must be a number, got "inf"`, nil},
		{console.Float(&f, 1, 125), "31.25", "31.25", "", 31.25},
		{console.FloatOr(&f, 1, 125, "auto", 1e6), "auto", `"auto"`, "", "auto"},
		{console.FloatOr(&f, 1, 125, "auto", 1e6), "20", "20", "", 20.},
		{console.IntOr(&i, 0, 30, "auto", -1), "auto", `"auto"`, "", "auto"},
		{console.IntOr(&i, 0, 30, "auto", -1), "7", "7", "", 7.},
		{console.IntOr(&i, 0, 30, "auto", -1), "-1", "", `must be auto, or a whole number from 0 to 30, got "-1"`, nil},
		{console.FloatOr(&f, 1, 125, "auto", 1e6), "126", "", `must be auto, or a number from 1 to 125, got "126"`, nil},
		{console.String(&s), "a\x1b", `"a\x1b"`, "", "a\x1b"},
		{console.Enum(&e, "modem", "dsl", "lan"), "dsl", `"dsl"`, "", "dsl"},
		{console.Enum(&e, "modem", "dsl", "lan"), "isdn", "", `must be modem, dsl or lan, got "isdn"`, nil},
		{console.Duration(&d, 0, time.Hour), "90", "1m30s", "", 90.0},
		{console.Duration(&d, 0, time.Hour), "250ms", "250ms", "", 0.25},
		{console.Duration(&d, 0, time.Hour), "2h", "", `must be a duration from 0s to 1h0m0s, got "2h"`, nil},
		{console.Networks(&n), "10.0.0.0/8, 192.0.2.7 2001:db8::/32", `"10.0.0.0/8 192.0.2.7/32 2001:db8::/32"`, "", "10.0.0.0/8 192.0.2.7/32 2001:db8::/32"},
		{console.Networks(&n), "", `""`, "", ""},
		{console.Networks(&n), "10.0.0.1/8", "", `"10.0.0.1/8" must be an address or a network, as in 10.0.0.0/8`, nil},
	} {
		err := row.value.Set(row.set)
		if row.err != "" {
			assert.EqualError(t, err, row.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, row.show, console.Show(row.value))
		assert.Equal(t, row.any, console.Any(row.value))
	}
}

func TestHook(t *testing.T) {
	n, told := 1, 0
	v := console.Hook(console.Int(&n, 0, 9), func() error {
		told++
		if n == 7 {
			return errors.New("no sevens")
		}
		return nil
	})
	require.NoError(t, v.Set("5"))
	require.Error(t, v.Set("10"))
	assert.EqualError(t, v.Set("7"), "no sevens")
	assert.Equal(t, 5, n)
	assert.Equal(t, 2, told)
	assert.Equal(t, 5.0, console.Any(v))
}

func TestFeedBoundsAChunk(t *testing.T) {
	c := open(t, nil)
	_, more, err := c.Feed("function f()")
	require.NoError(t, err)
	require.True(t, more)
	_, more, err = c.Feed(strings.Repeat("x", 300<<10))
	assert.ErrorContains(t, err, "longer than 256 KiB")
	assert.False(t, more)
	assert.NoError(t, c.End())
}

func TestCancelAndEnd(t *testing.T) {
	c := open(t, nil)
	_, err := c.Exec("function f()")
	assert.ErrorContains(t, err, "unfinished")
	assert.False(t, c.More(), "Exec collects nothing")
	_, _, _ = c.Feed("= function f()")
	assert.True(t, c.More())
	c.Cancel()
	assert.NoError(t, c.End())
	_, _, _ = c.Feed("= function f()")
	assert.EqualError(t, c.End(), `the input ended inside the chunk that begins "function f()"`)
	assert.NoError(t, c.End())
}

func TestEnterPrints(t *testing.T) {
	var lines []string
	c := open(t, func(line string) { lines = append(lines, line) })
	assert.False(t, c.Enter("exec good.cfg"))
	assert.False(t, c.Enter("net.rate 0"))
	assert.True(t, c.Enter("do"))
	assert.Equal(t, []string{"lua(function f()|  1|end)", `["done"]`, `error: net.rate must be a number from 1 to 125, got "0"`}, lines)
}

func TestSecret(t *testing.T) {
	c := open(t, nil)
	for line, want := range map[string]bool{
		"say hi": false, " say hi": true, "login k": true, `login("k")`: true,
		"= login 'k'": true, "sv.password x": true, `sv.password="x"`: true,
		"sv.name x": false, "": false, "loginx": false,
	} {
		assert.Equal(t, want, c.Secret(line), line)
	}
}

func TestComplete(t *testing.T) {
	c := open(t, nil)
	c.SetComplete(func(prefix string) []string {
		var found []string
		for _, word := range []string{"net", "net.zone", "echo", "vec", "flag:reset", "flag:return"} {
			if strings.HasPrefix(word, prefix) {
				found = append(found, word)
			}
		}
		if prefix == "o:" {
			return []string{"delete"} // only the last part
		}
		return found
	})
	for _, row := range []struct {
		line  string
		want  []string
		start int
	}{
		{"net.r", []string{"net.rate"}, 0},
		{"  net", []string{"net", "net.check", "net.profile", "net.rate", "net.size", "net.timeout", "net.zone"}, 2},
		{"kick ", []string{`"Bob the Builder"`, "127.0.0.1", "Anna"}, 5},
		{"kick A", []string{"Anna"}, 5},
		{"kick Anna ", nil, 10},
		{"net.profile ", []string{"dsl", "lan", "modem"}, 12},
		{"net.profile = m", []string{"modem"}, 14},
		{"net.check t", []string{"true"}, 10},
		{"help net.s", []string{"net.size"}, 5},
		{"say ec", []string{"echo"}, 4},
		{"kick (ec", []string{"echo"}, 6},
		{"=ec", []string{"echo"}, 1},
		{"x = flag:re", []string{"flag:reset", "flag:return"}, 4},
		{"o:", []string{"o:delete"}, 0},
		{"x(flag:re", []string{"flag:reset", "flag:return"}, 2},
		{"x[1] + o(y)[2]:", nil, 7},
		{"x)", nil, 2},
		{"x = ", nil, 4},
		{"", c.Names(), 0},
	} {
		got, start := c.Complete(row.line, len(row.line))
		assert.Equal(t, row.want, got, row.line)
		assert.Equal(t, row.start, start, row.line)
	}
	_, _, _ = c.Feed("do")
	got, _ := c.Complete("ki", 2)
	assert.Empty(t, got, "a chunk goes on in Lua")
}

// TestHelpFallsBackToLua checks that help for a name unknown to the console asks Lua.
func TestHelpFallsBackToLua(t *testing.T) {
	c := open(t, func(string) {})
	c.SetExplain(func(name string) string {
		if name == "find" || name == "net" || name == "kick" {
			return name + " of Lua"
		}
		return ""
	}, func() []string { return []string{"find", "obj:kill", "netSend"} })
	for line, want := range map[string]string{"help find": "find of Lua", "help net": "net of Lua", "help kick": "throws a player out", "help fin": "find of Lua", "help FI": "find of Lua"} {
		got, err := c.Exec(line)
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
	for line, want := range map[string]string{
		"help fnd":      `there is no command, variable or Lua name "fnd", did you mean find?`,
		"help obj:kli":  `there is no command, variable or Lua name "obj:kli", did you mean obj:kill?`,
		"help kik":      `there is no command, variable or Lua name "kik", did you mean kick?`,
		"help whatever": `there is no command, variable or Lua name "whatever"`,
	} {
		_, err := c.Exec(line)
		assert.EqualError(t, err, want)
	}
	text, err := c.Exec("help ne")
	require.NoError(t, err)
	assert.Contains(t, text, "net.rate = ", "names of the console come first")
	assert.Equal(t, "in Lua: netSend", text[strings.LastIndex(text, "\n")+1:])
	got, start := c.Complete("help fi", 7)
	assert.Equal(t, []string{"find"}, got)
	assert.Equal(t, 5, start)
}

// TestMisspeltCommands checks the suggestions for a line that Lua rejects, because such a line is
// usually a misspelt command.
func TestMisspeltCommands(t *testing.T) {
	c := open(t, func(string) {})
	c.SetEval(func(string) (string, bool, error) { return "", false, errors.New("console:1: no") })
	var asked []string
	c.SetExplain(func(name string) string {
		asked = append(asked, name)
		if name == "lick" {
			return "lick of Lua"
		}
		return ""
	}, nil)
	c.SetOtherSide(func(name string) string {
		if name == "hud" || name == "kic" {
			return "client " + name
		}
		return ""
	})
	for line, want := range map[string]string{
		"hud": "client hud", "hud 3": "client hud", "kic": "client kic", "hud()": "",
		"kik 3": "kick", "kik": "kick", `kik "Bob"`: "kick", "KICK 3": "kick", "net.rat": "net.rate", "net.rat 20": "net.rate",
		"kik(3)": "", "kik = 3": "", "kik + 3": "", "= kik": "", "lick": "", "zebra": "", "for i = 1, 2": "", "1 + kik": "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		_, err := c.Exec(line)
		assert.EqualError(t, err, "console:1: no"+want, line)
	}
	assert.Contains(t, asked, "lick")
	assert.NotContains(t, asked, "zebra", "help takes long, and no name is near")
}

// TestReport checks both forms of a report: text, and JSON on one line.
func TestReport(t *testing.T) {
	c := console.New(nil)
	failed := false
	require.NoError(t, c.Register(console.Report("age", "", func() (fmt.Stringer, error) {
		if failed {
			return nil, errors.New("no clock")
		}
		return time.Second, nil
	})))
	for line, want := range map[string]string{"age": "1s", "age --json": "1000000000"} {
		out, err := c.Exec(line)
		require.NoError(t, err)
		assert.Equal(t, want, out)
	}
	for _, line := range []string{"age json", "age --json --json"} {
		_, err := c.Exec(line)
		assert.EqualError(t, err, "usage: age [--json]")
	}
	failed = true
	_, err := c.Exec("age")
	assert.EqualError(t, err, "no clock")
	candidates, _ := c.Complete("age --", 6)
	assert.Equal(t, []string{"--json"}, candidates)
}
