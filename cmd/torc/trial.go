package main

import (
	"io/fs"

	"github.com/torc-engine/torc/cmd/torc/internal/trials"
)

// trials is how this side's mods are tried before they are reloaded; nil: a client's are not.
func (s *side) trials() func(mod string, folders []fs.FS, done func(error)) {
	if !s.host.IsServer() {
		return nil
	}
	return trials.NewQueue(s.loop.posts).Try
}
