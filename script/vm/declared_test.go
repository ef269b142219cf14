package vm

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// warnings runs a file and returns the warnings that it caused.
func warnings(t *testing.T, source string) (list []string) {
	t.Helper()
	h := New(Config{Side: Server, Log: func(level slog.Level, msg string, args ...any) {
		if level == slog.LevelWarn {
			list = append(list, fmt.Sprint(msg, " ", args))
		}
	}})
	m := h.NewMod("x", fstest.MapFS{"init.lua": {Data: []byte(source)}})
	require.NoError(t, m.RunFile("init.lua"), source)
	return list
}

func TestUndeclaredGlobalsAreWarnedOfOnce(t *testing.T) {
	const warning = "x: mods/x/init.lua:%d: the global '%s' was never assigned and is nil%s [mod x file mods/x/init.lua line %[1]d]"
	for _, c := range []struct {
		source string
		want   []string
	}{
		{"king = 1\n\nif kign then end", []string{fmt.Sprintf(warning, 3, "kign", ", did you mean 'king'?")}},
		{"for i = 1, 9 do\n  local x = thing\nend\nlocal y = thing", []string{fmt.Sprintf(warning, 2, "thing", "")}},
		{"return tostrin", []string{fmt.Sprintf(warning, 1, "tostrin", ", did you mean 'tostring'?")}},
		{"return _G.jit", []string{fmt.Sprintf(warning, 1, "jit", "")}},
		{"king = nil\nif king then end", nil},
		{"king = 1\nking = nil\nif king then end", nil},
		{"function crown() king, queen = nil, nil end\nreturn king, queen", nil},
		{"local function f() return function() king = 1 end end\nreturn king", nil},
		{"rawset(_G, 'king', nil)\nreturn rawget(_G, 'king'), rawget(_G, 'queen')", nil},
		{"_G['ki' .. 'ng'] = nil\nreturn king", nil},
		{"return tostring, math, _VERSION", nil},
		{"return _G[" + "'" + strings.Repeat("x", 65) + "']", nil},
	} {
		assert.Equal(t, c.want, warnings(t, c.source), c.source)
	}
	assert.Len(t, warnings(t, `for i = 1, 200 do local x = _G["n" .. i] end`), maxWarned)
}

// TestSuggestionsAreFew checks that errors about many names do not cost a search each. Names that
// were searched before keep their suggestion.
func TestSuggestionsAreFew(t *testing.T) {
	s := &State{declared: map[string]bool{"kingdom": true}, suggested: map[string]string{}}
	for n := range maxWarned {
		s.suggested[fmt.Sprint("n", n)] = ""
	}
	assert.Empty(t, s.meant("kingdon"))
	s.suggested["kingdon"] = ", did you mean 'kingdom'?"
	assert.Equal(t, ", did you mean 'kingdom'?", s.meant("kingdon"))
}
