// Package inspect prints values of Lua for people: in Lua syntax, with a limit on everything.
//
// It reads tables without metamethods, so printing runs no code of a mod. It prints at most 4 levels
// of tables, 100 entries of a table, 1,000 entries and 16 KiB of text in all, and 200 bytes of a
// string inside a table. The mark … stands for the rest. A table inside itself is <cycle>.
// Keys are sorted: numbers, strings, then the others. Invisible characters are escaped.
package inspect
