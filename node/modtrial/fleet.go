package modtrial

import (
	"crypto/sha256"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/trial"
)

// fleet is the other servers of a test, as the scripts of its server see them. It implements
// script.Fleet.
type fleet struct {
	*trial.Fleet
	test       *testServer
	travellers []traveller
}

// newFleet returns the fleet of a test server.
func newFleet(s *testServer) *fleet {
	f := &fleet{Fleet: trial.NewFleet(), test: s}
	f.Changed = func(t *trial.FleetServer, how trial.FleetChange) {
		s.scripts.FleetChanged(f.seen(t), map[trial.FleetChange]script.FleetChange{
			trial.FleetServerChanged: script.Changed, trial.FleetServerJoined: script.Joined, trial.FleetServerLeft: script.Left,
		}[how])
	}
	return f
}

// Name returns the name of the server in its fleet, "" without one.
func (f *fleet) Name() string {
	if len(f.Fleet.Servers()) == 0 {
		return ""
	}
	return trial.FleetName
}

// Servers returns this server, then those of the test.
func (f *fleet) Servers() []script.FleetServer {
	h := f.test.server.Host
	n := h.Summary()
	list := []script.FleetServer{{
		Name: f.Name(), Title: h.Admission.Name, Mission: f.test.scripts.Mission(), State: "ready",
		Players: n.Players, Max: n.MaxPlayers, Free: max(n.MaxPlayers-n.Players-n.Bots, 0),
	}}
	for _, s := range f.Fleet.Servers() {
		list = append(list, f.seen(s))
	}
	return list
}

// seen returns a server of the test as mods see it.
func (f *fleet) seen(s *trial.FleetServer) script.FleetServer {
	return script.FleetServer{
		Name: s.Name, Address: addressOf(s.Name), Title: s.Title, Mission: s.Mission, Players: s.Players, Max: s.Max,
		Free: max(s.Max-s.Players, 0), State: s.State, Ping: 1, Own: map[string][]byte{f.test.run.Mod: s.Own},
	}
}

// Target returns the order to go to a server of the test.
func (f *fleet) Target(server string) (o engine.TransferOrder, err error) {
	if err := f.Reaches(server); err != nil {
		return o, err
	}
	return engine.TransferOrder{Address: addressOf(server), Key: sha256.Sum256([]byte(server)), Name: server}, nil
}

// addressOf returns the address of a server of the test, for people.
func addressOf(server string) string { return server + ".example.org:28000" }

// sealTicket makes the ticket of a transfer in a test: only its data, because nobody else reads it.
func sealTicket(_, _ seal.Key, data []byte) ([]byte, error) { return append([]byte{0}, data...), nil }

// A traveller is a client with an order to go to another server.
type traveller struct {
	client *trial.Actor
	from   *engine.Connection
	to     engine.TransferOrder
}

// travel ends the transfers whose orders have come.
func (f *fleet) travel() {
	list := f.travellers
	f.travellers = nil
	for _, p := range list {
		key := p.client.Host.Identity().Public
		p.from.AnswerTransfer(f.Arrive(p.to.Name, trial.Arrival{Name: p.client.Name, Key: key.String(), Data: p.to.Ticket[1:]}))
	}
}

// Fleet is part of trial.TestNetwork.
func (s *testServer) Fleet() *trial.Fleet { return s.fleet.Fleet }
