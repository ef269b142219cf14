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
		{"functon foo() end", "f.lua:1: syntax error near 'foo': did you mean 'function' for 'functon'?"},
		{"x = 1\nfuncton foo()\nend", "f.lua:2: syntax error near 'foo': did you mean 'function' for 'functon'?"},
		{"local f = fucntion(a)\n  return a\nend", "near 'end': there is no block that it closes, did you mean 'function' for 'fucntion'?"},
		{"fro i = 1, 3 do end", "near 'i': did you mean 'for' for 'fro'?"},
		{"1 + 2", "near '1': nothing uses the value of this line: write x = … to keep it, or call a function"},
		{"echo()\n5", "f.lua:2: syntax error near '5': nothing uses the value of this line"},
		{"x == 3", "near '==': nothing uses the value of this line"},
		{"function f()\n  x.y[1]\n  return 1\nend", "near 'return': nothing uses the value of this line"},
		{"function f()\n  a + b -- sum\nend", "near '+': nothing uses the value of this line"},
		{"local x = 1\nx", "f.lua:2: syntax error at the end: nothing uses the value of this line"},
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

// TestOtherErrorsGetNoAdviceForExpressions has lines that are expressions by themselves, as parts
// of something else.
func TestOtherErrorsGetNoAdviceForExpressions(t *testing.T) {
	for _, source := range []string{"t = {\n  x\n  y\n}", "f(\n  x\n  y)", "for i = 1,\n  10\n  echo(i)", "if a and\n  b\n  c() end", "x = y z", "x = (1"} {
		_, err := Compile("f.lua", source, freely)
		assert.ErrorContains(t, err, "syntax error", source)
		assert.NotContains(t, err.Error(), "nothing uses", source)
	}
}

// TestForeignCharactersAreNamed: a character that Lua accepts in strings and comments only is named
// with its place, whatever the parser says about its line.
func TestForeignCharactersAreNamed(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"x = 1\n\necho(\"“\", --[[ “ ]] “hi”)", "f.lua:3: a curly quote, U+201C, at 3:25: write \" or '"},
		{"echo(‘hi’)\r\n", "f.lua:1: a curly quote, U+2018, at 1:6: write \" or '"},
		{"\ufeff#!/usr/bin/lua\nx = “", "f.lua:2: a curly quote, U+201C, at 2:5: write \" or '"},
		{"\ufeffx = “y”", "f.lua:1: a curly quote, U+201C, at 1:5: write \" or '"},
		{"x =\u00a01", "f.lua:1: a non-breaking space, U+00A0, at 1:4: write an ordinary space"},
		{"x =\u30001", "f.lua:1: a space that is not ASCII, U+3000, at 1:4: write an ordinary space"},
		{"x = 2 – 1", "f.lua:1: an en dash, U+2013, at 1:7: write -"},
		{"—— a comment", "f.lua:1: an em dash, U+2014, at 1:1: write -"},
		{"x = 2 − 1", "f.lua:1: a minus sign of mathematics, U+2212, at 1:7: write -"},
		{"function f(…) end", "f.lua:1: an ellipsis, U+2026, at 1:12: write ..."},
		{"x = 1\n\ufeffy = 2", "f.lua:2: an invisible character, U+FEFF, at 2:1: delete it"},
		{"größe = 1", "f.lua:1: a letter that is not ASCII, U+00F6, at 1:3: names consist of A to Z, a to z, 0 to 9 and _"},
		{"if x ≠ 1 then end", "f.lua:1: a character that is not ASCII, U+2260, at 1:6: only strings and comments can have it"},
		{"x = \x93hi\x94", "f.lua:1: the byte 0x93, which is not UTF-8, at 1:5: save the file as UTF-8"},
		{"if “x” then", "f.lua:1: a curly quote, U+201C, at 1:4: write \" or '"},
		{"x = 1 1\ny = “z”", "f.lua:1: syntax error near '1'"},
		{"x = \"hi”\ny = 1", "f.lua:1: unterminated string near 'hi”': a curly quote, U+201D, at 1:8 does not end it"},
		{"\xff\xfex\x00", "f.lua:1: the file is UTF-16: save it as UTF-8"},
	} {
		_, err := Compile("f.lua", c.source, freely)
		assert.EqualError(t, err, c.want, c.source)
		assert.False(t, Incomplete(err), "more lines do not help: %s", c.source)
	}
}

// TestByteOrderMarkIsSkipped: a file from an editor of Windows compiles, and its lines and columns
// are those that the editor shows.
func TestByteOrderMarkIsSkipped(t *testing.T) {
	for _, source := range []string{"", "x = 1\r\n", "#!/usr/bin/lua\nx = 1", "x = 'größe “1” \ufeff'"} {
		_, err := Compile("f.lua", "\ufeff"+source, freely)
		assert.NoError(t, err, source)
		_, err = Parse("f.lua", "\ufeff"+source)
		assert.NoError(t, err, source)
	}
	_, err := Compile("f.lua", "\ufeff"+"x = = 1", freely)
	var bad *SyntaxError
	if assert.ErrorAs(t, err, &bad) {
		assert.Equal(t, 5, bad.Column())
	}
}
