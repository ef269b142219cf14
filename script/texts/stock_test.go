package texts_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/texts"
)

// TestTablesOfTheStockMods: the tables of torc's own mods have the same keys, the same arguments
// and the plural forms of their languages, each key is used, and the pages name who has not read
// them.
func TestTablesOfTheStockMods(t *testing.T) {
	for _, mod := range []string{"base", "ctf", "deathmatch"} {
		dir, err := fs.Sub(mods.FS(), mod)
		require.NoError(t, err)
		all, problems := texts.Read(dir, texts.Options{Plural: plural.For})
		require.Empty(t, problems)
		assert.Equal(t, []string{"ar", "de", "en", "es", "fr", "pl", "pt", "zh"}, all.Languages(), mod)
		assert.Empty(t, lines(all.Compare(forms)), mod)
		code := new(strings.Builder)
		require.NoError(t, fs.WalkDir(dir, ".", func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".lua") && !strings.HasPrefix(path, "test/") {
				text, failed := fs.ReadFile(dir, path)
				code.Write(text)
				return failed
			}
			return err
		}))
		for _, key := range all.Keys() {
			assert.Contains(t, code.String(), `"`+key+`"`, "%s never uses the key", mod)
		}
		for _, language := range all.Languages() {
			text, err := fs.ReadFile(dir, "texts/"+language+".toml")
			require.NoError(t, err)
			assert.Equal(t, language != "en", strings.Contains(string(text), "No native reader has checked it."), "%s %s", mod, language)
		}
	}
	page, err := os.ReadFile("../../docs/mods.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "No native reader has checked those other than English.")
}
