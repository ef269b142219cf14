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
	manyObjects = 64_000
	manySettle  = 3 * time.Second // in which the connection finds the rate, and the server shows objects already
	manyLong    = 2 * time.Second // of the measurement: in a second both hosts work as long as in a minute of other rows
)

// manyRow runs in virtual time only: in real time it would measure how fast the machine is.
var manyRow = objectsRow(manyObjects, 10e6)

// onlyVirtual reports whether a row does not run through a relay.
func onlyVirtual(r *line.Row) bool { return r.Name == manyRow.Name }

// objectsRow shows moving objects to a client. There are always more updates than the line carries.
func objectsRow(objects int, rate float64) line.Row {
	return line.Row{
		Name:     fmt.Sprintf("%g Mbit/s, %d,000 moving objects", rate/1e6, objects/1000),
		Required: "used ≥ 90%, lost ≤ 1%",
		Measure: func(m line.Medium, _ uint64, _ netcore.Time) (line.Result, error) {
			way := netsim.Direction{LinkParams: netcore.LinkParams{Delay: 25 * time.Millisecond}}
			m.Set(way, netsim.Direction{Rate: rate, Queue: 100 * time.Millisecond, LinkParams: way.LinkParams})
			server, client, err := shownObjects(m, objects)
			if err != nil {
				return line.Result{}, err
			}
			m.Run(m.Now() + manySettle)
			start, before, shown := m.Now(), m.Down(0), len(client.ghosts)
			m.Run(start + manyLong)
			if server.lost != "" || client.over != "" {
				return line.Result{}, errors.New(server.lost + client.over)
			}
			after := m.Down(0)
			used := 8 * float64(after.DeliveredBytes-before.DeliveredBytes) / rate / (m.Now() - start).Seconds()
			lost := float64(after.Dropped-before.Dropped) / float64(after.Dropped-before.Dropped+after.Delivered-before.Delivered)
			return line.Result{
				Measured: fmt.Sprintf("used %.1f%%, lost %.2f%%, %d objects after %v, %d after %v", 100*used, 100*lost, shown, manySettle, len(client.ghosts), manySettle+manyLong),
				Score:    max(line.AtLeast(used, .9), line.AtMost(lost, .01)),
			}, nil
		},
	}
}

// shownObjects connects a client to a server with moving objects, and waits for the first of them.
func shownObjects(m line.Medium, objects int) (*simServer, *simClient, error) {
	server, err := newSimServer(Load{Active: 100}, objects, engine.Config{})
	if err != nil {
		return nil, nil, err
	}
	client, err := newExtra(engine.ResolveTo(matchAt))
	if err != nil {
		return nil, nil, err
	}
	m.Pair(&tickingHost{Machine: server.host, host: server.host, next: m.Now()}, &tickingHost{Machine: client.host, host: client.host, next: m.Now()}, 0)
	if err := client.host.Dialer.Connect("server#"+server.host.Identity().Public.String(), engine.ConnectArgs{}); err != nil {
		return nil, nil, err
	}
	for end := m.Now() + time.Minute; len(client.ghosts) == 0; m.Run(m.Now() + liveStep) {
		if m.Now() > end || client.over != "" {
			return nil, nil, fmt.Errorf("no ghost arrived: %s", client.over)
		}
	}
	return server, client, nil
}
