package node

// coreParts is what a node lends to its services. Only the goroutine of Run uses it, but for the methods that
// say so.
type coreParts struct {
	*owner
	side *side
	home *home
	loop *loop // nil: another node runs this one
}
