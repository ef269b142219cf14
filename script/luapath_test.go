package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]luaPath{
		"t.":         {Stem: "t.", Root: "t", Sign: '.'},
		"t.a.b":      {Stem: "t.a.", Root: "t", Keys: []pathKey{{Name: "a"}}, Sign: '.'},
		`t["a b"]:c`: {Stem: `t["a b"]:`, Root: "t", Keys: []pathKey{{Name: "a b"}}, Sign: ':'},
		"t[2][1.5].": {Stem: "t[2][1.5].", Root: "t", Keys: []pathKey{{Kind: keyIndex, Number: 2}, {Kind: keyIndex, Number: 1.5}}, Sign: '.'},
		"g:at(1).x":  {Stem: "g:at(1).", Root: "g", Keys: []pathKey{{Kind: keyMethod, Name: "at", Number: 1}}, Sign: '.'},
	} {
		got, ok := parsePath(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "t", ".", ".x", ":", "t..x", "f().", "f(1).", "t[f()].", "t[x].", "t:at(f()).", "t:at(1", `t["a\n"].`, "t[1.", "(t).", "t.a[.", `t["].`, "\xff."} {
		_, ok := parsePath(text)
		assert.False(t, ok, text)
	}
}
