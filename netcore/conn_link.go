package netcore

// connLink simulates a bad network in front of one connection.
type connLink struct{ out, in *Link }

// SetLink makes this connection's network as bad as p says, in both directions. It is for tests and
// demonstrations. The zero LinkParams end the simulation; datagrams already under way still arrive.
func (c *Conn) SetLink(p LinkParams) {
	if c.link == nil {
		if p.Perfect() {
			return
		}
		c.link = &connLink{NewLink(c.rng.Uint64(), p), NewLink(c.rng.Uint64(), p)}
	}
	c.link.out.Params, c.link.in.Params = p, p
}

// receiveFromLink receives the datagrams that the simulated network delivers.
func (c *Conn) receiveFromLink() {
	c.arrivedAt = c.now
	c.link.in.Pop(c.now, c.receive)
}
