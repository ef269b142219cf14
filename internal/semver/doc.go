// Package semver compares versions (semver.org), and says whether a version is in a range such as
// ">=1.0, <2". A range means the same as in github.com/Masterminds/semver, the oracle of the tests.
// The program of the page has this package: it needs neither regular expressions nor their tables,
// which took 90 kB of each first visit.
//
// # Where to read
//
//	version.go  a version, and which one is newer
//	range.go    the text of a range
//	term.go     what each operator accepts
package semver
