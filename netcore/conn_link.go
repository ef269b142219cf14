package netcore

// connLink is a bad line in front of one connection.
type connLink struct{ out, in *Link }

// SetLink makes this connection's line as bad as p says, in both directions,
// for tests and demonstrations. The zero LinkParams make it good again; what
// is on its way then arrives still.
func (c *Conn) SetLink(p LinkParams) {
	if c.link == nil {
		if p.Perfect() {
			return
		}
		c.link = &connLink{NewLink(c.rng.Uint64(), p), NewLink(c.rng.Uint64(), p)}
	}
	c.link.out.Params, c.link.in.Params = p, p
}

// arrive receives what has come through the bad line.
func (c *Conn) arrive() { c.link.in.Pop(c.now, c.receive) }
