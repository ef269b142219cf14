package line

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// crowd adds a server and clients that connect to it at once. needs are the bytes per tick that the
// server sends to each of them. Each client sends back bytes per tick.
func (r *Run) crowd(needs []int, back int) (server *End, clients []*End) {
	return r.watchedCrowd(needs, back, func([]*End) {})
}

// watchedCrowd is crowd with a look at the clients while they join.
func (r *Run) watchedCrowd(needs []int, back int, look func(clients []*End)) (server *End, clients []*End) {
	for n := range len(needs) + 1 {
		e, err := newEnd((r.seed+1)<<16+uint64(n), 0, false, 0)
		if r.err = errors.Join(r.err, err); r.err != nil {
			return new(End), nil
		}
		switch {
		case server == nil:
			server = e
			server.needs = needs
			continue
		case n == 1:
			r.Pair(server, e, 0)
		default:
			r.Client(0, e)
		}
		e.needs = []int{back}
		clients = append(clients, e)
		e.join(r.Now(), ServerAddr(0))
	}
	r.until(r.Now()+15*time.Second, func() bool { look(clients); return joined(clients) == len(clients) })
	return server, clients
}

func joined(clients []*End) (n int) {
	for _, c := range clients {
		if c.conn != nil {
			n++
		}
	}
	return n
}

// sharedBudget has 40 clients behind a server that is limited to 5 Mbit/s. Half of them need
// little. The others need more than the server can send.
func sharedBudget(r *Run, long netcore.Time) Result {
	const clients, bandwidth = 40, 5e6 / 8 // bytes per second
	const smallNeed = 300                  // bytes per tick
	needs := make([]int, clients)
	for i := range needs {
		needs[i] = []int{60, smallNeed, 1500, 5000}[i%4]
	}
	server, all := r.crowd(needs, tickBytes)
	if r.err != nil || joined(all) < clients || len(server.streams) != clients {
		return notJoined
	}
	server.endpoint.SetBandwidth(bandwidth)
	r.until(r.Now()+settle, never)
	before, start, down := sentTo(server), r.Now(), r.Down(0)
	for _, s := range server.streams {
		s.asked, s.sent = s.owed, 0
	}
	r.until(start+long, never)
	seconds := (r.Now() - start).Seconds()
	total := float64(r.Down(0).DeliveredBytes-down.DeliveredBytes) / seconds
	modest, least, most := 1., math.Inf(1), 0. // a share of the need; bytes per second
	for i, sent := range sentTo(server) {
		if s := server.streams[i]; needs[i] <= smallNeed {
			modest = min(modest, float64(s.sent+s.owed)/float64(s.asked))
			continue
		}
		rate := (sent - before[i]) / seconds
		least, most = min(least, rate), max(most, rate)
	}
	const floor = bandwidth / clients
	return Result{
		Measured: fmt.Sprintf("%.1f%%, %.1f%% of a small need, %.2f : 1, floor × %.2f", 100*total/bandwidth, 100*modest, most/least, least/floor),
		Score:    max(Holds(math.Abs(total/bandwidth-1) <= .02), AtLeast(modest, .95), AtMost(most/least, 1.1), AtLeast(least, floor)),
	}
}

func never() bool { return false }

// sentTo returns the bytes that a server has sent to each client, with IP and UDP headers.
func sentTo(server *End) (bytes []float64) {
	for _, s := range server.streams {
		n := s.conn.Stats()
		bytes = append(bytes, float64(n.SentBytes+netsim.HeaderBytes*n.Sent))
	}
	return bytes
}

// massJoin lets 1,000 clients join at once. Afterwards they send nothing, so the row measures the
// handshakes alone.
func massJoin(r *Run, _ netcore.Time) Result {
	const clients = 1000
	start, untold := r.Now(), netcore.Time(0)
	_, all := r.watchedCrowd(make([]int, clients), 0, func(all []*End) {
		for _, c := range all {
			if _, told := c.pending.Ahead(); !told {
				untold = max(untold, c.pending.Waiting(r.Now()))
			}
		}
	})
	took := netcore.Time(0)
	for _, c := range all {
		took = max(took, c.joinedAt-start)
	}
	return Result{
		Measured: fmt.Sprintf("%d of %d after %v, told to wait after at most %v", joined(all), clients, took.Round(ms), untold.Round(ms)),
		Score:    max(Holds(joined(all) == clients), AtMost(took, 10*time.Second), AtMost(untold, time.Second)),
	}
}
