package texts

import "io/fs"

// maxCached is the maximum number of tables in a cache.
const maxCached = 256

// A Cache has the tables of files without mistakes, for servers on one goroutine that load the same
// mods: a table never changes. All of its reads must have the same Options.Plural.
type Cache struct {
	tables map[cachedFile]*LanguageTable
}

type cachedFile struct{ name, content string }

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{map[cachedFile]*LanguageTable{}} }

// Read is the function Read, and does not parse a file again that has the same name and content.
func (c *Cache) Read(dir fs.FS, o Options) (*Tables, []Problem) {
	o.cache = c
	return Read(dir, o)
}

// find returns the table of a file, or nil. The name has the language.
func (c *Cache) find(file string, content []byte) *LanguageTable {
	if c == nil {
		return nil
	}
	return c.tables[cachedFile{file, string(content)}]
}

// keep adds a table. A full cache begins again.
func (c *Cache) keep(t *LanguageTable, content []byte) {
	if c == nil {
		return
	}
	if len(c.tables) >= maxCached {
		clear(c.tables)
	}
	c.tables[cachedFile{t.File, string(content)}] = t
}
