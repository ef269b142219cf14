package core

// Core is what a node lends to its services. Only the goroutine of Run uses it, but for the methods of
// Posts.
type Core struct {
	*Owner
	Side *Side
	Home *Home
	Loop *Loop // nil: another node runs this one
}
