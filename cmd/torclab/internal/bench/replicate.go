package bench

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

const warmUp = time.Second // before the measured time

// settleAsk is the time between two looks at the ghosts of the clients. Tests shorten it.
var settleAsk = 300 * time.Millisecond

// Limits of steps that normally end sooner. Tests raise them, because a busy machine takes longer.
var (
	joinMost    = 30 * time.Second // for all clients to receive all ghosts
	settleMost  = 10 * time.Second // from the end of motion until every ghost matches its object
	connectMost = 10 * time.Second // for one handshake
	childMost   = 30 * time.Second // for the clients' process to exit
	joinAll     = 60 * time.Second // for all players to join
	reloadMost  = time.Minute      // for one reload with its tests
)

// replicate runs a server with a world of moving objects, and its clients in another process, over
// loopback UDP. Every client has all objects in scope, or those in its view. The server sends each
// client one packet per tick.
func replicate(o Options, emit func(Row)) error {
	if len(o.Load.Clients) == 0 {
		o.Load.Clients = []int{16, 64, 128, 256}
	}
	for _, objects := range o.Load.Objects {
		for _, clients := range o.Load.Clients {
			r, err := replicateRow(o, clients, objects)
			if err != nil {
				return fmt.Errorf("%d clients, %d objects: %w", clients, objects, err)
			}
			emit(r)
		}
	}
	return nil
}

func replicateRow(o Options, clients, objects int) (Row, error) {
	debug.FreeOSMemory() // memory of the previous row
	t, err := openLiveServer(o.Load, objects)
	if err != nil {
		return nil, err
	}
	defer t.close()
	task := crowdTask{
		Server: t.address(), Clients: clients, Objects: t.inScope,
		Lockstep: o.Load.Lockstep, Epoch: t.epoch, Loss: o.Load.Loss, RTT: o.Load.RTT,
	}
	if o.Load.Deaf {
		task.Deaf = hearingEvery
	}
	crowd, err := startClients(task)
	if err != nil {
		return nil, err
	}
	if o.Load.Lockstep {
		t.step = &lockstep{crowd: crowd}
		t.clock = func() time.Time { return t.epoch.Add(t.step.now) }
	}
	r, err := t.play(o, crowd, clients)
	return r, errors.Join(err, crowd.end())
}

// play waits for the joins, measures, and stops the world.
func (t *liveServer) play(o Options, crowd *clientsCommand, clients int) (Row, error) {
	if _, err := t.until(crowd, joinMost, true); err != nil {
		return nil, err
	}
	if err := t.run(min(warmUp, o.Row), false); err != nil {
		return nil, err
	}
	before, after, err := t.measured(o, crowd)
	if err != nil {
		return nil, err
	}
	t.movers.still = true
	stopped := t.epoch.Add(t.next - tickTime) // the last tick with motion
	full := liveHeap()
	if err := crowd.tell(tellStop); err != nil {
		return nil, err
	}
	report, err := t.rest(crowd)
	if err != nil {
		return nil, err
	}
	if len(t.host.Connections()) != clients {
		return nil, fmt.Errorf("a client was lost: %s", t.lost)
	}
	return append(t.row(before, after, report, stopped),
		ResultField{"relative_share", share(after.relative-before.relative, after.updates-before.updates)},
		ResultField{"bytes_per_client", (float64(full) - float64(t.bare)) / float64(clients)}), nil
}

// rest runs until every client's ghosts match the objects.
func (t *liveServer) rest(crowd *clientsCommand) (crowdReport, error) {
	want := new(digest).all(t.movers.all[:t.inScope])
	for end := t.now() + settleMost; t.now() < end; {
		if err := t.run(settleAsk, false); err != nil {
			return crowdReport{}, err
		}
		if err := crowd.tell(tellReport); err != nil {
			return crowdReport{}, err
		}
		r, err := t.until(crowd, joinMost, false)
		if err != nil || !slices.ContainsFunc(r.Digest, func(got uint64) bool { return got != want }) {
			return r, err
		}
	}
	return crowdReport{}, errors.New("some ghosts do not match their objects")
}

// until runs until the clients report.
func (t *liveServer) until(crowd *clientsCommand, most time.Duration, joining bool) (crowdReport, error) {
	for end := t.now() + most; t.now() < end; {
		if err := t.run(time.Millisecond, joining); err != nil {
			return crowdReport{}, err
		}
		if r, came, err := crowd.nextReport(); came {
			return r, err
		}
	}
	return crowdReport{}, fmt.Errorf("no report from the clients after %v; %s", most, t.lost)
}

// measured runs the measured time and returns the counters before and after.
func (t *liveServer) measured(o Options, crowd *clientsCommand) (before, after replicateCounters, err error) {
	if err := crowd.tell(tellMeasure); err != nil {
		return before, after, err
	}
	stop, err := profile(o.Load.Profile)
	if err != nil {
		return before, after, err
	}
	defer stop()
	runtime.GC()
	t.ticks, t.measure = make([]float64, 0, 1+2*int(o.Row/tickTime)), true
	before = t.tally()
	err = t.run(o.Row, false)
	after = t.tally()
	t.measure = false
	return before, after, err
}

func (t *liveServer) row(a, b replicateCounters, report crowdReport, stopped time.Time) Row {
	ticks, clients := float64(len(t.ticks)), float64(len(t.host.Connections()))
	seconds := (b.at - a.at).Seconds()
	packets, bytes, updates := float64(b.packets-a.packets), float64(b.bytes-a.bytes), float64(b.updates-a.updates)
	cpu := b.cpu - a.cpu
	used := func(v float64) any {
		if !a.known || !b.known {
			return nil
		}
		return v
	}
	slices.Sort(t.ticks)
	slices.Sort(t.took)
	age, oldest := ages(report.Ages)
	var rest []float64
	for _, last := range report.Last {
		rest = append(rest, max(0, milliseconds(time.Unix(0, last).Sub(stopped))))
	}
	slices.Sort(rest)
	return Row{
		{"clients", len(t.host.Connections())}, {"objects", len(t.movers.all)}, {"sealed", true}, {"ticks", len(t.ticks)},
		{"server_cpu_ms_per_tick", used(milliseconds(cpu) / ticks)},
		{"server_cpu_us_per_client_tick", used(1000 * milliseconds(cpu) / ticks / clients)},
		{"tick_ms_p50", quantile(t.ticks, 0.5)}, {"tick_ms_p99", quantile(t.ticks, 0.99)}, {"tick_ms_p999", quantile(t.ticks, 0.999)},
		{"bytes_per_packet", bytes / packets}, {"packets_per_client_s", packets / clients / seconds},
		{"bytes_per_client_s", bytes / clients / seconds}, {"updates_per_client_s", updates / clients / seconds},
		{"bits_per_update", 8 * bytes / updates}, {"server_cpu_ns_per_update", used(float64(cpu.Nanoseconds()) / updates)},
		{"staleness_ticks_mean", age}, {"staleness_ticks_p99", oldest},
		{"scope_in_ms_p50", quantile(t.took, 0.5)}, {"converge_ms_p50", quantile(rest, 0.5)},
		{"allocs_per_update", float64(b.memory.Mallocs-a.memory.Mallocs) / updates},
		{"rss_mib", resident()}, {"gc_pause_ms_max", longestPause(&a.memory, &b.memory)},
		{"generator_late_ms_p99", report.LateMS},
		{"in_scope", t.inScope}, {"lost_packets", b.dropped - a.dropped},
		{"world_cpu_ms_per_tick", milliseconds(b.world-a.world) / ticks},
	}
}

func share(part, all uint64) float64 { return float64(part) / float64(all) }

// ages returns the mean and the 99 % quantile of the age of a ghost's newest update, in ticks.
func ages(counts []uint64) (mean, p99 float64) {
	all, sum := uint64(0), uint64(0)
	for age, n := range counts {
		all += n
		sum += uint64(age) * n
	}
	if all == 0 {
		return math.NaN(), math.NaN()
	}
	below := uint64(0)
	for age, n := range counts {
		if below += n; float64(below) >= 0.99*float64(all) {
			return float64(sum) / float64(all), float64(age)
		}
	}
	return math.NaN(), math.NaN()
}

// longestPause returns the longest garbage collection pause between two readings, in ms.
func longestPause(a, b *runtime.MemStats) float64 {
	longest := uint64(0)
	for n := max(a.NumGC, b.NumGC-min(b.NumGC, 256)); n < b.NumGC; n++ {
		longest = max(longest, b.PauseNs[n%256])
	}
	return milliseconds(time.Duration(longest))
}
