// Package lines is the console without a terminal: lines in from a pipe, lines out to one.
//
// Neither side may hold up the simulation. A Reader waits for input on its own goroutine and hands
// over one line at a time; a Writer takes every line at once and writes on its own goroutine, and
// forgets the oldest when nobody reads.
package lines
