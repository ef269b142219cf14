// Package watch finds mods whose files have changed since they were loaded. It asks a file system, a
// few files at a time.
package watch
