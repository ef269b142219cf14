// Package webfiles reads the files of a page, and gives each a name that a browser can keep for
// ever.
//
// The name of a file has a hash of its content and of all files that it refers to. The content has
// these names in all references. So a browser never mixes two builds of a page.
//
// A release has the files compressed with brotli, which takes too much code and memory for a
// server. A compressed form has the hash of its file in its name. So it is only used for the same
// file with the same references: whoever replaces a file has the plain form of all that refer to
// it.
//
// # Where to read
//
//	files.go   File and Read
//	names.go   the references between files, and the hashes
package webfiles
