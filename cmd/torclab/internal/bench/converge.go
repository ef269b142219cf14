package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

const (
	convergeClients = 4
	convergeObjects = 1000
	convergeMoving  = time.Second // duration of motion with packet loss, before everything stops
)

// converge stops a moving world. It returns the virtual time until every ghost of every client
// matches its object.
func converge(seed uint64, rate, share float64) (netcore.Time, error) {
	server, err := newSimServer(Load{Active: 100}, convergeObjects, engine.Config{})
	if err != nil {
		return 0, err
	}
	server.rate = netcore.Rate{Packets: rate, Size: netcore.MaxSize}
	n := netsim.New(seed)
	n.Attach(serverAt, &tickingHost{Machine: server.host, host: server.host, next: tickTime})
	rests := new(convergence)
	var clients []*simClient
	for i := range convergeClients {
		e, err := newExtra(engine.ResolveTo(serverAt))
		if err != nil {
			return 0, err
		}
		at := netcore.SimAddr(uint16(10 + i))
		n.Attach(at, &tickingHost{Machine: e.host, host: e.host, next: tickTime, then: func() { rests.look(i, e) }})
		n.Link(at, serverAt, netcore.LinkParams{}, netcore.LinkParams{})
		address := "server#" + server.host.Identity().Public.String()
		if err := e.host.Dialer.Connect(address, engine.ConnectArgs{}); err != nil {
			return 0, err
		}
		clients = append(clients, e)
	}
	missing := func() bool {
		return slices.ContainsFunc(clients, func(e *simClient) bool { return len(e.ghosts) < convergeObjects })
	}
	if !n.RunWhile(lossTimeout, time.Millisecond, missing) {
		return 0, fmt.Errorf("some ghosts did not arrive: %s", server.lost)
	}
	line := netcore.LinkParams{Loss: share, Delay: lossDelay}
	for i := range clients {
		n.Link(netcore.SimAddr(uint16(10+i)), serverAt, line, line)
	}
	n.Run(n.Now()+convergeMoving, time.Millisecond)
	server.movers.still = true
	start := n.Now()
	rests.begun, rests.want = true, new(digest).all(server.movers.all)
	if !n.RunWhile(start+lossTimeout, time.Millisecond, rests.waiting) {
		return 0, errors.New("the ghosts never matched their objects")
	}
	return n.Now() - start, nil
}

// convergence compares each client's ghosts with the objects.
type convergence struct {
	begun bool
	want  uint64 // digest of the objects
	alike [convergeClients]bool
	digest
}

func (r *convergence) look(i int, e *simClient) { r.alike[i] = r.begun && r.all(e.ghosts) == r.want }

func (r *convergence) waiting() bool { return slices.Contains(r.alike[:], false) }
