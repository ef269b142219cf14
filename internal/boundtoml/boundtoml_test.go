package boundtoml

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	deep := func(open, end string, n int) string { return "a = " + strings.Repeat(open, n) + strings.Repeat(end, n) }
	key := func(n int) string { return strings.TrimSuffix(strings.Repeat("a.", n), ".") }
	hidden := strings.Repeat("[", 100)
	for text, want := range map[string]string{
		"a = 1": "", deep("[", "]", 16): "", key(16) + " = 1": "", "[" + key(16) + "]": "",
		"a = [" + strings.Repeat("[1.5, 2.5], ", 100) + "]":               "",
		"a = '" + hidden + "' # " + hidden + "\nb = \"\\\"[[[[\"":         "",
		"a = '''\n" + hidden + "''''\nb = \"\"\"" + hidden + "\\\"\"\"\"": "",

		"a = 1\nb = \"x\nc = 2":                           "line 2 (last key \"b\"): a string of this line has no closing quote",
		"a = 'x\n":                                        "a string of this line has no closing quote",
		strings.Repeat("#", MaxSize+1):                    "larger than 32 KiB",
		strings.Repeat("[", MaxSize):                      "line 1: arrays, tables",
		"\n\n" + deep("[", "]", 17):                       "line 3: ",
		deep("{b=", "}", 17):                              "16 deep",
		key(17) + " = 1":                                  "16 deep",
		"[" + key(17) + "]":                               "16 deep",
		"a.'x'." + key(15) + " = 1":                       "16 deep",
		"a = [\"\"\"x\"\"\"\"," + hidden + "\n":           "16 deep",
		"a = ['''x'''''," + hidden + "\n":                 "16 deep",
		"a = ['\\', " + hidden + "\n":                     "16 deep",
		"a = [\"\\\\\", " + hidden + "\n":                 "16 deep",
		"a = [ # \"\n" + hidden + "\n":                    "16 deep",
		"a = [\"\"\"\n\"\"\"," + hidden:                   "line 2: ",
		"a = [\"\", '', " + strings.Repeat("{'x' = ", 17): "16 deep",
	} {
		var v map[string]any
		_, err := Decode(text, &v)
		if want == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, want, text[:min(len(text), 80)])
		}
	}
}

// FuzzCheck compares the check with the parser: a value that the check lets pass is not deeper than
// the limit.
func FuzzCheck(f *testing.F) {
	f.Add("a = [\"\"\"x\"\"\"\",[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]")
	f.Add("a.b.c = {d = ['''''']}")
	f.Fuzz(func(t *testing.T, text string) {
		if check(text) != nil {
			return
		}
		var v map[string]any
		if _, err := toml.Decode(text, &v); err == nil {
			assert.LessOrEqual(t, depthOf(v), 3*MaxDepth+1, "a header, a key and a value have a limit each")
		}
	})
}

func depthOf(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			n = max(n, depthOf(inner))
		}
		return n + 1
	case []map[string]any:
		for _, inner := range v {
			n = max(n, depthOf(inner))
		}
		return n + 1
	case []any:
		for _, inner := range v {
			n = max(n, depthOf(inner))
		}
		return n + 1
	}
	return 0
}

// TestMessagesAreShort checks that a message does not quote all of a long key, nor half a
// character.
func TestMessagesAreShort(t *testing.T) {
	for _, key := range []string{strings.Repeat("8", 5000), strings.Repeat("é", 2500), "x" + strings.Repeat("é", 2500)} {
		var v map[string]any
		_, err := Decode("\""+key+"\\u", &v)
		var bad toml.ParseError
		require.ErrorAs(t, err, &bad)
		assert.LessOrEqual(t, len(bad.Message), mostMessage+len("…"))
		assert.True(t, utf8.ValidString(bad.Message))
		assert.True(t, strings.HasSuffix(bad.Message, "…"))
	}
}
