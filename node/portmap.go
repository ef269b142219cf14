//go:build !js

package node

import (
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/portmap"
)

// mapPort asks the router to forward the port of a server. It returns what ends that.
func mapPort(c *core.Core) func() {
	at := c.Loop.Socket.Addr()
	if at.Addr().IsLoopback() {
		c.Log.Warn("no port is mapped: the server listens only on this machine")
		return nil
	}
	k := portmap.Keep(at.Port(), func(text string, works bool) {
		c.Post(func() {
			if text = console.Clean(text); works {
				c.Print(text)
			} else {
				c.Log.Warn(text)
			}
		})
	})
	return k.Stop
}
