package bench

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Options configure a workload and its output.
type Options struct {
	JSON bool          // one object per row instead of a table
	Row  time.Duration // duration of a row; 0 uses the workload's default
	Load Load          // only for replicate, play and reload
	Rows []string      // only for line: words in the names of the rows; none is all rows
}

// Load is the load that replicate, play or reload puts on a server. Each number of clients is
// measured with each number of objects.
type Load struct {
	Clients []int // none: the workload's own
	Objects []int
	Scope   int // objects in every client's view, the rest are elsewhere; 0 is all

	Active    int  // percent of the objects that move in a tick
	Unlimited bool // no limit of one packet per tick
	Distance  bool // nearer objects are more urgent
	Whole     bool // no delta encoding

	Lockstep bool   // server and clients tick in turn, on a virtual clock
	Loss     int    // percent of the packets lost in each direction, with Lockstep
	RTT      [2]int // least and greatest round-trip time of a client in ticks, with Lockstep; 0 is 1
	Size     int    // bytes of UDP payload of the server's packets; 0 is the default
	Deaf     bool   // 99 of 100 clients do not decode ghosts, once they have all of them

	Profile string // file for a CPU profile of the server
}

// Declare declares the flags of torclab bench.
func (o *Options) Declare(s *flags.Set) {
	s.BoolVar(&o.JSON, "json", false, "print one JSON object per row instead of a table")
	s.Var(seconds{&o.Row}, "seconds", "`N`: duration of each row; the default depends on the workload")
	o.Load.declare(s)
}

func (l *Load) declare(s *flags.Set) {
	*l = Load{Objects: []int{1000}, Active: 100}
	s.Var(flags.CountList{To: &l.Clients, Lo: 1, Hi: 1000}, "clients", "`N,N…`: replicate, play, reload: a row for each number of clients")
	s.Var(flags.CountList{To: &l.Objects, Lo: 1, Hi: 65536}, "objects", "`N,N…`: replicate: a row for each number of objects")
	s.Var(flags.Count{To: &l.Scope, Lo: 1, Hi: 65536}, "scope", "`N`: replicate: number of objects in scope; the other objects are out of scope")
	s.Var(flags.Count{To: &l.Active, Lo: 0, Hi: 100}, "active", "`PERCENT`: replicate: share of the objects that move in each tick")
	s.BoolVar(&l.Unlimited, "unlimited", false, "replicate: send packets until all updates are written, instead of one packet per tick")
	s.BoolVar(&l.Distance, "distance", false, "replicate: give objects near a client's viewpoint a higher priority")
	s.BoolVar(&l.Whole, "whole", false, "replicate: send whole updates, no deltas")
	s.BoolVar(&l.Lockstep, "lockstep", false, "replicate, play: server and clients tick in turn on a virtual clock, so a busy machine gives the same packets")
	s.Var(flags.Count{To: &l.Loss, Lo: 0, Hi: 50}, "loss", "`PERCENT`: replicate, play --lockstep: share of the packets that get lost in each direction")
	s.Var(ticks{&l.RTT}, "rtt", "`TICKS[-TICKS]`: replicate, play --lockstep: round-trip time of the clients, spread evenly (1)")
	s.Var(flags.Count{To: &l.Size, Lo: 100, Hi: 1200}, "size", "`BYTES`: replicate: largest packet of the server, in bytes of UDP payload (1200)")
	s.BoolVar(&l.Deaf, "deaf", false, "replicate: only one client in a hundred decodes its ghosts; the others acknowledge them unread")
	s.StringVar(&l.Profile, "cpuprofile", "", "`FILE`: replicate, play, mods, reload: write a CPU profile of the server in the measured time of the last row, in play of the last one without loss")
}

// Take takes the words of the command line behind the flags: the name of a workload, and of rows of
// line.
func (o *Options) Take(words []string) (w Workload, rest []string, err error) {
	names := strings.Join(Names(), ", ")
	if len(words) == 0 {
		return w, nil, flags.Usagef("torclab bench needs the name of a workload: %s", names)
	}
	w, known := Find(words[0])
	if !known {
		return w, nil, flags.Usagef("torclab bench has no workload %q; it has %s", words[0], names)
	}
	if !o.Load.Lockstep && (o.Load.Loss > 0 || o.Load.RTT[0] > 0) {
		return w, nil, flags.Usagef("--loss and --rtt need --lockstep, which makes the line in the clients' process")
	}
	if w.Name == "line" {
		o.Rows, words = words[1:], words[:1]
	}
	return w, words[1:], nil
}

// seconds is a time above 0 and at most 3600 seconds.
type seconds struct{ to *time.Duration }

func (s seconds) String() string { return "" }
func (s seconds) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v <= 3600) {
		return errors.New("must be a number above 0, at most 3600")
	}
	*s.to = time.Duration(v * float64(time.Second))
	return nil
}

// ticks is a number of ticks, or the least and the greatest.
type ticks struct{ to *[2]int }

const maxRTT = 64 // ticks

func (r ticks) String() string { return "" }
func (r ticks) Set(s string) error {
	low, high, spread := strings.Cut(s, "-")
	if !spread {
		high = low
	}
	lo, err := strconv.Atoi(low)
	hi, bad := strconv.Atoi(high)
	if err != nil || bad != nil || lo < 1 || hi > maxRTT || lo > hi {
		return fmt.Errorf("must be ticks from 1 to %d, or a range, for example 4 or 2-6", maxRTT)
	}
	*r.to = [2]int{lo, hi}
	return nil
}
