package www_test

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// languages are those of the page besides English, which is in the code.
var languages = []string{"ar", "de", "es", "fr", "pl", "pt", "zh"}

// plurals are the plural forms of languages whose numbers need more than one and other (CLDR,
// https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html).
var plurals = map[string][]string{"ar": {"few", "many", "one", "other", "two", "zero"}, "pl": {"few", "many", "one", "other"}}

var (
	literal = `"((?:[^"\\]|\\.)*)"`
	entry   = regexp.MustCompile(`(?m)^  ` + literal + `: (?:` + literal + `|\{ (.+) \}),$`)
	form    = regexp.MustCompile(`(\w+): ` + literal)
	place   = regexp.MustCompile(`%[1-9]`)
)

// table is the file of a language: the texts of each phrase or reason by its plural forms. A text
// without forms has the form "".
type table map[string]map[string]string

// tables reads the file of a language.
func tables(t *testing.T, tag string) (phrases, reasons table) {
	t.Helper()
	b, err := fs.ReadFile(www.FS, "text."+tag+".js")
	require.NoError(t, err)
	first, second, both := strings.Cut(string(b), "export const reasons = {\n")
	require.True(t, both)
	return tableOf(t, first), tableOf(t, second)
}

func tableOf(t *testing.T, text string) table {
	t.Helper()
	all := table{}
	for _, m := range entry.FindAllStringSubmatch(text, -1) {
		key := unquoted(t, m[1])
		assert.NotContains(t, all, key, "twice")
		all[key] = map[string]string{}
		for _, f := range form.FindAllStringSubmatch(m[3], -1) {
			all[key][f[1]] = unquoted(t, f[2])
		}
		if m[3] == "" {
			all[key][""] = unquoted(t, m[2])
		}
	}
	assert.Equal(t, strings.Count("\n"+text, "\n  \""), len(all), "a line that is no entry")
	return all
}

func unquoted(t *testing.T, s string) string {
	t.Helper()
	text, err := strconv.Unquote(`"` + s + `"`)
	require.NoError(t, err, s)
	return text
}

// said collects what the page says: the texts in the calls of phrase, and those of index.html.
func said(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for name, text := range files(t) {
		if !strings.HasSuffix(name, ".js") || strings.HasPrefix(name, "text.") || name == "language.js" {
			continue
		}
		for _, argument := range arguments(text) {
			for _, m := range regexp.MustCompile(literal).FindAllStringSubmatch(argument, -1) {
				all[unquoted(t, m[1])] = true
			}
		}
	}
	page, err := fs.ReadFile(www.FS, "index.html")
	require.NoError(t, err)
	for z, inside := html.NewTokenizer(strings.NewReader(string(page))), ""; z.Next() != html.ErrorToken || z.Err() != io.EOF; {
		token := z.Token()
		text := strings.TrimSpace(token.Data)
		if token.Type == html.TextToken && text != "" && !slices.Contains([]string{"title", "noscript", "h1"}, inside) && text != ">" {
			all[text] = true
		}
		if token.Type == html.StartTagToken {
			inside = token.Data
		}
		for _, a := range token.Attr {
			if a.Key == "aria-label" {
				all[a.Val] = true
			}
		}
	}
	return all
}

// arguments returns the first argument of each call of phrase.
func arguments(text string) (all []string) {
	for _, at := range regexp.MustCompile(`\bphrase\(`).FindAllStringIndex(text, -1) {
		deep, quoted := 0, false
		for i := at[1]; i < len(text); i++ {
			if c := text[i]; c == '"' {
				quoted = !quoted
			} else if !quoted && c == '(' {
				deep++
			} else if !quoted && (c == ')' || c == ',') && deep == 0 {
				all = append(all, text[at[1]:i])
				break
			} else if !quoted && c == ')' {
				deep--
			}
		}
	}
	return all
}

// TestLanguagesHaveAllPhrases: each language has just what the page says, with the same places for
// values, and the plural forms of its numbers.
func TestLanguagesHaveAllPhrases(t *testing.T) {
	want := slices.Sorted(maps.Keys(said(t)))
	require.Greater(t, len(want), 100)
	_, english := tables(t, "de")
	for _, tag := range languages {
		phrases, reasons := tables(t, tag)
		assert.Equal(t, want, slices.Sorted(maps.Keys(phrases)), tag)
		assert.Equal(t, slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(reasons)), tag)
		for _, all := range []table{phrases, reasons} {
			for key, forms := range all {
				checkForms(t, tag, key, forms)
			}
		}
	}
}

// checkForms checks the texts of one phrase.
func checkForms(t *testing.T, tag, key string, forms map[string]string) {
	t.Helper()
	if _, single := forms[""]; !single {
		names := slices.Sorted(maps.Keys(forms))
		if want, known := plurals[tag]; known {
			assert.Equal(t, want, names, "%s: %s", tag, key)
		} else {
			assert.Equal(t, []string{"one", "other"}, names, "%s: %s", tag, key)
		}
	}
	for name, text := range forms {
		if name == "one" || name == "two" {
			continue // a language can have a word for the number
		}
		assert.ElementsMatch(t, place.FindAllString(key, -1), place.FindAllString(text, -1), "%s: %s", tag, text)
	}
}

// TestBarsAreNamedAsInCtf: the page leaves out of the line of a player what its bars show, so it
// must know the words of ctf in each language.
func TestBarsAreNamedAsInCtf(t *testing.T) {
	for _, tag := range languages {
		phrases, _ := tables(t, tag)
		file, err := os.ReadFile(filepath.Join("..", "..", "..", "mods", "ctf", "texts", tag+".toml"))
		require.NoError(t, err)
		line := regexp.MustCompile(`(?m)^body = .*$`).FindString(string(file))
		for _, bar := range []string{"health", "energy"} {
			assert.Contains(t, line, "   "+phrases[bar][""]+" %", tag)
		}
	}
}

// TestReasonsAreThoseOfTheProgram: the reasons of a language are texts of the program, so none is
// old, and each kind of an end is among them.
func TestReasonsAreThoseOfTheProgram(t *testing.T) {
	_, reasons := tables(t, "de")
	for code := netcore.NoReason; code <= netcore.Restarting; code++ {
		assert.Contains(t, reasons, code.String())
	}
	assert.Contains(t, reasons, engine.ClosedText)
	program := sources(t, "engine", "netcore", "node")
	for key := range reasons {
		key = strings.ReplaceAll(place.ReplaceAllString(key, "\n"), "try again", "\n") // engine/refusal.go appends that
		for _, part := range strings.FieldsFunc(key, func(r rune) bool { return r == '\n' || r == ':' }) {
			part = strings.Trim(part, " ()s")
			assert.True(t, strings.Contains(program, part), "nothing in the program says %q of %q", part, key)
		}
	}
}

// sources returns the code of folders of the module, without that of their tests.
func sources(t *testing.T, folders ...string) string {
	t.Helper()
	all := strings.Builder{}
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			all.Write(b)
			return err
		}))
	}
	return all.String()
}
