package complete_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script/complete"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]complete.Path{
		"t.":         {Stem: "t.", Root: "t", Sign: '.'},
		"t.a.b":      {Stem: "t.a.", Root: "t", Keys: []complete.Key{{Name: "a"}}, Sign: '.'},
		`t["a b"]:c`: {Stem: `t["a b"]:`, Root: "t", Keys: []complete.Key{{Name: "a b"}}, Sign: ':'},
		"t[2][1.5].": {Stem: "t[2][1.5].", Root: "t", Keys: []complete.Key{{Kind: complete.Index, Number: 2}, {Kind: complete.Index, Number: 1.5}}, Sign: '.'},
		"g:at(1).x":  {Stem: "g:at(1).", Root: "g", Keys: []complete.Key{{Kind: complete.Method, Name: "at", Number: 1}}, Sign: '.'},
	} {
		got, ok := complete.Parse(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "t", ".", ".x", ":", "t..x", "f().", "f(1).", "t[f()].", "t[x].", "t:at(f()).", "t:at(1", `t["a\n"].`, "t[1.", "(t).", "t.a[.", `t["].`, "\xff."} {
		_, ok := complete.Parse(text)
		assert.False(t, ok, text)
	}
}
