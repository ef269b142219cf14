//go:build !js

package node

import (
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/portmap"
)

// portKeeper keeps the port of the server mapped on the router.
type portKeeper = portmap.Keeper

// mapPort asks the router to forward the port of the server.
func (s *Server) mapPort() {
	at := s.core.loop.socket.Addr()
	if !s.cfg.Server.MapPort {
		return
	}
	if at.Addr().IsLoopback() {
		s.core.log.Warn("no port is mapped: the server listens only on this machine")
		return
	}
	s.port = portmap.Keep(at.Port(), func(text string, works bool) {
		s.core.post(func() {
			if text = console.Clean(text); works {
				s.core.print(text)
			} else {
				s.core.log.Warn(text)
			}
		})
	})
}
