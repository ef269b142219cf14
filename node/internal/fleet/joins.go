package fleet

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Joins is how a server joins the others of its fleet.
type Joins struct {
	Name string // of the server: 1 to 32 of a–z, 0–9 and -, unique in the fleet
	// Advertise is HOST:PORT, which goes to players; "" is the address of the socket.
	Advertise string
	// Open opens the line to the fleet when the server starts. It can wait a few seconds. An error,
	// such as for a name that lives already, refuses the start. A fleet that does not answer is no
	// error: the line comes up later.
	Open func(self bus.Server) (bus.Bus, error)
}

// check refuses a server that cannot join a fleet.
func (j *Joins) check(peers []Peer) error {
	if j == nil {
		return nil
	}
	if !names.Server(j.Name) {
		return fmt.Errorf("%q is not the name of a server: 1 to 32 of a-z, 0-9 and -", j.Name)
	}
	if j.Advertise != "" && !validAddress(j.Advertise) {
		return fmt.Errorf("%q must be HOST:PORT, for example game.example.org:28000", j.Advertise)
	}
	for _, p := range peers {
		if p.Name == j.Name {
			return fmt.Errorf("a peer has the name of this server, %s", j.Name)
		}
	}
	return nil
}

// closeTime is how long the end of a server waits for its fleet.
const closeTime = 3 * time.Second

// join opens the line.
func (s *Service) join() (err error) {
	j := s.opts.Joins
	if j == nil || j.Open == nil {
		return nil
	}
	if s.bus, err = j.Open(s.self()); err != nil {
		return err
	}
	s.values.follow()
	if s.lists != nil {
		s.lists.follow()
	}
	s.core.Before(s.step)
	if s.saving != nil {
		s.core.Before(s.saving.step)
	}
	return nil
}

// Close closes the line, behind the last values of the mods, and then the copy.
func (s *Service) Close() error {
	if s.bus != nil {
		if err := s.bus.Close(closeTime); err != nil {
			s.core.Log.Warn("the end of the line to the fleet: " + err.Error())
		}
		s.listen()
		if s.lists != nil {
			s.lists.giveUp()
		}
		s.bus = nil
	}
	if s.saving == nil {
		return nil
	}
	err := s.saving.close()
	s.saving = nil
	return err
}
