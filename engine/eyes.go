package engine

// What the two sides tell each other of how a player sees.

// SetFlash says how much this peer's sight is clouded by pain and by light, each
// 0…1.
func (c *Connection) SetFlash(flash, whiteout float64) {
	if c.moves != nil {
		c.moves.SetFlash(flash, whiteout)
	}
}

// Flash is how much the peer says that sight is clouded here, each 0…1.
func (c *Connection) Flash() (flash, whiteout float64) {
	return c.prediction.flash[0], c.prediction.flash[1]
}

// SetView tells the peer how its world is looked at here: from the control object
// or from behind it, and how many degrees are seen, 1…179.
func (c *Connection) SetView(firstPerson bool, fov int) {
	if c.moves != nil {
		c.moves.SetView(firstPerson, fov)
	}
}

// View is how this peer looks at the world, as it says: from its control object
// or from behind, and how many degrees it sees, 1…179.
func (c *Connection) View() (firstPerson bool, fov int) {
	if c.moves == nil {
		return true, int(DefaultScopeView.FOV)
	}
	return c.moves.View()
}
