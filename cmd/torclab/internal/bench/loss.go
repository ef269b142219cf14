package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

const (
	lossEvents  = 1000
	lossDelay   = 50 * time.Millisecond // in each direction
	lossRuns    = 200
	lossTimeout = time.Minute // longer runs fail
)

// boostAbove is the highest rate, in packets per second, at which a workload leaves the congestion
// control on. Faster workloads measure the program, not a line.
const boostAbove = 125

// lossRates are the packet rates for events: one packet per tick (the default), the highest
// negotiable rate, and the boosted rate for a loading client.
var lossRates = []float64{netcore.DefaultPackets, boostAbove, 1000}

// loss measures virtual times at each rate and packet loss, with seeds 1, 2, 3... The first time
// runs from posting a thousand events until the last one is processed. The second runs from the end
// of all motion until all ghosts match their objects. Then it measures one command per tick for
// each profile, and the first bytes of a connection.
func loss(row time.Duration, emit func(Row)) error {
	for _, rate := range lossRates {
		for _, share := range []float64{0, 0.1, 0.25, 0.5} {
			r, err := lossRow(row, rate, share)
			if err != nil {
				return err
			}
			emit(r)
		}
	}
	for _, p := range lineProfiles {
		r, err := commandRow(p)
		if err != nil {
			return err
		}
		emit(r)
	}
	for _, share := range []float64{0, 0.1, 0.25, 0.5} {
		r, err := firstRow(share)
		if err != nil {
			return err
		}
		emit(r)
	}
	r, err := slowRow()
	if err == nil {
		emit(r)
	}
	return err
}

func lossRow(row time.Duration, rate, share float64) (Row, error) {
	events, err := lossTimes(row, rate, share, lossRun)
	if err != nil {
		return nil, err
	}
	ghosts, err := lossTimes(row, rate, share, converge)
	if err != nil {
		return nil, err
	}
	return Row{
		{"loss", share}, {"packets_per_s", rate},
		{"runs", len(events)}, {"events_ms_p50", quantile(events, 0.5)}, {"events_ms_max", quantile(events, 1)},
		{"converge_runs", len(ghosts)}, {"converge_ms_p50", quantile(ghosts, 0.5)}, {"converge_ms_max", quantile(ghosts, 1)},
	}, nil
}

// lossTimes repeats runs until the row's time is over, at least one and at most lossRuns. It
// returns their virtual durations in ms, sorted.
func lossTimes(row time.Duration, rate, share float64, run func(seed uint64, rate, share float64) (netcore.Time, error)) ([]float64, error) {
	var took []float64
	for start := time.Now(); len(took) < lossRuns && (len(took) == 0 || time.Since(start) < row); {
		t, err := run(uint64(len(took)+1), rate, share)
		if err != nil {
			return nil, fmt.Errorf("loss %v at %v packets a second, seed %d: %w", share, rate, len(took)+1, err)
		}
		took = append(took, milliseconds(t))
	}
	slices.Sort(took)
	return took, nil
}

func lossRun(seed uint64, rate, share float64) (netcore.Time, error) {
	n, client, server, err := simulated(seed, netcore.Rate{Packets: rate, Size: netcore.MaxSize})
	if err != nil {
		return 0, err
	}
	line := netcore.LinkParams{Loss: share, Delay: lossDelay}
	n.Link(clientAt, serverAt, line, line)
	start, last := n.Now(), netcore.Never
	client.count.done = func() {
		if client.count.next == lossEvents {
			last = n.Now()
		}
	}
	for range lossEvents {
		if err := server.count.post(server.events); err != nil {
			return 0, err
		}
	}
	if !n.RunWhile(start+lossTimeout, time.Millisecond, func() bool { return last == netcore.Never }) {
		return 0, errors.Join(errors.New("some events did not arrive"), client.err, server.err)
	}
	return last - start, nil
}

var clientAt, serverAt = netcore.SimAddr(1), netcore.SimAddr(2)

// simulated returns a client and a server, connected over a perfect link and idle, so that no
// packets are in flight. The server sends at the given rate.
func simulated(seed uint64, rate netcore.Rate) (n *netsim.Network, client, server *benchPeer, err error) {
	client, err = newPeer(netcore.Config{RecvRate: rate.Min(netcore.Rate{Packets: boostAbove, Size: rate.Size})})
	if err != nil {
		return nil, nil, nil, err
	}
	server, err = newPeer(netcore.Config{Accepting: true, MaxSend: rate})
	if err != nil {
		return nil, nil, nil, err
	}
	server.entered = func() { server.conn.Boost(rate.Packets > boostAbove) }
	n, err = introduce(seed, client, server)
	return n, client, server, err
}

// introduce connects a client to a server over a perfect link.
func introduce(seed uint64, client, server *benchPeer) (*netsim.Network, error) {
	client.every, server.every = tickTime, tickTime
	n := netsim.New(seed)
	n.Attach(clientAt, client)
	n.Attach(serverAt, server)
	n.Link(clientAt, serverAt, netcore.LinkParams{}, netcore.LinkParams{})
	client.dial(0, server, serverAt)
	n.Run(time.Second, time.Millisecond)
	if client.conn == nil || server.conn == nil {
		return nil, errors.Join(errSilent, client.err, server.err)
	}
	return n, nil
}
