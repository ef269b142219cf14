package line

import (
	"errors"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// step is the time between two measurements.
const step = 4 * time.Millisecond

// Run is a measurement on a line.
type Run struct {
	Medium
	seed     uint64
	up, down netsim.Direction
	pairs    []pair // connections; a CUBIC flow has no ends
	err      error
}

type pair struct{ server, client *End }

// NewRun begins a measurement on a line whose delay is 25 ms in each direction. rate is that of the
// way from the servers, in bits/s, 0 for no limit. queue is the time that it takes to send a full
// queue.
func NewRun(m Medium, seed uint64, rate float64, queue netcore.Time) *Run {
	const delay = 25 * time.Millisecond
	r := &Run{Medium: m, seed: seed}
	r.up.Delay = delay
	r.down = netsim.Direction{Rate: rate, Queue: queue, LinkParams: netcore.LinkParams{Delay: delay}}
	r.change(func(_, _ *netsim.Direction) {})
	return r
}

// change changes the line.
func (r *Run) change(f func(up, down *netsim.Direction)) {
	f(&r.up, &r.down)
	r.Set(r.up, r.down)
}

// Connect adds a server and its client, which connects at start. A greedy server always has more to
// send. All other ends send a few bytes per tick.
func (r *Run) Connect(greedy bool, start netcore.Time) *End {
	n := uint64(len(r.pairs))
	server, err1 := newEnd(r.seed*1000+2*n, 0, greedy, 0)
	client, err2 := newEnd(r.seed*1000+2*n+1, 0, false, start)
	if r.err = errors.Join(r.err, err1, err2); r.err != nil {
		return &End{}
	}
	client.join(start, ServerAddr(int(n)))
	r.Pair(server, client, 0)
	r.pairs = append(r.pairs, pair{server, client})
	return client
}

// addCUBIC adds a sender like TCP. The times of its acks vary a little, so that its segments do not
// always arrive when the queue has just room for them. It returns the number of its pair.
func (r *Run) addCUBIC(start netcore.Time) int {
	n := len(r.pairs)
	r.Pair(&netsim.CUBIC{To: ClientAddr(n), Start: start}, new(netsim.CUBICReceiver), 10*time.Millisecond)
	r.pairs = append(r.pairs, pair{})
	return n
}

// until runs until is returns true, at most until a time. It returns the time.
func (r *Run) until(end netcore.Time, is func() bool) netcore.Time {
	for r.Now() < end && !is() {
		r.Run(r.Now() + step)
	}
	return r.Now()
}

// Use is what a line carried in a time.
type Use struct {
	Shares     []float64    // of the capacity, of each pair
	Used       float64      // of all connections
	Lost       float64      // share of the packets of all connections that the full queue dropped
	RTT        netcore.Time // the mean of the smoothed round-trip time of the first connection
	Base       netcore.Time // the round-trip time of an empty line with a packet of the size in use
	Queue      netcore.Time // the longest
	MeanQueue  netcore.Time
	Deliveries []float64 // bytes of each pair
}

// Use runs until a time, and measures. On a line without a capacity there are no shares of it.
func (r *Run) Use(till netcore.Time) (u Use) {
	var before []netsim.Flow
	for i := range r.pairs {
		before = append(before, r.Down(i))
	}
	steps, from := 0., r.Now()
	for ; steps == 0 || r.Now() < till; steps++ { // a busy machine can be past till
		r.Run(r.Now() + step)
		wait := r.Wait()
		u.Queue, u.MeanQueue = max(u.Queue, wait), u.MeanQueue+wait
		if c := r.pairs[0].server.conn; c != nil {
			u.RTT += c.RTT()
		}
	}
	u.RTT, u.MeanQueue = u.RTT/netcore.Time(steps), u.MeanQueue/netcore.Time(steps)
	u.Base = r.base()
	r.count(&u, before, r.down.Rate/8*(r.Now()-from).Seconds())
	return u
}

// count completes u with what the line carried since before. capacity is in bytes.
func (r *Run) count(u *Use, before []netsim.Flow, capacity float64) {
	dropped, all := 0, 0
	for i, p := range r.pairs {
		f := r.Down(i)
		u.Deliveries = append(u.Deliveries, float64(f.DeliveredBytes-before[i].DeliveredBytes))
		if capacity == 0 {
			u.Shares = append(u.Shares, 0)
		} else {
			u.Shares = append(u.Shares, u.Deliveries[i]/capacity)
		}
		if p.server == nil {
			continue
		}
		u.Used += u.Shares[i]
		dropped += f.Dropped - before[i].Dropped
		all += f.Dropped - before[i].Dropped + f.Delivered - before[i].Delivered
	}
	u.Lost = float64(dropped) / float64(max(all, 1))
}

// base is the round-trip time of an empty line with one packet of the size in use.
func (r *Run) base() netcore.Time {
	if r.down.Rate == 0 {
		return r.up.Delay + r.down.Delay
	}
	size := netsim.HeaderBytes
	if c := r.pairs[0].server.conn; c != nil {
		size += c.PacketSize()
	}
	return r.up.Delay + r.down.Delay + netcore.Time(float64(size)*8/r.down.Rate*float64(time.Second))
}

// ratio is that of the largest share to the smallest.
func (u *Use) ratio() float64 { return slices.Max(u.Shares) / slices.Min(u.Shares) }
