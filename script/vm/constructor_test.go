package vm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKeyedFieldsLeaveTheListAlone: the result of a call for a key is no list element, also after
// as many elements as the VM stores at once.
func TestKeyedFieldsLeaveTheListAlone(t *testing.T) {
	here := newHostModel(t)
	const f = `local function f(...) return "f", "g", ... end `
	fifty := strings.Repeat(`"e", `, 50)
	for source, want := range map[string]string{
		`local t = {"a", x = f()} return #t, t[1], t.x`:                               `1 "a" "f"`,
		`local t = {"a", x = f(), y = f()} return #t, t[1], t.y`:                      `1 "a" "f"`,
		`return (function(...) local t = {"a", x = ...} return #t, t.x end)(7, 8)`:    `1 7`,
		`local t = {x = f(), f()} return #t, t[2], t.x`:                               `2 "g" "f"`,
		`local t = {` + fifty + `x = f()} return #t, t[1], t[2], t.x`:                 `50 "e" "e" "f"`,
		`local t = {` + fifty + `x = f(), y = f("h")} return #t, t[1], t[50], t.y`:    `50 "e" "e" "f"`,
		`local t = {` + fifty + `x = f(), "last"} return #t, t[1], t[50], t[51], t.x`: `51 "e" "e" "last" "f"`,
		`local t = {` + fifty + fifty + `x = f(), "last"} return #t, t[51], t[101]`:   `101 "e" "last"`,
	} {
		assert.Equal(t, want, here.ask(f+source), source)
	}
}
