package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

const (
	smallPacket  = 260 // bytes of UDP payload
	smallObjects = 1000
	smallPause   = 4 * time.Second  // after it all baselines are old
	smallWarm    = 30 * time.Second // in which all updates become relative to earlier ones
)

// smallPackets shows a thousand moving objects to a client with small packets, after a pause.
var smallPackets = line.Row{
	Name:     "packets of 260 bytes, 1,000 moving objects, after a pause",
	Required: "100 updates per packet of 25 bits, mean age 5.5 ticks",
	Measure: func(m line.Medium, _ uint64, long netcore.Time) (line.Result, error) {
		works, dead := netsim.Direction{LinkParams: netcore.LinkParams{Delay: 50 * time.Millisecond}}, netsim.Direction{LinkParams: netcore.LinkParams{Loss: 1}}
		m.Set(netsim.Direction{}, works)
		server, client, age, err := crowdedView(m)
		if err != nil {
			return line.Result{}, err
		}
		c := server.host.Connections()[0]
		c.Line.SetSendRate(netcore.Rate{Packets: netcore.DefaultPackets, Size: smallPacket})
		m.Set(netsim.Direction{}, dead)
		m.Run(m.Now() + smallPause)
		m.Set(netsim.Direction{}, works)
		m.Run(m.Now() + smallWarm)
		n, g := *c.Net().Stats(), *c.Ghosts().Stats()
		*age = meanAge{}
		m.Run(m.Now() + long)
		if server.lost != "" || client.over != "" {
			return line.Result{}, errors.New(server.lost + client.over)
		}
		packets, updates := float64(c.Net().Stats().Sent-n.Sent), float64(c.Ghosts().Stats().Updates-g.Updates)
		bits := 8 * float64(c.Net().Stats().SentBytes-n.SentBytes) / updates
		return line.Result{
			Measured: fmt.Sprintf("%.0f updates of %.1f bits, age %.1f ticks", updates/packets, bits, age.mean()),
			Score:    max(line.AtLeast(updates/packets, 100), line.AtMost(bits, 25), line.AtMost(age.mean(), 5.5)),
		}, nil
	},
}

// crowdedView connects a client to a server with moving objects, and waits until it has them all.
// age is that of the objects on the client.
func crowdedView(m line.Medium) (server *simServer, client *simClient, age *meanAge, err error) {
	if server, err = newSimServer(Load{Active: 100}, smallObjects, engine.Config{}); err != nil {
		return nil, nil, nil, err
	}
	if client, err = newExtra(engine.ResolveTo(matchAt)); err != nil {
		return nil, nil, nil, err
	}
	age = new(meanAge)
	m.Pair(&tickingHost{Machine: server.host, host: server.host, next: m.Now()},
		&tickingHost{Machine: client.host, host: client.host, next: m.Now(), then: func() { age.look(client) }}, 0)
	if err = client.host.Dialer.Connect("server#"+server.host.Identity().Public.String(), engine.ConnectArgs{}); err != nil {
		return nil, nil, nil, err
	}
	for end := m.Now() + time.Minute; len(client.ghosts) < smallObjects; m.Run(m.Now() + liveStep) {
		if m.Now() > end || client.over != "" {
			return nil, nil, nil, fmt.Errorf("some ghosts did not arrive: %s", client.over)
		}
	}
	client.joined = true
	return server, client, age, nil
}

// meanAge is how many ticks ago the ghosts of a client were updated.
type meanAge struct{ sum, n uint64 }

func (a *meanAge) look(e *simClient) {
	for _, m := range e.ghosts {
		a.sum += e.tick - m.last
		a.n++
	}
}

func (a *meanAge) mean() float64 { return float64(a.sum) / float64(max(a.n, 1)) }
