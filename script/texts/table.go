package texts

import (
	"slices"
	"strings"
)

// English is the language of the log and of consoles, and of readers whose language no table has.
const English = "en"

// Tables are the texts of a mod. They never change.
type Tables struct {
	byLanguage map[string]*LanguageTable
	languages  []string // sorted
}

// A LanguageTable has the texts in a language.
type LanguageTable struct {
	Language string // such as "pt-BR"
	File     string // path in the folder of the mod
	entries  map[string]*Entry
	form     func(n float64) string // the plural form of a number; nil: always other
	leftward bool                   // the language is written from right to left
}

// add adds the table of a language.
func (t *Tables) add(table *LanguageTable) {
	t.byLanguage[table.Language] = table
	t.languages = append(t.languages, table.Language)
}

// Languages lists the languages of the tables, sorted.
func (t *Tables) Languages() []string { return t.languages }

// Table returns the table of a language, or nil.
func (t *Tables) Table(language string) *LanguageTable { return t.byLanguage[language] }

// Keys lists the keys of the English table, sorted.
func (t *Tables) Keys() []string {
	if english := t.byLanguage[English]; english != nil {
		return english.Keys()
	}
	return nil
}

// Keys lists the keys of a table, sorted.
func (t *LanguageTable) Keys() []string {
	list := make([]string, 0, len(t.entries))
	for key := range t.entries { // any order: it is sorted
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// Entry returns the entry of a key, or nil.
func (t *LanguageTable) Entry(key string) *Entry { return t.entries[key] }

// Find returns the entry of a key for a reader, with its table: of pt-BR that of pt-BR, of pt, of
// English. It returns nil if English has no such key.
func (t *Tables) Find(key, language string) (*LanguageTable, *Entry) {
	for language != "" {
		if table := t.byLanguage[language]; table != nil {
			if e := table.entries[key]; e != nil {
				return table, e
			}
		}
		language = language[:max(0, strings.LastIndexByte(language, '-'))]
	}
	if english := t.byLanguage[English]; english != nil {
		return english, english.entries[key]
	}
	return nil, nil
}

// Form returns the text of an entry for a number that it counts. counted reports whether there is
// one.
func (t *LanguageTable) Form(e *Entry, n float64, counted bool) string {
	if !e.Plural() || !counted || t.form == nil {
		return e.forms[other]
	}
	if i := slices.Index(formNames, t.form(n)); i >= 0 && e.forms[i] != "" {
		return e.forms[i]
	}
	return e.forms[other]
}
