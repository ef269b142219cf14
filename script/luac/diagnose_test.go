package luac

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSyntaxErrorsNameTheCure(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"x = 1\n\nfunction f()\n  if x then\n  end\n", "f.lua:5: syntax error at the end: 'end' expected (to close 'function' at line 3)"},
		{"if x then\n  y = 1\n", "f.lua:2: syntax error at the end: 'end' expected (to close 'if' at line 1)"},
		{"for i = 1, 3 do\n", "f.lua:1: syntax error at the end: 'end' expected (to close 'for' at line 1)"},
		{"repeat x = 1", "f.lua:1: syntax error at the end: 'until' expected (to close 'repeat' at line 1)"},
		{"x = {\n1,\n2", "f.lua:3: syntax error at the end: '}' expected (to close '{' at line 1)"},
		{"while x\n", "f.lua:1: syntax error at the end: 'do' expected (for 'while' at line 1)"},
		{"f(1,\n2\ny = 3", "f.lua:3: syntax error near 'y': ')' expected (to close '(' at line 1)"},
		{"if x != 1 then end", "write '~=' for 'not equal'"},
		{"if !x then end", "write 'not' for '!'"},
		{"if x && y then end", "write 'and' for '&&'"},
		{"if x || y then end", "write 'or' for '||'"},
		{"x += 1", "f.lua:1: syntax error near '+': there is no '+=': write x = x + y"},
		{"local x = 1\nx -= 1", "f.lua:2: syntax error near '-': there is no '-=': write x = x - y"},
		{"i++", "there is no '++': write x = x + 1"},
		{"i++\nx = 1", "there is no '++': write x = x + 1"},
		{"functon f()\nend", "f.lua:1: syntax error near 'f': did you mean 'function' for 'functon'?"},
		{"retrun 1", "did you mean 'return' for 'retrun'?"},
		{"locla x = 1", "did you mean 'local' for 'locla'?"},
		{"if x = 1 then end", "f.lua:1: syntax error near '=': write '==' to compare"},
		{"do x = 1 end end", "near 'end': there is no block that it closes"},
		{"x = 'abc\ny = 1", "f.lua:1: unterminated string"},
		{"x = \"abc\ny = 1", "close it on its line, or write [[…]] for several lines"},
		{"-- if x then\nx = 'function' y = [[ do { ]] z = (", "'(' at line 2"},
	} {
		_, err := Compile("f.lua", c.source, freely)
		assert.ErrorContains(t, err, c.want, c.source)
	}
}
