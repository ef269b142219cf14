package script_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/gopher-lua/parse"
)

// annotated has the declarations of one annotation line and the types that it uses.
type annotated struct {
	tag      string
	declares string
	uses     []string
}

// annotation reads a line like "---@param name? type # text" strictly: anything unknown is an
// error.
func annotation(line string) (a annotated, err error) {
	s := &stubLine{text: strings.TrimPrefix(line, "---@")}
	a.tag = s.word()
	s.need(" ")
	switch a.tag {
	case "meta":
		s.word()
	case "class":
		if a.declares = s.word(); s.take(": ") {
			s.types()
		}
	case "alias":
		a.declares = s.word()
		s.need(" ")
		s.types()
	case "field":
		if s.take("[") {
			s.types()
			s.need("]")
		} else {
			s.word()
			s.take("?")
		}
		s.need(" ")
		s.types()
	case "param":
		if !s.take("...") {
			s.word()
			s.take("?")
		}
		s.need(" ")
		s.types()
	case "return":
		if s.types(); s.take(" ") && !s.take("...") {
			s.word()
		}
	case "type", "overload":
		s.types()
	case "operator":
		if s.word(); s.take("(") {
			s.types()
			s.need(")")
		}
		s.need(": ")
		s.types()
	default:
		return a, fmt.Errorf("unknown tag %q", a.tag)
	}
	if strings.HasPrefix(s.text, " # ") {
		s.text = ""
	}
	if s.text != "" && s.err == nil {
		s.err = fmt.Errorf("%q is left over", s.text)
	}
	a.uses = s.uses
	return a, s.err
}

type stubLine struct {
	text string
	uses []string
	err  error
}

var stubWord = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*`)

func (s *stubLine) take(token string) bool {
	ok := strings.HasPrefix(s.text, token)
	if ok {
		s.text = s.text[len(token):]
	}
	return ok
}

func (s *stubLine) need(token string) {
	if !s.take(token) && s.err == nil {
		s.err = fmt.Errorf("%q is expected at %q", token, s.text)
	}
}

func (s *stubLine) word() string {
	w := stubWord.FindString(s.text)
	if w == "" && s.err == nil {
		s.err = fmt.Errorf("a name is expected at %q", s.text)
	}
	s.text = s.text[len(w):]
	return w
}

// types reads a union.
func (s *stubLine) types() {
	for first := true; s.err == nil && (first || s.take("|")); first = false {
		switch {
		case s.take("("):
			s.types()
			s.need(")")
		case s.take("{ "):
			s.list(" }")
		case s.take("fun("):
			if s.list(")"); s.take(": ") {
				for s.types(); s.take(", "); s.types() {
				}
			}
		case s.take(`"`):
			_, s.text, _ = strings.Cut(s.text, `"`)
		default:
			s.uses = append(s.uses, s.word())
		}
		for s.take("[]") {
		}
	}
}

// list reads "name?: type, …" up to the closing token.
func (s *stubLine) list(end string) {
	for first := true; s.err == nil && !s.take(end); first = false {
		if !first {
			s.need(", ")
		}
		if !s.take("...") {
			s.word()
			s.take("?")
		}
		s.need(": ")
		s.types()
	}
}

// TestStubs checks that the stubs are Lua, that every annotation is well formed, and that each
// type in one is declared exactly once.
func TestStubs(t *testing.T) {
	text := newHalf(t, 1, true).scripts.Reference().Stubs()
	_, err := parse.Parse(strings.NewReader(text), "torc.lua")
	require.NoError(t, err)
	declared := map[string]int{}
	for _, name := range strings.Fields("nil any boolean string number integer table function thread userdata") {
		declared[name] = 1
	}
	assert.Empty(t, wrongParameters(text))
	var all []annotated
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "---@") {
			continue
		}
		a, err := annotation(line)
		require.NoError(t, err, line)
		all = append(all, a)
		if a.declares != "" {
			declared[a.declares]++
		}
	}
	for name, n := range declared {
		assert.Equal(t, 1, n, "%s is declared %d times", name, n)
	}
	for _, a := range all {
		for _, name := range a.uses {
			assert.Positive(t, declared[name], "%s is used and not declared", name)
		}
	}
	for _, line := range []string{
		`---@overload fun(class: "Player"): fun(fields?: Player.fields): Player`,
		`---@overload fun(class: "ItemData"): fun(name: string): fun(fields?: ItemData.fields): ItemData`,
		"---@class Player: ShapeBase",
		"---@class Player.fields: ShapeBase.fields",
		"---@field mass? number",
		"---@field inherit? string|Datablock",
		"---@field onConnect? fun(client: Client, ...: string) # Runs when a client has connected. (server)",
		"function GameConnection_:setRate(rate) end",
		"---@param rate { packets?: number, size?: number }",
		"---@param ms number",
		"---@return integer",
		"---@class serverCmd",
		"---@class Object: SimObject",
		`---@overload fun(class: "Player"): fun(): Player`,
		"---@return (fun(): string, any)",
		"---@param obj? SimObject|nil",
		"---@param obj ShapeBase|Object",
		"function mods(...) end",
		"function mod.reload(...) end",
		"net.rate = nil",
	} {
		assert.Contains(t, text, "\n"+line+"\n")
	}
	assert.Regexp(t, `---@field onDamage\? fun\(self: PlayerData, obj: Player, amount: number, source: Object\|nil, type: string\) # `, text)
	for _, name := range []string{"string.rep", "pcall(", "io.", "mod(", "exec(..."} {
		assert.NotContains(t, text, "function "+name, "the editor knows Lua itself, and a name means one thing")
	}
}

// wrongParameters lists the functions whose ---@param lines do not name exactly their parameters,
// in order, and the ---@param and ---@return lines that belong to no function.
func wrongParameters(text string) (wrong []string) {
	var params []string
	noted := false
	for _, line := range strings.Split(text, "\n") {
		switch head := stubFunction.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "---@param "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "---@param "), " ")
			params, noted = append(params, strings.TrimSuffix(name, "?")), true
		case strings.HasPrefix(line, "---@return "):
			noted = true
		case strings.HasPrefix(line, "---"):
		case head != nil && head[1] == strings.Join(params, ", "):
			params, noted = nil, false
		case head != nil || noted:
			wrong = append(wrong, fmt.Sprintf("%q has the annotations of (%s)", line, strings.Join(params, ", ")))
			params, noted = nil, false
		}
	}
	return wrong
}

var stubFunction = regexp.MustCompile(`^function [A-Za-z0-9_.:]+\((.*)\) end$`)

func TestWrongParametersAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"---@param a any\n---@param b? any\nfunction f(a, b) end": 0,
		"function f() end":                       0,
		"---@param ... any\nfunction f(...) end": 0,
		"---@param a any\nfunction f(b) end":     1,
		"---@param a any\nfunction f(a, b) end":  1,
		"---@param a any\nfunction f() end":      1,
		"function f(a) end":                      1,
		"---@return any\nx = nil":                1,
		"---@param b any\n---@param a any\nfunction f(a, b) end\nfunction g(a) end": 2,
	} {
		assert.Len(t, wrongParameters(text), want, text)
	}
}

func TestBadAnnotationsAreFound(t *testing.T) {
	for _, line := range []string{"---@clas X", "---@param number", "---@field x", "---@type fun(x)", "---@type a|", "---@return", "---@type { a number }"} {
		_, err := annotation(line)
		assert.Error(t, err, line)
	}
}
