package line

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// Row is a line and a requirement on connections over it.
type Row struct {
	Name     string
	Required string
	// Measure runs the row on an idle medium. long is the duration of rows whose figures are means.
	Measure func(m Medium, seed uint64, long netcore.Time) (Result, error)
	// Alone says that the row needs much of a processor. In real time, other rows would disturb it.
	Alone bool
}

// row returns a row that can run beside others.
func row(name, required string, measure func(Medium, uint64, netcore.Time) (Result, error)) Row {
	return Row{Name: name, Required: required, Measure: measure}
}

// alone marks a row as Alone.
func alone(r Row) Row {
	r.Alone = true
	return r
}

// on returns the Measure of a row. rate is that of the way from the servers, in bits/s, 0 for no
// limit. queue is the time that it takes to send a full queue.
func on(rate float64, queue netcore.Time, measure func(r *Run, long netcore.Time) Result) func(Medium, uint64, netcore.Time) (Result, error) {
	return func(m Medium, seed uint64, long netcore.Time) (Result, error) {
		r := NewRun(m, seed, rate, queue)
		result := measure(r, long)
		return result, r.err
	}
}

// Result is what a row has measured. Score says how near the requirement it is: above 1 the
// requirement does not hold.
type Result struct {
	Measured string
	Score    float64
}

// Pass reports whether the requirement holds.
func (r Result) Pass() bool { return r.Score <= 1 }

// AtMost is the score of a figure and its upper limit.
func AtMost[T ~int64 | ~float64](v, limit T) float64 { return float64(v) / float64(limit) }

// AtLeast is the score of a figure and its lower limit.
func AtLeast[T ~int64 | ~float64](v, limit T) float64 { return float64(limit) / max(float64(v), 1e-9) }

// Holds is the score of a condition.
func Holds(is bool) float64 {
	if is {
		return 0
	}
	return 2
}

const (
	ms    = time.Millisecond
	queue = 100 * ms

	settle = 3 * time.Second // in which a connection finds the rate and the size of its packets
)

// Rows returns all rows.
func Rows() []Row {
	return []Row{
		busy("28.8 kbit/s", 28_800, busyRow{used: .9, lost: .02, factor: 1, more: 50 * ms}),
		busy("64 kbit/s", 64_000, busyRow{used: .9, lost: .01, factor: 1.5}),
		busy("256 kbit/s", 256_000, busyRow{used: .9, lost: .01, factor: 1.5}),
		busy("2 Mbit/s", 2e6, busyRow{used: .9, lost: .01, factor: 1.5}),
		alone(busy("10 Mbit/s", 10e6, busyRow{used: .9, lost: .01, factor: 1.5})),
		alone(busy("40 Mbit/s", 40e6, busyRow{used: .9, lost: .01, factor: 1.5})),
		busy("256 kbit/s, 5% lost", 256_000, busyRow{random: .05, used: .8, lost: .01, factor: 1.5}),
		busy("2 Mbit/s, 5% lost", 2e6, busyRow{random: .05, used: .8, lost: .01, factor: 1.5}),
		shortQueue("256 kbit/s, queue of 10 ms", 256_000, 10*ms),
		shortQueue("256 kbit/s, queue of 20 ms", 256_000, 20*ms),
		shared("two on 256 kbit/s", 0),
		shared("two on 256 kbit/s, one later", 5*time.Second),
		besideCUBIC("beside CUBIC, 256 kbit/s", 256_000, 0),
		besideCUBIC("beside CUBIC, 2 Mbit/s", 2e6, 0),
		besideCUBIC("beside CUBIC, 256 kbit/s, token bucket", 256_000, bucket),
		besideCUBIC("beside CUBIC, 2 Mbit/s, token bucket", 2e6, bucket),
		row("2 Mbit/s to 128 kbit/s and back", "RTT < 1.5 × base after 2 s, 95% of the old rate after 5 s", on(2e6, queue, capacityChanges)),
		smallPath("1,000 bytes", 1000),
		smallPath("548 bytes", 548),
		row("black hole above 548 bytes", "packets arrive again within 8 s", on(1e6, queue, blackHole)),
		row("new client address", "no pause above 2 × RTT and 64 ms", on(256_000, queue, rebinding)),
		row("server killed, back after 1.8 s", "the client is told within RTT and 64 ms, and joins again within 1 s", on(256_000, queue, restart)),
		row("dead to the server", "both ends know within 5 s", on(256_000, queue, oneWay)),
		blackout(5*time.Second, "the client knows within 1.1 s, and plays on within 2 s"),
		blackout(30*time.Second, "the client knows within 1.1 s, and plays on within 2 s"),
		blackout(60*time.Second, "the client knows within 1.1 s, and is in again within 2 s of its join"),
		row("40 clients, server limited to 5 Mbit/s", "total within 2%, 95% of small needs, the others 1.1 : 1 and above 1/40", on(0, 0, sharedBudget)),
		alone(row("1,000 clients join at once", "all are in within 10 s; after 1 s, who waits is told", on(0, 0, massJoin))),
		row("50% lost both ways", "23 of 24 joins succeed within 15 s", on(0, 0, lossyJoins)),
		row("jitter 0 to 200 ms", "at most 3% of the packets count as lost", on(0, 0, jitter)),
	}
}

// busyRow has the requirements on one connection with more to send than the line carries.
type busyRow struct {
	random     float64 // packets lost at random
	used, lost float64 // of the capacity, at least; of the packets in the queue, at most
	factor     float64 // the round-trip time is at most this times the base,
	more       netcore.Time
}

func (b busyRow) required() string {
	s := fmt.Sprintf("used ≥ %.0f%%, lost ≤ %.0f%%, RTT ≤ ", 100*b.used, 100*b.lost)
	if b.more > 0 {
		return s + fmt.Sprintf("base + %v", b.more)
	}
	return s + fmt.Sprintf("%g × base", b.factor)
}

func busy(name string, rate float64, b busyRow) Row {
	return row(name, b.required(), on(rate, queue, func(r *Run, long netcore.Time) Result {
		r.change(func(_, down *netsim.Direction) { down.Loss = b.random })
		r.Connect(true, 0)
		r.Use(settle)
		u := r.Use(settle + long)
		most := netcore.Time(b.factor*float64(u.Base)) + b.more
		return Result{
			Measured: fmt.Sprintf("used %.1f%%, lost %.2f%%, RTT %v of %v", 100*u.Used, 100*u.Lost, u.RTT.Round(ms), u.Base.Round(ms)),
			Score:    max(AtLeast(u.Used, b.used), AtMost(u.Lost, b.lost), AtMost(u.RTT, most)),
		}
	}))
}

// policedTime is the time in which a connection finds out that losses heed its rate.
const policedTime = 30 * time.Second

// shortQueue is a line whose queue has no room for a packet and a half, as that of a policer. Only
// losses show that it is full.
func shortQueue(name string, rate float64, queue netcore.Time) Row {
	return row(name, "after 30 s: used ≥ 80%, lost ≤ 5%", on(rate, queue, func(r *Run, long netcore.Time) Result {
		r.Connect(true, 0)
		r.Use(policedTime)
		u := r.Use(policedTime + long)
		return Result{
			Measured: fmt.Sprintf("used %.1f%%, lost %.2f%%", 100*u.Used, 100*u.Lost),
			Score:    max(AtLeast(u.Used, .8), AtMost(u.Lost, .05)),
		}
	}))
}

func shared(name string, start netcore.Time) Row {
	return row(name, "used ≥ 90%, 1.2 : 1, lost ≤ 1%, RTT ≤ 1.5 × base", on(256_000, queue, func(r *Run, long netcore.Time) Result {
		r.Connect(true, 0)
		r.Connect(true, start)
		r.Use(start + 5*time.Second)
		u := r.Use(start + 5*time.Second + max(long, 45*time.Second))
		return Result{
			Measured: fmt.Sprintf("used %.1f%%, %.2f : 1, lost %.2f%%, RTT %v of %v", 100*u.Used, u.ratio(), 100*u.Lost, u.RTT.Round(ms), u.Base.Round(ms)),
			Score:    max(AtLeast(u.Used, .9), AtMost(u.ratio(), 1.2), AtMost(u.Lost, .01), AtMost(u.RTT, 3*u.Base/2)),
		}
	}))
}

// bucket is the size in bytes of a token bucket with room for one full datagram.
const bucket = 1600

// besideCUBIC adds a TCP some seconds after the connection has started. A token bucket is on a line
// without delay.
func besideCUBIC(name string, rate float64, bucket int) Row {
	return row(name, "torc gets 25 to 75%", on(rate, queue, func(r *Run, long netcore.Time) Result {
		if bucket > 0 {
			r.change(func(up, down *netsim.Direction) { up.Delay, down.Delay, down.Burst = 0, 0, bucket })
		}
		r.Connect(true, 0)
		r.addCUBIC(settle)
		r.Use(settle)
		u := r.Use(settle + max(long, 20*time.Second))
		return Result{Measured: fmt.Sprintf("torc %.0f%%, CUBIC %.0f%%", 100*u.Shares[0], 100*u.Shares[1]), Score: max(AtLeast(u.Used, .25), AtMost(u.Used, .75))}
	}))
}

// capacityChanges lets the line drop to 128 kbit/s and come back. Its queue keeps its bytes: at the
// low capacity they last 1.6 s.
func capacityChanges(r *Run, long netcore.Time) Result {
	phase := max(long/3, 8*time.Second)
	fast := r.down
	r.Connect(true, 0)
	r.Use(phase - 3*time.Second)
	before := r.Use(phase)
	r.change(func(_, down *netsim.Direction) {
		down.Rate, down.Queue = 128_000, netcore.Time(float64(down.Queue)*down.Rate/128_000)
	})
	r.Use(phase + 2*time.Second)
	low := r.Use(2 * phase)
	rtt := low.Base + low.MeanQueue
	r.change(func(_, down *netsim.Direction) { *down = fast })
	r.Use(2*phase + 5*time.Second)
	after := r.Use(2*phase + 8*time.Second)
	return Result{
		Measured: fmt.Sprintf("RTT %v of %v, %.0f%% of the old rate", rtt.Round(ms), low.Base.Round(ms), 100*after.Used/before.Used),
		Score:    max(AtMost(rtt, 3*low.Base/2), AtLeast(after.Used, .95*before.Used), AtLeast(before.Used, .9), AtLeast(low.Used, .9)),
	}
}
