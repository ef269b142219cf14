package engine

// The view settings that the two sides exchange.

// SetFlash sets how strongly this peer's screen is tinted by damage (flash) and by light
// (whiteout), each 0…1.
func (c *Connection) SetFlash(flash, whiteout float64) {
	if c.moves != nil {
		c.moves.SetFlash(flash, whiteout)
	}
}

// Flash returns the tint that the peer has set for this side's screen, each 0…1.
func (c *Connection) Flash() (flash, whiteout float64) {
	return c.prediction.flash[0], c.prediction.flash[1]
}

// SetView tells the peer this side's camera: first person or third person, and the field of view in
// degrees, 1…179.
func (c *Connection) SetView(firstPerson bool, fov int) {
	if c.moves != nil {
		c.moves.SetView(firstPerson, fov)
	}
}

// View returns the peer's camera: first person or third person, and the field of view in degrees,
// 1…179.
func (c *Connection) View() (firstPerson bool, fov int) {
	if c.moves == nil {
		return true, int(DefaultScopeView.FOV)
	}
	return c.moves.View()
}
