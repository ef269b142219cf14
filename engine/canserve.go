//go:build !page

package engine

// canServe reports whether this program can hold hosts that serve others: servers, and peers with
// Config.Mutual. The client for browsers is built with the tag page and cannot, so its compiler
// leaves out what only they run. NewHost panics there if it is asked for one.
const canServe = true
