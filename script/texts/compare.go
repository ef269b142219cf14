package texts

import (
	"fmt"
	"slices"
	"strings"
)

// PluralForms are the plural forms of a language: those that whole numbers need, and all.
type PluralForms struct{ Whole, All map[string]bool }

// Compare returns what differs between the English table and the others: missing and unknown keys,
// different places, plural forms that a language lacks or does not have.
func (t *Tables) Compare(forms func(language string) PluralForms) (list []Problem) {
	english := t.byLanguage[English]
	if english == nil {
		return nil
	}
	for _, language := range t.languages {
		table := t.byLanguage[language]
		list = append(list, table.compareForms(forms(language))...)
		if table != english {
			list = append(list, table.compareKeys(english, t.parents(language))...)
		}
	}
	return list
}

// parents lists the tables in which a key of a language is looked up next, without English: pt of
// pt-BR.
func (t *Tables) parents(language string) (list []*LanguageTable) {
	for {
		language = language[:max(0, strings.LastIndexByte(language, '-'))]
		if language == "" || language == English {
			return list
		}
		if table := t.byLanguage[language]; table != nil {
			list = append(list, table)
		}
	}
}

// compareKeys compares keys and places with those of the English table. A table of a region need
// not have what that of its language has.
func (t *LanguageTable) compareKeys(english *LanguageTable, parents []*LanguageTable) (list []Problem) {
	for _, key := range english.Keys() {
		want, is := english.entries[key], t.entries[key]
		has := func(p *LanguageTable) bool { return p.entries[key] != nil }
		switch {
		case is == nil && !strings.HasPrefix(t.Language, English+"-") && !slices.ContainsFunc(parents, has):
			list = append(list, Problem{t.File, 1, fmt.Sprintf("%s is missing (%s:%d)", key, english.File, want.Line)})
		case is == nil:
		case is.Places() != want.Places():
			list = append(list, Problem{t.File, is.Line, fmt.Sprintf("%s has %s, and the English text has %s (%s:%d)", key, is.Places(), want.Places(), english.File, want.Line)})
		case is.Plural() && want.Plural() && is.Count != want.Count:
			list = append(list, Problem{t.File, is.Line, fmt.Sprintf("%s counts %%%d, and the English text counts %%%d (%s:%d)", key, is.Count, want.Count, english.File, want.Line)})
		}
	}
	for _, key := range t.Keys() {
		if english.entries[key] == nil {
			list = append(list, Problem{t.File, t.entries[key].Line, fmt.Sprintf("unknown key %s: %s has none of this name", key, english.File)})
		}
	}
	return list
}

// compareForms compares the plural forms with those of the language.
func (t *LanguageTable) compareForms(forms PluralForms) (list []Problem) {
	for _, key := range t.Keys() {
		e := t.entries[key]
		if !e.Plural() {
			continue
		}
		for i, name := range formNames {
			switch {
			case e.forms[i] == "" && forms.Whole[name]:
				list = append(list, Problem{t.File, e.Line, fmt.Sprintf("%s has no form %s, which %s has", key, name, t.Language)})
			case e.forms[i] != "" && !forms.All[name]:
				list = append(list, Problem{t.File, e.Line, fmt.Sprintf("%s has a form %s, which %s does not have", key, name, t.Language)})
			}
		}
	}
	return list
}
