package meeting

import (
	"errors"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/node/internal/core"
)

// answers is the part of a server that answers queries, from everywhere and from the local network.
type answers struct {
	responder  *query.Responder
	query, lan bool        // sv.query, sv.lan
	group      *core.Group // nil: no search of the local network is heard
}

// errUnasked says that a list asks the servers in it.
var errUnasked = errors.New("needs sv.query: the public list asks the server for its name and its players")

// Variables are sv.query, sv.lan and sv.public.
func (s *Service) Variables() []console.Var {
	lan := console.Hook(console.Bool(&s.answers.lan), func() error { s.joinGroup(); return nil })
	query := console.Hook(console.Bool(&s.answers.query), func() error {
		if s.public && !s.answers.query {
			return errors.New("sv.public needs it, so turn that off first")
		}
		return nil
	})
	public := console.Hook(console.Bool(&s.public), func() error {
		if s.public && !s.answers.query {
			return errUnasked
		}
		if s.public && s.opts.Rendezvous == "" {
			s.core.Log.Warn("sv.public has no effect without a rendezvous (--rendezvous HOST:PORT)")
		}
		return nil
	})
	return []console.Var{
		{Name: "sv.public", Help: "puts the server into the public list of its rendezvous (--rendezvous), if that keeps one", Value: public},
		{Name: "sv.query", Help: "answers torc query with the name, the mission, the mods and the number of players", Value: query},
		{Name: "sv.lan", Help: "answers torc find on the local network, while sv.query is on", Value: lan},
	}
}

// joinGroup makes the server hear searches of the local network, or stops that. A server that only
// this machine reaches hears none.
func (s *Service) joinGroup() {
	wanted := s.answers.lan && s.core.Loop.Socket != nil && !s.core.Loop.Socket.Addr().Addr().IsLoopback()
	switch {
	case !wanted:
		s.answers.close()
	case s.answers.group == nil:
		var err error
		if s.answers.group, err = core.JoinGroup(s.searched); err != nil {
			s.core.Log.Info("torc find does not find this server", "why", err)
		}
	}
}

// close stops hearing searches of the local network.
func (a *answers) close() {
	if a.group != nil {
		a.group.Close()
		a.group = nil
	}
}

// searched passes a search of the local network on to the goroutine of Run. It does not wait for
// that goroutine, which waits for this one when it leaves the group.
func (s *Service) searched(from netcore.Addr, b []byte) {
	if query.Is(b) {
		b = slices.Clone(b)
		s.core.Offer(func() { s.answer(from, b) })
	}
}

// Other handles a datagram that belongs to no connection and no join.
func (s *Service) Other(from netcore.Addr, b []byte) bool {
	switch {
	case query.IsAnswer(b):
		return s.Answered != nil && s.Answered(from, b)
	case query.Is(b):
		s.answer(from, b)
	case rendezvous.Is(b):
		s.registrar.receive(from, b)
	default:
		return false
	}
	return true
}

// answer answers a query.
func (s *Service) answer(from netcore.Addr, b []byte) {
	if !s.answers.query || s.core.Ending() {
		return
	}
	if b := s.answers.responder.Answer(s.core.Now(), from, b, s.info); b != nil {
		s.core.Loop.Send(from, b)
	}
}

// info returns what this server tells everybody.
func (s *Service) info() query.Info {
	numbers := s.core.Side.Host.Summary()
	i := query.Info{
		Version: netcore.ProtocolVersion, Key: s.core.Side.Host.Identity().Public, Name: s.core.Side.Host.Admission.Name, Mission: s.core.Side.Scripts.Mission(),
		Players: numbers.Players, Bots: numbers.Bots, MaxPlayers: numbers.MaxPlayers, Password: numbers.Password, Draining: numbers.Draining,
	}
	for _, m := range s.core.Side.Host.Mods() {
		i.Mods = append(i.Mods, query.Mod{Name: m.Name, Version: m.Version})
	}
	if s.page != nil {
		i.Web = s.page()
	}
	return i
}
