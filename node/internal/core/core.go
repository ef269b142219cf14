package core

// Core is what a node lends to its services. Only the goroutine of Run uses it, but for the methods
// of Posts.
type Core struct {
	*Owner
	Side *Side
	Home *Home
	Loop *Loop // nil: another node runs this one
	Line Line  // the console line that runs
	// Record writes to the audit log of a server who did what, and whether it failed.
	Record func(by, did string, err error)
}
