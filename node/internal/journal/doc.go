// Package journal is the format of journals. A journal holds all inputs of a server in their order,
// so that the server can run again. docs/journal.md describes the format for programs in other
// languages.
//
// The package knows neither files nor goroutines. A Reader believes no number in a file: it
// allocates only for bytes that it has got.
//
// # Where to read
//
//	kind.go    the kinds of entries, and their fields
//	entry.go   entries as bytes
//	times.go   which times entries can have
//	block.go   numbered blocks of entries, with checksums; what is damaged, and what is cut off
//	writer.go  writes entries
//	reader.go  reads them, and stops at the first damage
package journal
