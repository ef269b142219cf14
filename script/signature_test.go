package script_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/vm"
)

func TestSignature(t *testing.T) {
	s, err := vm.ParseSignature(`key: string|tag, [first: integer, [last: number?]], ...: any -> Player?, names: string[], ...: any`)
	require.NoError(t, err)
	require.Len(t, s.Params, 4)
	assert.Equal(t, 1, s.Least())
	assert.Equal(t, -1, s.Most())
	assert.Equal(t, vm.Param{Name: "key", Types: vm.Types{{Name: "string"}, {Name: "tag"}}}, s.Params[0])
	assert.True(t, s.Params[2].Optional)
	assert.Equal(t, "number?", s.Params[2].Types.String())
	assert.True(t, s.Params[3].Variadic)
	require.Len(t, s.Results, 3)
	assert.Equal(t, "", s.Results[0].Name)
	assert.Equal(t, "names", s.Results[1].Name)
	assert.True(t, s.Results[1].Types[0].List)
	assert.False(t, s.Results[1].Types.Has("string"))

	s, err = vm.ParseSignature(`list: table, [position: integer,] value: any`)
	require.NoError(t, err)
	assert.Equal(t, 2, s.Least())
	assert.Equal(t, 3, s.Most())

	s, err = vm.ParseSignature(`o: {guarantee: "a"|"b"?, list: vec[]?}, fn: fun(tick: integer, ...: any): boolean`)
	require.NoError(t, err)
	assert.Equal(t, `{guarantee: "a"|"b"?, list: vec[]?}`, s.Params[0].Types.String())
	assert.Equal(t, `fun(tick: integer, ...: any): boolean`, s.Params[1].Types.String())

	s, err = vm.ParseSignature(`list: any -> fun(): (string, any?), integer`)
	require.NoError(t, err)
	require.Len(t, s.Results, 2)
	assert.Len(t, s.Results[0].Types[0].Fun.Results, 2)
	assert.Equal(t, `fun(): (string, any?)`, s.Results[0].Types.String())

	for _, text := range []string{"", "-> integer", "a, [b]", "...: any", "->"} {
		_, err := vm.ParseSignature(text)
		assert.NoError(t, err, text)
	}
}

func TestSignatureErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a:":                            "expected a type",
		"a b":                           "expected the end",
		"[a":                            "expected ]",
		"a]":                            "expected the end",
		"1 + 2":                         "expected the end",
		"{x, y}":                        "expected a name",
		`a: "b`:                         `expected "`,
		"a: {b: c":                      "expected }",
		"a: fun(":                       "expected )",
		"a: fun(): (b":                  "expected )",
		strings.Repeat("a: {", 20) + "": "expected a simpler type",
	} {
		_, err := vm.ParseSignature(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

// TestRowsHaveSignatures checks that each callable row has parameters and results. Each other row
// is a value with its type, a callback with its parameters, or a notation.
func TestRowsHaveSignatures(t *testing.T) {
	path := regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:[A-Za-z_]\w*)?$`)
	callback := regexp.MustCompile(`^function [A-Za-z_]\w*([.:][A-Za-z_]\w*)?\((.*)\)( ->.*)?$`)
	for _, side := range []bool{true, false} {
		for _, lib := range newHalf(t, 1, side).scripts.Runtime.List() {
			for _, f := range lib.Funcs {
				switch {
				case strings.HasPrefix(f.Params, ":"):
					_, err := vm.ParseTypes(f.Params[1:])
					assert.NoError(t, err, f.Name)
					assert.Nil(t, f.Fn, f.Name)
					assert.Regexp(t, path, f.Name)
				case strings.HasPrefix(f.Name, "function "):
					m := callback.FindStringSubmatch(f.Name)
					require.NotNil(t, m, f.Name)
					typed(t, f.Name, m[2]+m[3])
				case path.MatchString(f.Name):
					typed(t, f.Name, f.Params)
				default:
					assert.Empty(t, f.Params, "%s is a notation", f.Name)
					assert.Nil(t, f.Fn, f.Name)
				}
			}
		}
	}
}

func TestEveryRowSaysWhatItDoes(t *testing.T) {
	for _, lib := range newHalf(t, 1, true).scripts.Runtime.List() {
		seen := map[string]bool{}
		for _, f := range lib.Funcs {
			assert.NotEmpty(t, f.Doc, "%s in %s", f.Name, lib.Name)
			assert.True(t, strings.HasSuffix(f.Doc, "."), "%s: %s", f.Name, f.Doc)
			assert.False(t, seen[f.Name], "%s is there twice", f.Name)
			seen[f.Name] = true
		}
	}
}

func typed(t *testing.T, name, signature string) {
	t.Helper()
	s, err := vm.ParseSignature(signature)
	require.NoError(t, err, name)
	for _, p := range append(s.Params, s.Results...) {
		assert.NotEmpty(t, p.Types, "%s: %s has no type", name, p.Name)
	}
}

func FuzzSignature(f *testing.F) {
	f.Add("a: b|c?, [d: {e: f[]}, ...: any] -> fun(x: y): z")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = vm.ParseSignature(text) })
}
