package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ghost"
)

const (
	meetTime   = 10 * time.Second // time for the players to meet, after the last one has joined
	settleTime = 2 * time.Second  // time for a change of the line or of the threads to take effect
	lookEvery  = 17               // ticks between two looks at the views; a prime, because rates have periods
	lateMost   = 5                // ms: lateness of the swarm that makes a row void
	oneThread  = 128              // clients; more need two threads
	smallMap   = 512              // clients; more get a larger map
	lossShare  = 0.02
	tapeTime   = 40 * time.Second // of the fight whose moves the deaf players make
	bodyClass  = "Player"
)

// play runs a capture-the-flag server, and a fighting swarm in other processes, over loopback UDP.
// Then it measures the cost of a single player's move.
func play(o Options, emit func(Row)) error {
	if len(o.Load.Clients) == 0 {
		o.Load.Clients = []int{128}
	}
	for _, clients := range o.Load.Clients {
		if err := playRows(o, clients, emit); err != nil {
			return fmt.Errorf("%d clients: %w", clients, err)
		}
	}
	r, err := moveRow(o.Row)
	if err != nil {
		return err
	}
	emit(r)
	return nil
}

// playRows runs one match and emits a row for each number of packing threads, and one with loss.
func playRows(o Options, clients int, emit func(Row)) error {
	dir, err := os.MkdirTemp("", "torc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder, err := wideMap(dir, clients)
	if err != nil {
		return err
	}
	task := crowdTask{
		Clients: clients, Deaf: playHearing, Moves: int(min(tapeTime, 4*o.Row) / tickTime),
		Lockstep: o.Load.Lockstep, Loss: o.Load.Loss, RTT: o.Load.RTT,
	}
	return withSwarm(task, folder, func(a *scenario, s swarm) error {
		if err := a.run(min(meetTime, 2*o.Row), false); err != nil {
			return err
		}
		if clients <= oneThread {
			if err := a.playRow(o, s, 1, 0, emit); err != nil {
				return err
			}
		}
		if err := a.playRow(o, s, 2, 0, emit); err != nil {
			return err
		}
		return a.playRow(o, s, 2, lossShare, emit)
	})
}

// wideMap returns a folder with a copy of ctf whose map has room for the players. It is the usual
// map, with all places farther apart.
func wideMap(dir string, clients int) (fs.FS, error) {
	m, err := copyMod(dir)
	if clients <= smallMap || err != nil {
		return os.DirFS(dir), err
	}
	wider := math.Sqrt(float64(clients) / 256)
	return os.DirFS(dir), m.put("missions/valley.lua",
		"size = 128", "size = 256",
		"at(-25, -25, 0), radius = 8", fmt.Sprintf("at(%g, -25, 0), radius = %g", -25*wider, 10*wider),
		"at(25, -25, 0), radius = 8", fmt.Sprintf("at(%g, -25, 0), radius = %g", 25*wider, 10*wider),
		"base(1, -220)", fmt.Sprintf("base(1, %g)", -220*wider),
		"base(2, 220)", fmt.Sprintf("base(2, %g)", 220*wider))
}

// playRow runs the match for the row's time, and emits the row.
func (a *scenario) playRow(o Options, s swarm, threads int, loss float64, emit func(Row)) error {
	a.packers.use(threads)
	for _, c := range a.host.Connections() {
		c.Net().SetLink(netcore.LinkParams{Loss: loss})
	}
	a.views = nil
	if err := errors.Join(a.run(min(settleTime, o.Row), false), s.compare(a), s.tell(tellMeasure)); err != nil {
		return err
	}
	name := o.Load.Profile
	if loss > 0 {
		name = "" // the profile is that of the row before
	}
	stop, err := profile(name)
	if err != nil {
		return err
	}
	before, err := a.measure(o.Row, s)
	stop()
	if err != nil {
		return err
	}
	after := a.count()
	if err := errors.Join(s.tell(tellStop), s.tell(tellReport)); err != nil {
		return err
	}
	reports, err := s.reports(a, false)
	if err != nil {
		return err
	}
	if n := len(a.host.Connections()); n != s.clients {
		return fmt.Errorf("%d clients were lost: %s", s.clients-n, a.lost)
	}
	late, cores := 0., 0.
	for _, r := range reports {
		late, cores = max(late, r.LateMS), cores+r.Cores
	}
	result := "ok"
	if late > lateMost {
		result = fmt.Sprintf("void: the swarm was late, at most %d ms are allowed", lateMost)
	}
	r := Row{{"clients", s.clients}, {"threads", a.packers.threads}, {"loss_percent", 100 * loss}, {"lockstep", a.step != nil}, {"result", result}}
	r = append(r, a.row(before, after, s.clients)...)
	emit(append(r, ResultField{"swarm_late_ms_p99", late}, ResultField{"swarm_processes", len(s.all)},
		ResultField{"swarm_cores", cores}, ResultField{"cores", runtime.NumCPU()}))
	return nil
}

// measure runs the match for some time, and measures its ticks and views. It returns the counters
// from before.
func (a *scenario) measure(long time.Duration, s swarm) (before playCounters, err error) {
	a.faults, a.ticks, a.on, a.packed = 0, make([]tickTimes, 0, 1+2*int(long/tickTime)), true, 0
	a.views = newViews()
	runtime.GC()
	before = a.count()
	end := a.now() + long
	for n := 0; a.now() < end; n++ {
		if err := errors.Join(a.run(tickTime, false), s.compare(a)); err != nil {
			return before, err
		}
		if n%lookEvery == 0 {
			a.views.look(a.host)
			if err := s.tell(tellLook); err != nil {
				return before, err
			}
		}
	}
	a.on = false
	return before, nil
}

// profile starts a CPU profile, if name is not empty.
func profile(name string) (stop func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}

// playCounters is the state of the server's counters at one moment.
type playCounters struct {
	at             netcore.Time
	memory         runtime.MemStats
	cpu            time.Duration
	known          bool
	packets, bytes uint64
	updates        uint64 // of all ghosts
	ways           ghost.Ways
	bits           uint64 // of player ghosts
	moves, null    int
	mismatch       int
}

func (a *scenario) count() (n playCounters) {
	class := a.host.World().Classes()
	player := uint16(class.WireID(class.Lookup(bodyClass)))
	runtime.ReadMemStats(&n.memory)
	for _, c := range a.host.Connections() {
		s, g, all := c.Net().Stats(), c.Ghosts().ClassStats(player).Sent, c.Ghosts().Stats()
		n.packets, n.bytes = n.packets+s.Sent, n.bytes+s.SentBytes
		n.updates, n.bits = n.updates+all.Updates+all.Creates, n.bits+g.UpdateBits+g.CreateBits
		n.ways.Add(all.Ways)
		n.moves, n.null, n.mismatch = n.moves+c.Control.Stats.Moves, n.null+c.Control.Stats.Null, n.mismatch+c.Control.Stats.Mismatches
	}
	n.cpu, n.known = processCPU()
	n.at = a.now()
	return n
}

// row returns the figures of the measured time.
func (a *scenario) row(before, after playCounters, clients int) Row {
	ticks, n, v := float64(len(a.ticks)), float64(clients), a.views
	seconds := (after.at - before.at).Seconds()
	var cpu any
	if before.known && after.known {
		cpu = milliseconds(after.cpu-before.cpu) / ticks
	}
	whole, each := tickCPU(a.ticks)
	r := Row{
		{"ticks", len(a.ticks)}, {"server_cpu_ms_per_tick", cpu},
		{"tick_cpu_ms_p50", quantile(whole, 0.5)}, {"tick_cpu_ms_p99", quantile(whole, 0.99)}, {"tick_cpu_ms_p999", quantile(whole, 0.999)},
	}
	for i, name := range partNames {
		r = append(r, ResultField{name + "_ms_mean", mean(each[i])}, ResultField{name + "_ms_p99", quantile(each[i], 0.99)})
	}
	updates := float64(after.updates - before.updates)
	seen := float64(v.pairs[near]+v.pairs[middle]+v.pairs[far]) / float64(max(v.looks, 1))
	r = append(r,
		ResultField{"lua_share", mean(each[partScripts]) / mean(whole)},
		ResultField{"updates_per_client_s", updates / n / seconds},
		ResultField{"pack_ns_per_update", float64(a.packed.Nanoseconds()) / updates},
	)
	after.ways.Sub(before.ways)
	r = append(r, waysRow(&after.ways)...)
	r = append(r,
		ResultField{"visible_players", seen},
		ResultField{"bits_per_visible_player_s", 8 * float64(after.bytes-before.bytes) / n / seconds / seen},
		ResultField{"player_bits_per_visible_player_s", float64(after.bits-before.bits) / n / seconds / seen},
	)
	for b, name := range bandNames {
		slices.Sort(v.errors[b])
		r = append(r,
			ResultField{"visible_" + name, float64(v.pairs[b]) / float64(max(v.looks, 1))},
			ResultField{"updates_hz_" + name, v.hertz(b)},
			ResultField{"error_" + name + "_p99", quantile(v.errors[b], 0.99)})
	}
	minutes := seconds / 60
	return append(r,
		ResultField{"bytes_per_client_s", float64(after.bytes-before.bytes) / n / seconds},
		ResultField{"packets_per_client_s", float64(after.packets-before.packets) / n / seconds},
		ResultField{"moves_per_client_s", float64(after.moves-before.moves) / n / seconds},
		ResultField{"null_moves_per_client_min", float64(after.null-before.null) / n / minutes},
		ResultField{"mismatches_per_client_min", float64(after.mismatch-before.mismatch) / math.Ceil(n/playHearing) / minutes},
		ResultField{"projectiles", float64(v.shots) / float64(max(v.times, 1))},
		ResultField{"deaths_per_client_min", float64(v.deaths) / n / minutes}, ResultField{"script_faults", a.faults},
		ResultField{"allocs_per_tick", float64(after.memory.Mallocs-before.memory.Mallocs) / ticks},
		ResultField{"gc_pause_ms_max", longestPause(&before.memory, &after.memory)}, ResultField{"rss_mib", resident()},
	)
}

// waysRow returns the shares of the ways in which updates were made.
func waysRow(w *ghost.Ways) Row {
	all := w.Updates()
	r := Row{{"copies_share", share(w.Copies(), all)}, {"looped_share", share(w.Looped, all)}, {"joined_share", share(w.Joined, all)}, {"filled_share", share(w.Filled, all)}}
	for cause, n := range w.Composed {
		name := strings.ReplaceAll(ghost.Cause(cause).String(), " ", "_")
		r = append(r, ResultField{"composed_" + name + "_share", share(n, all)})
	}
	return append(r, ResultField{"misses_share", share(w.Misses, w.Lookups)})
}

// tickCPU returns the CPU times of ticks and of their parts, in ms, each sorted.
func tickCPU(ticks []tickTimes) (whole []float64, each [parts][]float64) {
	for _, t := range ticks {
		sum := time.Duration(0)
		for i, d := range t.parts {
			each[i] = append(each[i], milliseconds(d))
			sum += d
		}
		whole = append(whole, milliseconds(sum))
	}
	slices.Sort(whole)
	for _, part := range each {
		slices.Sort(part)
	}
	return whole, each
}
