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
	at := s.core.Loop.Socket.Addr()
	if !s.cfg.Server.MapPort {
		return
	}
	if at.Addr().IsLoopback() {
		s.core.Log.Warn("no port is mapped: the server listens only on this machine")
		return
	}
	s.port = portmap.Keep(at.Port(), func(text string, works bool) {
		s.core.Post(func() {
			if text = console.Clean(text); works {
				s.core.Print(text)
			} else {
				s.core.Log.Warn(text)
			}
		})
	})
}
