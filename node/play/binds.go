package play

import "github.com/torc-engine/torc/engine"

// Binds returns the keys that mods ask the player for, by mod and name. changed reports whether
// they have changed since the last call. Command runs the command of a bind.
func (c *Client) Binds() (asked []engine.Bind, changed bool) {
	changed, c.bindsChanged = c.bindsChanged, false
	if server := c.node.Host().Server(); changed && server != nil {
		asked = server.Binds().Told()
	}
	return asked, changed
}
