package node

import (
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/script"
)

// Taped is what node/replay needs of a server that runs again from its journal: its parts, and the
// inputs that come neither from the network nor from the console.
type Taped struct {
	Core      *core.Core
	Start     func() error // sets the variables, loads the mods, runs the scripts
	NotePlain func()       // looks for keys with a role on pages over plain HTTP
	Reread    func()       // reads the lists of players and rights again
	Fleet     func([]script.FleetServer)
	News      func(*bus.News)
	Set       func(name, value string) // applies a setting of the program
}

// NewTaped makes a stepped server whose inputs come from a tape. Other programs cannot make one:
// they use node/replay.
func NewTaped(cfg Config, t tape.Tape, from core.Surroundings) (*Server, Taped, error) {
	s, err := newServer(cfg, core.NewOwner(cfg.Common, from), &Server{tape: t, stepped: true})
	if err != nil {
		return nil, Taped{}, err
	}
	return s, Taped{Core: s.core, Start: s.load, NotePlain: s.admin.NotePlain, Fleet: s.fleet.Take, News: s.fleet.Hear, Reread: func() { _ = s.Settings.Reread() }, Set: s.Settings.set}, nil
}
