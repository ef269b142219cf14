package console_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
)

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"", `kick 3 "bad words"`, `'a b' "c\x41\n" d'e"f`, `"open`, `"\`, "\t \x00\xff", `""''`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := console.Words(line)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := console.Words(console.Join(words))
		require.NoError(t, err)
		require.Equal(t, words, again)
	})
}

func FuzzConsole(f *testing.F) {
	for _, seed := range []string{"net.rate = 20", "kick (3)", "do\nend", "= x", "exec loop.cfg", "help \xff", `sv.name "`, "reset sv.port", "help \u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := open(t, nil)
		for line := range strings.SplitSeq(text, "\n") {
			_, _, err := c.Feed(line)
			if err != nil {
				assert.Equal(t, console.Clean(err.Error()), err.Error(), "an error is one clean sentence")
			}
			for pos := range len(line) + 1 {
				if pos > 64 {
					break
				}
				_, start := c.Complete(line, pos)
				require.True(t, start >= 0 && start <= pos)
			}
			c.Secret(line)
		}
	})
}

// hostile lists texts that affect a terminal or mislead a reader.
var hostile = []string{
	"", "plain", "\x1b[2J", "a\nb", "\u009b31m", "\x9b31m", "\u202eevil", "a\u200bb", "\ufeff", "\u2028",
	"tab\t", "\x7f", "\u00ad", "\u115f\u3164\uffa0", "\U000e0041", "\ufe0f", "héllo 日本　語", "\xf0\x28", "\uf8ff", "\ufffd",
}

func FuzzClean(f *testing.F) {
	for _, seed := range hostile {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean := console.Clean(s)
		harmless(t, clean, "")
		harmless(t, console.CleanText(s), "\n\t")
		assert.Equal(t, clean, console.Clean(clean))
		words, err := console.Words(console.Quote(s))
		require.NoError(t, err)
		require.Equal(t, []string{s}, words)
		harmless(t, console.Quote(s), "")
	})
}

// FuzzReadable checks that a text for people controls no terminal, and has all other characters.
func FuzzReadable(f *testing.F) {
	for _, seed := range append(hostile, people...) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean := console.ReadableText(s)
		require.True(t, utf8.ValidString(clean))
		overrides := regexp.MustCompile(`[\x{202a}-\x{202e}\x{2066}-\x{2069}\p{Zl}\p{Zp}]`)
		for _, r := range clean {
			require.False(t, unicode.IsControl(r) && r != '\n' && r != '\t' || overrides.MatchString(string(r)), "%U", r)
		}
		if utf8.ValidString(s) && !overrides.MatchString(s) && strings.IndexFunc(s, unicode.IsControl) < 0 {
			require.Equal(t, s, clean)
		}
		require.NotContains(t, console.Readable(s), "\n")
	})
}

// people are texts of people with invisible characters: joiners, variation selectors, a soft
// hyphen, a flag of tags, marks of the direction.
var people = []string{
	"می\u200cخواهم", "क्\u200dष", "👨\u200d👩\u200d👧", "❤\ufe0f 100", "Donau\u00addampf", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	"שלום\u200f!", "ไทย\u200bไทย",
}

func TestReadable(t *testing.T) {
	for _, text := range people {
		assert.Equal(t, text, console.Readable(text))
	}
	for in, want := range map[string]string{
		"a\nb\tc": `a\nb\tc`, "\x1b[2J\u009b\x9b": `\x1b[2J\u009b\x9b`, "\u202eevil\u2066": `\u202eevil\u2066`, "a\u2028b": `a\u2028b`,
	} {
		assert.Equal(t, want, console.Readable(in))
	}
	assert.Equal(t, "a\n\tb\\x1b", console.ReadableText("a\n\tb\x1b"))
}

// TestReadableIsolates: isolates stay if each line closes those that it opens, and no others.
func TestReadableIsolates(t *testing.T) {
	for in, want := range map[string]string{
		"\u2068Ann\u2069 and \u2068\u2068Bob\u2069\u2069": "\u2068Ann\u2069 and \u2068\u2068Bob\u2069\u2069",
		"\u2068Ann": `\u2068Ann`, "Ann\u2069": `Ann\u2069`, "\u2069\u2068": `\u2069\u2068`, "\u2068a\nb\u2069": "\\u2068a\nb\\u2069",
		"\u2068Ann\u2069\u202e": "\u2068Ann\u2069\\u202e", "\u2066Ann\u2069": `\u2066Ann\u2069`,
	} {
		assert.Equal(t, want, console.ReadableText(in))
	}
}

func harmless(t *testing.T, s, kept string) {
	t.Helper()
	require.True(t, utf8.ValidString(s))
	for _, r := range s {
		if strings.ContainsRune(kept, r) {
			continue
		}
		require.False(t, unicode.IsControl(r), "%U", r)
		require.False(t, unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector), "%U", r)
	}
}

// TestQuoteIsOneWord checks that Words reads back each quoted text as one word.
func TestQuoteIsOneWord(t *testing.T) {
	for _, text := range []string{"", `\`, `a\`, `\"`, `" quit "`, `\x41`, "a\nb", "\x00\xff", "'", "\u202e"} {
		words, err := console.Words(console.Quote(text))
		require.NoError(t, err, "%q", text)
		assert.Equal(t, []string{text}, words)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain héllo 日本\u3000語": "plain héllo 日本\u3000語",
		"a\nb\tc\rd":            `a\nb\tc\rd`,
		"\x1b[2J\x00\x7f":       `\x1b[2J\x00\x7f`,
		"\u009b\x9b":            `\u009b\x9b`,
		"\u202e\u200b\ufeff":    `\u202e\u200b\ufeff`,
		"\U000e0041":            `\U000e0041`,
		"a\u3164b\u034f":        `a\u3164b\u034f`, // a Hangul filler is a letter, but invisible
		`back\slash "quoted"`:   `back\slash "quoted"`,
		"\ufffd":                "\ufffd",
	} {
		assert.Equal(t, want, console.Clean(in))
	}
	assert.Equal(t, "a\n\tb\\x1b", console.CleanText("a\n\tb\x1b"))
	assert.Zero(t, testing.AllocsPerRun(100, func() { console.Clean("nothing to do: héllo") }))
}
