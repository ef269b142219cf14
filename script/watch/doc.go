// Package watch finds mods with files that have changed since they were loaded. It asks a file system, a
// few files at a time.
package watch
