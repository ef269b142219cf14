// Package rate bounds how often things happen: by a bucket of tokens, or by a count in each second.
// It also has the table in which such counts of many strangers stay bounded.
//
// Time is an argument, since any beginning: the simulation's or a connection's. All zero values are
// ready for use.
//
// # Where to read
//
//   - bucket.go: Limit and Bucket
//   - second.go: Second, a count that begins anew each second
//   - recent.go: Recent, a count of the last period, and the share of a bucket that follows from it
//   - generations.go: Generations, a table that forgets the older half
package rate
