package line

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// smallPath drops datagrams with more than most bytes of payload.
func smallPath(name string, most int) Row {
	return row("path of "+name, "joins within 2 s; then used ≥ 90%, lost ≤ 1%", on(1e6, queue, func(r *Run, long netcore.Time) Result {
		r.change(func(up, down *netsim.Direction) { up.MTU, down.MTU = most, most })
		client := r.Connect(true, 0)
		r.until(15*time.Second, func() bool { return client.conn != nil })
		if client.conn == nil {
			return notJoined
		}
		joined := client.joinedAt
		r.Use(r.Now() + settle)
		lost := r.lossOf(0)
		u := r.Use(r.Now() + long)
		share := lost()
		return Result{
			Measured: fmt.Sprintf("joined after %v; used %.1f%%, lost %.2f%%", joined.Round(ms), 100*u.Used, 100*share),
			Score:    max(AtMost(joined, 2*time.Second), AtLeast(u.Used, .9), AtMost(share, .01)),
		}
	}))
}

// lossOf returns a function that returns the share of the packets of a server that it counted as
// lost since this call.
func (r *Run) lossOf(pair int) func() float64 {
	stats := r.pairs[pair].server.conn.Stats()
	before := *stats
	return func() float64 {
		lost := float64(stats.Dropped - before.Dropped)
		return lost / max(lost+float64(stats.Delivered-before.Delivered), 1)
	}
}

// play connects a client and lets it play. It returns nil if the client does not join.
func (r *Run) play(greedy bool) *End {
	client := r.Connect(greedy, 0)
	server := r.pairs[0].server
	r.until(15*time.Second, func() bool { return client.conn != nil && server.conn != nil })
	if client.conn == nil || server.conn == nil {
		return nil
	}
	r.Use(r.Now() + 2*time.Second)
	return client
}

var notJoined = failed("not joined")

func failed(why string) Result { return Result{Measured: why, Score: Holds(false)} }

// longestPause runs until a time. It returns the longest time in which the client got no data
// packet.
func (r *Run) longestPause(client *End, until netcore.Time) (longest netcore.Time) {
	last, at := uint64(0), r.Now()
	r.until(until, func() bool {
		if n := client.conn.Stats().Received; n != last {
			last, at = n, r.Now()
		}
		longest = max(longest, r.Now()-at)
		return false
	})
	return longest
}

// blackHole drops all but small datagrams in the middle of the game.
func blackHole(r *Run, _ netcore.Time) Result {
	client := r.play(true)
	if client == nil {
		return notJoined
	}
	r.change(func(up, down *netsim.Direction) { up.MTU, down.MTU = 548, 548 })
	pause := r.longestPause(client, r.Now()+12*time.Second)
	return Result{Measured: fmt.Sprintf("longest pause %v", pause.Round(ms)), Score: max(AtMost(pause, 8*time.Second), Holds(client.ended == nil))}
}

// rebinding gives the client another address.
func rebinding(r *Run, _ netcore.Time) Result {
	client := r.play(false)
	if client == nil {
		return notJoined
	}
	most, pause := 2*client.conn.RTT()+2*tick, netcore.Time(0)
	for range 5 {
		r.Rebind()
		pause = max(pause, r.longestPause(client, r.Now()+time.Second))
	}
	return Result{Measured: fmt.Sprintf("longest pause %v, RTT %v", pause.Round(ms), client.conn.RTT().Round(ms)), Score: max(AtMost(pause, most), Holds(client.ended == nil))}
}

// restart ends the server without a word and starts it again, with the same identity and no
// sessions.
func restart(r *Run, _ netcore.Time) Result {
	client := r.play(false)
	if client == nil {
		return notJoined
	}
	r.Replace(0, deaf{})
	r.Use(r.Now() + 1800*ms)
	server, err := newEnd(r.seed*1000, 1, false, r.Now())
	if err != nil {
		return failed(err.Error())
	}
	r.Replace(0, server)
	back, most := r.Now(), client.conn.RTT()+2*tick
	told := r.until(back+10*time.Second, func() bool { return client.ended != nil }) - back
	if client.ended == nil {
		return failed("the client was not told")
	}
	old := client.conn
	client.join(r.Now(), ServerAddr(0))
	joined := r.until(r.Now()+10*time.Second, func() bool { return client.conn != old }) - back - told
	return Result{
		Measured: fmt.Sprintf("told after %v: %v; joined again in %v", told.Round(ms), client.ended[0], joined.Round(ms)),
		Score:    max(AtMost(told, most), Holds(client.ended[0].Code == netcore.Forgotten), AtMost(joined, time.Second)),
	}
}

// oneWay cuts the way to the server. The other way still works.
func oneWay(r *Run, _ netcore.Time) Result {
	client := r.play(false)
	if client == nil {
		return notJoined
	}
	const silent = time.Second // then users are told
	r.change(func(up, _ *netsim.Direction) { up.Loss = 1 })
	cut := r.Now()
	here, there := netcore.Never, netcore.Never
	r.until(cut+6*time.Second, func() bool {
		if client.conn.Unanswered(r.Now()) > silent {
			here = min(here, r.Now()-cut)
		}
		if r.pairs[0].server.conn.Silence(r.Now()) > silent {
			there = min(there, r.Now()-cut)
		}
		return max(here, there) != netcore.Never
	})
	if max(here, there) == netcore.Never {
		return failed("one end knows nothing")
	}
	return Result{Measured: fmt.Sprintf("the client after %v, the server after %v", here.Round(ms), there.Round(ms)), Score: AtMost(max(here, there), 5*time.Second)}
}

// blackout lets nothing arrive for some time. A connection lasts 45 s without a packet; later the
// client joins again.
func blackout(long netcore.Time, required string) Row {
	return row(fmt.Sprintf("dead for %v", long), required, on(256_000, queue, func(r *Run, _ netcore.Time) Result {
		client := r.play(false)
		if client == nil {
			return notJoined
		}
		old, cut := client.conn, r.Now()
		r.change(func(up, down *netsim.Direction) { up.Loss, down.Loss = 1, 1 })
		knows := r.until(cut+5*time.Second, func() bool { return old.Unanswered(r.Now()) > time.Second }) - cut
		r.until(cut+long, func() bool { return false })
		r.change(func(up, down *netsim.Direction) { up.Loss, down.Loss = 0, 0 })
		if lost := client.ended != nil; lost != (long > 45*time.Second) {
			return failed(fmt.Sprintf("ended: %v", client.ended))
		}
		back := r.Now()
		if client.ended != nil {
			client.join(back, ServerAddr(0))
		}
		received := old.Stats().Received
		goes := r.until(back+10*time.Second, func() bool { return client.conn != old || old.Stats().Received > received }) - back
		return Result{
			Measured: fmt.Sprintf("known after %v; back after %v", knows.Round(ms), goes.Round(ms)),
			Score:    max(AtMost(knows, 1100*ms), AtMost(goes, 2*time.Second)),
		}
	}))
}

// lossyJoins joins with 24 clients at once.
func lossyJoins(r *Run, _ netcore.Time) Result {
	r.change(func(up, down *netsim.Direction) { up.Loss, down.Loss = .5, .5 })
	const clients = 24
	var all []*End
	for range clients {
		all = append(all, r.Connect(false, 0))
	}
	joined, slowest := 0, r.until(15*time.Second, func() bool {
		for _, c := range all {
			if c.conn == nil {
				return false
			}
		}
		return true
	})
	for _, c := range all {
		if c.conn != nil {
			joined++
		}
	}
	return Result{Measured: fmt.Sprintf("%d of %d after %v", joined, clients, slowest.Round(ms)), Score: AtLeast(float64(joined), clients-1)}
}

// jitter delays each datagram by up to 200 ms more, so that many overtake others.
func jitter(r *Run, long netcore.Time) Result {
	r.change(func(up, down *netsim.Direction) { up.Jitter, down.Jitter = 200*ms, 200*ms })
	if r.play(false) == nil {
		return notJoined
	}
	lost := r.lossOf(0)
	r.Use(r.Now() + long)
	share, hold := lost(), r.pairs[0].client.conn.Hold()
	return Result{Measured: fmt.Sprintf("%.1f%% counted as lost, held up to %v", 100*share, hold), Score: AtMost(share, .03)}
}
