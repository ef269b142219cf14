// Package texts reads the texts of a mod in several languages, and finds the text of a reader.
//
//	texts/en.toml, texts/pt.toml ──Read──▶ Tables ──Find(key, "pt-BR")──▶ LanguageTable, Entry ──Form(n)──▶ text
//
// A table is the file of a language. A key has one text, or a text for each plural form:
//
//	round_over = "%1 wins."
//	frags = { one = "%1 frag", other = "%1 frags" }
//	carried = { count = 2, one = "%1 carries one flag", other = "%1 carries %2 flags" }
//
// A table comes from whoever wrote the mod, so each number in it is bounded. A mistake is a
// Problem, with file and line.
//
// # Where to read
//
//	table.go    the tables, and how a text is found
//	read.go     the files
//	cache.go    tables of files that were read before
//	entry.go    a key: its text or plural forms
//	compare.go  what differs between the tables of a mod
//	isolate.go  texts in which letters run both ways
package texts
