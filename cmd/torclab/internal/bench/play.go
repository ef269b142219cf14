package bench

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ghost"
)

const (
	meetTime       = 10 * time.Second // time for the players to meet, after the last one has joined
	rateSettleTime = 2 * time.Second  // time for a new rate to take effect
	lowRate        = 20               // packets per second: at least 15 updates of each visible player
	lookEvery      = 16               // ticks between two counts of visible players
	swarmMost      = 64               // clients that one process can play in real time
	bodyClass      = "Player"
)

// play runs a capture-the-flag server and a fighting swarm in other processes, over loopback UDP.
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
	r, err := moveRow()
	if err != nil {
		return err
	}
	emit(r)
	return nil
}

// playRows runs one match and emits two rows: at the default rate of one packet per tick, and at a
// lower rate that still updates each visible player 15 times a second.
func playRows(o Options, clients int, emit func(Row)) error {
	a, err := newScenario(clients)
	if err != nil {
		return err
	}
	if err := a.listen(); err != nil {
		return err
	}
	defer a.close()
	all, err := a.release(clients)
	if err == nil {
		err = a.gather(all)
	}
	if err == nil {
		a.run(min(meetTime, 2*o.Row), false)
		err = a.measure(o, clients, emit)
	}
	if err == nil {
		for _, c := range a.host.Connections() {
			c.Line.SetSendRate(netcore.Rate{Packets: lowRate, Size: netcore.MaxSize})
		}
		a.run(min(rateSettleTime, o.Row), false)
		err = a.measure(o, clients, emit)
	}
	for _, s := range all {
		err = errors.Join(err, s.end())
	}
	return err
}

// swarm controls a process of clients.
type swarm struct {
	cmd   *exec.Cmd
	count int         // number of clients
	lines chan string // closed at the end of output
}

// release starts the clients, in as many processes as they need. The caller must end the returned
// processes even after an error.
func (a *scenario) release(clients int) (all []*swarm, err error) {
	processes := min((clients+swarmMost-1)/swarmMost, runtime.NumCPU())
	for i := range processes {
		s, err := release(a.address(), clients*(i+1)/processes-clients*i/processes)
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
	return all, nil
}

func release(address string, clients int) (*swarm, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &swarm{count: clients, lines: make(chan string, 1)}
	s.cmd = exec.Command(exe, Swarm, address, strconv.Itoa(clients))
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			if line := scan.Text(); strings.HasPrefix(line, "connected ") {
				s.lines <- line
			}
		}
	}()
	return s, nil
}

// end interrupts the clients and waits for their exit. The server disconnects them, so they do not
// report an error.
func (s *swarm) end() error {
	_ = s.cmd.Process.Signal(os.Interrupt)
	timer := time.AfterFunc(leaveMost, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	for range s.lines {
	}
	return s.cmd.Wait()
}

// gather serves until all clients have joined.
func (a *scenario) gather(all []*swarm) error {
	end, waiting := a.now()+joinAll, slices.Clone(all)
	for ; len(waiting) > 0 && a.now() < end; a.run(time.Millisecond, true) {
		s := waiting[0]
		select {
		case line, open := <-s.lines:
			if want := fmt.Sprintf("connected %d of %[1]d", s.count); !open || line != want {
				return fmt.Errorf("the clients did not join: %s; %s", line, a.lost)
			}
			waiting = waiting[1:]
		default:
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("the clients did not join within %v; %s", joinAll, a.lost)
	}
	return nil
}

// measure runs the match for the row's time and emits the row.
func (a *scenario) measure(o Options, clients int, emit func(Row)) error {
	stop, err := profile(o.Load.Profile)
	if err != nil {
		return err
	}
	defer stop()
	a.faults, a.ticks, a.on = 0, make([]tickTimes, 0, 1+2*int(o.Row/tickTime)), true
	runtime.GC()
	before, seen := a.count(), 0.0
	looks := 0
	for end := a.now() + o.Row; a.now() < end; looks++ {
		a.run(lookEvery*tickTime, false)
		seen += a.seen()
	}
	a.on = false
	if n := len(a.host.Connections()); n != clients {
		return fmt.Errorf("%d clients were lost: %s", clients-n, a.lost)
	}
	emit(a.row(before, a.count(), clients, seen/float64(looks)))
	return nil
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

// seen returns the mean number of other players visible to each client.
func (a *scenario) seen() float64 {
	n := 0
	for _, c := range a.host.Connections() {
		own := c.Control.Object()
		c.Ghosts().Each(func(_ int, obj uint32, state ghost.Status) {
			if o := a.host.ObjectOf(obj); state == ghost.Live && o != nil && o != own && o.Ident().Class().Name == bodyClass {
				n++
			}
		})
	}
	return float64(n) / float64(max(1, len(a.host.Connections())))
}

// playCounters is the state of the server's counters at one moment.
type playCounters struct {
	at                    netcore.Time
	memory                runtime.MemStats
	cpu                   time.Duration
	known                 bool
	packets, bytes        uint64
	updates, bits         uint64 // of player ghosts
	moves, null, mismatch int
}

func (a *scenario) count() (n playCounters) {
	class := a.host.World().Classes()
	player := uint16(class.WireID(class.Lookup(bodyClass)))
	runtime.ReadMemStats(&n.memory)
	for _, c := range a.host.Connections() {
		s, g := c.Net().Stats(), c.Ghosts().ClassStats(player).Sent
		n.packets, n.bytes = n.packets+s.Sent, n.bytes+s.SentBytes
		n.updates, n.bits = n.updates+g.Updates, n.bits+g.UpdateBits+g.CreateBits
		n.moves, n.null, n.mismatch = n.moves+c.Control.Stats.Moves, n.null+c.Control.Stats.Null, n.mismatch+c.Control.Stats.Mismatches
	}
	n.cpu, n.known = processCPU()
	n.at = a.now()
	return n
}

func (a *scenario) row(before, after playCounters, clients int, seen float64) Row {
	ticks, n := float64(len(a.ticks)), float64(clients)
	seconds := (after.at - before.at).Seconds()
	var cpu any
	if before.known && after.known {
		cpu = milliseconds(after.cpu-before.cpu) / ticks
	}
	var whole, computed []float64
	var each [parts][]float64
	shots := 0
	w := a.host.World()
	w.Each(w.Classes().Lookup("Projectile"), func(sim.Object) bool { shots++; return true })
	for _, t := range a.ticks {
		sum := time.Duration(0)
		for i, d := range t.parts {
			each[i] = append(each[i], milliseconds(d))
			sum += d
		}
		whole, computed = append(whole, milliseconds(sum)), append(computed, milliseconds(t.cpu))
	}
	slices.Sort(whole)
	slices.Sort(computed)
	r := Row{
		{"clients", clients}, {"ticks", len(a.ticks)}, {"server_cpu_ms_per_tick", cpu},
		{"tick_ms_p50", quantile(whole, 0.5)}, {"tick_ms_p99", quantile(whole, 0.99)}, {"tick_ms_p999", quantile(whole, 0.999)},
		{"tick_cpu_ms_p50", quantile(computed, 0.5)}, {"tick_cpu_ms_p99", quantile(computed, 0.99)},
	}
	for i, name := range partNames {
		slices.Sort(each[i])
		r = append(r, ResultField{name + "_ms_mean", mean(each[i])}, ResultField{name + "_ms_p99", quantile(each[i], 0.99)})
	}
	r = append(r, ResultField{"lua_share", mean(each[partScripts]) / mean(whole)})
	minutes := seconds / 60
	return append(r,
		ResultField{"visible_players", seen},
		ResultField{"bits_per_visible_player_s", 8 * float64(after.bytes-before.bytes) / n / seconds / seen},
		ResultField{"player_bits_per_visible_player_s", float64(after.bits-before.bits) / n / seconds / seen},
		ResultField{"updates_hz_per_visible_player", float64(after.updates-before.updates) / n / seconds / seen},
		ResultField{"bytes_per_client_s", float64(after.bytes-before.bytes) / n / seconds},
		ResultField{"packets_per_client_s", float64(after.packets-before.packets) / n / seconds},
		ResultField{"moves_per_client_s", float64(after.moves-before.moves) / n / seconds},
		ResultField{"null_moves_per_client_min", float64(after.null-before.null) / n / minutes},
		ResultField{"mismatches_per_client_min", float64(after.mismatch-before.mismatch) / n / minutes},
		ResultField{"projectiles", shots}, ResultField{"script_faults", a.faults},
		ResultField{"allocs_per_tick", float64(after.memory.Mallocs-before.memory.Mallocs) / ticks},
		ResultField{"gc_pause_ms_max", longestPause(&before.memory, &after.memory)}, ResultField{"rss_mib", resident()},
	)
}
