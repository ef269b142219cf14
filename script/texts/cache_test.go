package texts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/texts"
)

// TestCacheKeepsEqualFiles: a cache gives the tables of equal files again, those of other files are
// read, and a mistake is told each time.
func TestCacheKeepsEqualFiles(t *testing.T) {
	c, saw := texts.NewCache(), 0
	read := func(english, german string) (*texts.Tables, []string) {
		all, problems := c.Read(folder(map[string]string{"en.toml": english, "de.toml": german}), texts.Options{Plural: plural.For, Saw: func(string, []byte) { saw++ }})
		return all, lines(problems)
	}
	first, problems := read("a = 'x'", "a = 'x'")
	require.Empty(t, problems)
	again, problems := read("a = 'x'", "a = 'y'")
	require.Empty(t, problems)
	assert.Equal(t, []string{"de", "en"}, again.Languages())
	assert.Same(t, first.Table("en"), again.Table("en"))
	assert.NotSame(t, first.Table("de"), again.Table("de"))
	assert.NotSame(t, first.Table("de"), first.Table("en"), "of equal content")
	assert.Equal(t, 4, saw, "a kept file is seen too")
	for range 2 {
		_, problems = read("a = 'x'", "a = 5")
		assert.Len(t, problems, 1)
	}
}
