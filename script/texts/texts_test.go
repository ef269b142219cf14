package texts_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/texts"
)

func folder(list map[string]string) fs.FS {
	dir := fstest.MapFS{}
	for name, text := range list {
		dir["texts/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

func read(list map[string]string) (*texts.Tables, []texts.Problem) {
	return texts.Read(folder(list), texts.Options{Plural: plural.For})
}

// lines returns problems as lines.
func lines(problems []texts.Problem) (list []string) {
	for _, p := range problems {
		list = append(list, p.Error())
	}
	return list
}

// TestFallback: a key that a language lacks is that of the language without its region, then
// English.
func TestFallback(t *testing.T) {
	all, problems := read(map[string]string{
		"en.toml": "a = 'en a'\nb = 'en b'\nc = 'en c'", "pt.toml": "a = 'pt a'\nb = 'pt b'", "pt-BR.toml": "a = 'br a'", "notes.txt": "no table",
	})
	require.Empty(t, problems)
	assert.Equal(t, []string{"en", "pt", "pt-BR"}, all.Languages())
	of := func(key, language string) string {
		table, e := all.Find(key, language)
		if e == nil {
			return ""
		}
		return table.Form(e, 0, false)
	}
	assert.Equal(t, []string{"br a", "pt b", "en c", ""}, []string{of("a", "pt-BR"), of("b", "pt-BR"), of("c", "pt-BR"), of("d", "pt-BR")})
	assert.Equal(t, []string{"pt a", "en a", "en a", "en a"}, []string{of("a", "pt-PT"), of("a", "nl"), of("a", "en-GB"), of("a", "")})
}

// TestWrongTables: what is wrong is a sentence with file and line, and the rest is read.
func TestWrongTables(t *testing.T) {
	many := new(strings.Builder)
	for i := range 1001 {
		fmt.Fprintf(many, "k%d = 'x'\n", i)
	}
	for text, want := range map[string]string{
		"a = 'x'\nb = 5":     "2: b must be a text, or a table of plural forms",
		"a = 'x'\nb = ''":    "2: b must not be empty",
		"a = 'x'\na = 'y'":   "2: Key 'a' has already been defined",
		"a = 'x'\n\nB = 'y'": `3: the key "B" must be 1 to 64 of`,
		"a = 'x'\n'" + strings.Repeat("k", 65) + "' = 'y'": "2: the key \"kkk",
		"a = 'x'\nb = { one = 'y' }":                       "2: b has no form other",
		"a = 'x'\nb = { other = 5 }":                       "2: b the form other must be a text",
		"a = 'x'\nb = { other = 'y', tow = 'z' }":          `2: b unknown plural form "tow"; known are zero, one`,
		"a = 'x'\nb = { other = 'y', count = 10 }":         "2: b count must be the number of an argument, 1…9",
		"a = 'x'\n[b]\nother = 'y'\nfew = [1]":             "2: b the form few must be a text",
		"a = 'x'\nb = '" + strings.Repeat("x", 513) + "'":  "2: b has 513 bytes: must be at most 512",
		"a = 'x'\nb = '" + strings.Repeat("%1", 21) + "'":  "2: b names arguments 21 times: must be at most 20",
		"a = 'x'\nb = \"\\u202e\"":                         "2: b has the character U+202E",
		"a = 'x'\nb = \"\\u001b[2J\"":                      "2: b has the character U+001B",
		"a = 'x'\nb = '\xff'":                              "2: ",
		"a = 'x'\nb = ":                                    "2: ",
		"a = " + strings.Repeat("[", 17):                   "1: arrays, tables and dotted keys",
		strings.Repeat("#", 32<<10+1):                      "1: the file is larger than 32 KiB",
		many.String():                                      "1: the table has 1001 keys: must be at most 1000",
	} {
		_, problems := read(map[string]string{"en.toml": text})
		require.Len(t, problems, 1, "%.60q", text)
		assert.True(t, strings.HasPrefix(problems[0].Error(), "texts/en.toml:"+want), "%.60q: %s", text, problems[0])
		assert.True(t, utf8.ValidString(problems[0].Text))
	}
	_, problems := read(map[string]string{"de.toml": "a = 'x'"})
	assert.Equal(t, []string{"texts/en.toml:1: the file is missing: English is the language of consoles, and of readers whose language no table has"}, lines(problems))
	_, problems = read(map[string]string{"en.toml": "a = 'x'", "pt_br.toml": "a = 'x'"})
	assert.Equal(t, []string{`texts/pt_br.toml:1: "pt_br" must be a language such as en, pt or pt-BR`}, lines(problems))
	languages := map[string]string{"en.toml": "a = 'x'"}
	for i := range 32 {
		languages[fmt.Sprintf("x%c%c.toml", 'a'+i%26, 'a'+i/26)] = "a = 'x'"
	}
	all, problems := read(languages)
	assert.Len(t, problems, 1)
	assert.Len(t, all.Languages(), texts.MaxLanguages)
	for name := range languages {
		languages[name] = "a = 'x'" + strings.Repeat(" ", 30<<10)
	}
	_, problems = read(languages)
	assert.Contains(t, strings.Join(lines(problems), "\n"), "the tables of a mod can have at most 256 KiB")
}

// TestCompare: tables that differ are named with file and line.
func TestCompare(t *testing.T) {
	all, problems := read(map[string]string{
		"en.toml":    "a = '%1 %2'\nb = 'b'\nn = { one = 'one', other = '%1' }\nm = { count = 2, one = '%1', other = '%1 %2' }",
		"pl.toml":    "a = '%2'\n\nn = { one = 'x', few = 'x', other = '%1', two = 'x' }\nz = 'z'\nb = 'b'\nm = { one = '%1 %2', few = '%1 %2', many = '%2', other = '%1 %2' }",
		"pt.toml":    "a = '%2 %1'\nn = { one = 'x', other = '%1' }\nm = { count = 2, one = '%1', other = '%1 %2' }",
		"pt-BR.toml": "b = 'b'", "en-GB.toml": "b = 'b'", "zh.toml": "a = '%1 %2'\nb = 'b'\nn = { other = '%1' }\nm = { count = 2, other = '%1 %2' }",
	})
	require.Empty(t, problems)
	assert.Equal(t, []string{
		"texts/pl.toml:3: n has a form two, which pl does not have",
		"texts/pl.toml:3: n has no form many, which pl has",
		"texts/pl.toml:1: a has %2, and the English text has %1 %2 (texts/en.toml:1)",
		"texts/pl.toml:6: m counts %1, and the English text counts %2 (texts/en.toml:4)",
		"texts/pl.toml:4: unknown key z: texts/en.toml has none of this name",
		"texts/pt.toml:1: b is missing (texts/en.toml:2)",
	}, lines(all.Compare(forms)))
}

func forms(language string) texts.PluralForms {
	return texts.PluralForms{Whole: plural.Whole(language), All: plural.All(language)}
}

func TestIsolate(t *testing.T) {
	assert.Equal(t, "\u2068%1\u2069 %2 %% %%1 %", texts.Isolate("%1 %2 %% %%1 %", texts.PlacesOf("%1")))
	all, _ := read(map[string]string{"en.toml": "a = 'x'", "ar.toml": "a = 'x'", "ar-Latn.toml": "a = 'x'"})
	for language, want := range map[string]string{"en": "0010", "ar": "0101", "ar-Latn": "0010"} {
		got := ""
		for _, name := range []string{"12 :)", "Ann", "آن", "漢"} {
			got += map[bool]string{true: "1", false: "0"}[all.Table(language).NeedsIsolate(name)]
		}
		assert.Equal(t, want, got, language)
	}
	assert.Equal(t, "ab", texts.Plain("a\u2068\u202e\u2069b"))
}

// FuzzTables reads any bytes as tables. Each is read, or named in a sentence. A text of a table is
// a harmless tag, whatever its arguments are.
func FuzzTables(f *testing.F) {
	for _, text := range []string{
		"a = '%1 wins.'", "n = { count = 2, one = '%1', other = '%1 %2' }", "[n]\none = 'x'\nother = 'y'", "a.one = 'x'\na.other = 'y'",
		"a = '''\nb = 'c'\n'''", "\"a\" = \"\\u2068\"", "a = [[[", "a = 1979-05-27", "a = { b = { c = {} } }", "\xef\xbb\xbfa = 'x'", "a = inf",
	} {
		f.Add(text, "pl", 1.5)
	}
	f.Fuzz(func(t *testing.T, text, language string, n float64) {
		all, problems := read(map[string]string{"en.toml": text, "pl.toml": text, language + ".toml": text})
		for _, p := range problems {
			require.Positive(t, p.Line)
			require.NotEmpty(t, p.Text)
			require.Less(t, len(p.Text), 1000)
			require.NotContains(t, p.Text, "panic")
		}
		if all == nil {
			return
		}
		all.Compare(forms)
		for _, key := range all.Keys() {
			table, e := all.Find(key, language)
			form := texts.Isolate(table.Form(e, n, true), 0x3FE)
			require.NotEmpty(t, form)
			require.LessOrEqual(t, len(form), 1024, "a tag")
			require.True(t, utf8.ValidString(form))
		}
	})
}
