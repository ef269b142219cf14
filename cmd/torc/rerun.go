package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/demo"
	"github.com/torc-engine/torc/node/replay"
)

// replayJournal runs the server of a journal again.
func (sys *system) replayJournal(o *config.Replay, f *os.File) error {
	seen, err := scan(f)
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	r := &rerun{o: o, sys: sys, out: sys.out, seen: seen, from: o.From, until: o.Until}
	if err := r.begin(); err != nil {
		return err
	}
	cfg := replay.Config{Version: version, Output: r.print}
	if o.WithMods != "" {
		if cfg.Mods, err = changedMods(o); err != nil {
			return err
		}
	}
	if o.Net != "" {
		return r.show(f, cfg)
	}
	if r.Replay, err = replay.New(f, cfg); err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	defer r.Close()
	r.sayBuild()
	began := time.Now()
	damage := r.damage(r.play())
	r.report(time.Since(began), damage != nil)
	if o.Prompt {
		return errors.Join(r.prompt(), damage)
	}
	if d := r.Difference(); d != "" && (o.Check || o.WithMods == "") {
		return fmt.Errorf("the replay differs: %s", d)
	}
	return damage
}

// damage returns the damage of the journal: that which ended the replay, or one that the replay has
// not reached. A journal that just ends, or is cut off, has none.
func (r *rerun) damage(end error) error {
	switch {
	case end != nil && !errors.Is(end, io.EOF) && !errors.Is(end, replay.ErrCut):
		return fmt.Errorf("%s: %w", r.o.File, end)
	case r.seen.Damaged():
		return fmt.Errorf("%s: %w", r.o.File, r.seen.Err)
	}
	return nil
}

// begin reads where the part in real time begins, and its speed.
func (r *rerun) begin() (err error) {
	if n := r.o.FromMark; n > len(r.seen.Marks) {
		return fmt.Errorf("%s has %d marks: there is no mark %d", r.o.File, len(r.seen.Marks), n)
	} else if n > 0 {
		r.from = r.seen.Marks[n-1].Tick
	}
	if r.o.Seek != "" {
		at, err := demo.ParseTime(r.o.Seek)
		if err != nil {
			return flags.Usagef("--seek: %v", err)
		}
		r.from = uint64(at / engine.TickTime)
	}
	if r.from > 0 || r.o.Net != "" {
		r.speed = 1
	}
	if r.o.Speed != "" {
		if r.speed, err = strconv.ParseFloat(r.o.Speed, 64); err != nil || !(r.speed >= 0 && r.speed <= 1e6) { // also NaN
			return flags.Usagef("--speed %s: must be 0…1000000, times real time; 0 is as fast as possible, and with --net a pause", r.o.Speed)
		}
	}
	return nil
}

// scan reads all of a journal, and goes back to its beginning.
func scan(f io.ReadSeeker) (replay.Summary, error) {
	seen, err := replay.Scan(bufio.NewReader(f))
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return seen, err
}

// changedMods opens the folder of --with-mods.
func changedMods(o *config.Replay) (fs.FS, error) {
	folder, err := openMods(o.WithMods, o.WithMods)
	if err != nil {
		return nil, flags.Usagef("--with-mods cannot be opened: %v", err)
	}
	return folder, nil
}

// rerun is a replay of a journal, and how fast it goes.
type rerun struct {
	*replay.Replay
	sys         *system
	o           *config.Replay
	out         io.Writer
	seen        replay.Summary
	from, until uint64
	speed       float64   // from then on, times real time; 0: as fast as possible, and in the net page a pause
	shown       bool      // the output of the server is printed
	since       time.Time // when the part in real time began
	then        time.Duration
}

func (r *rerun) print(text string) {
	if r.shown {
		fmt.Fprintln(r.out, console.CleanText(text))
	}
}

// play makes all calls up to --until. From --from on, it goes at the speed.
func (r *rerun) play() error {
	for r.until == 0 || r.Tick() < r.until {
		if r.speed > 0 && r.Tick() >= r.from {
			r.pace()
		}
		if err := r.Step(); err != nil {
			return err
		}
	}
	return nil
}

// pace waits for the real time of the next call.
func (r *rerun) pace() {
	if !r.shown {
		r.shown, r.since, r.then = true, time.Now(), r.Now()
	}
	due := time.Duration(float64(r.Now()-r.then) / r.speed)
	time.Sleep(due - time.Since(r.since))
}

// sayBuild says that another build wrote the journal.
func (r *rerun) sayBuild() {
	if s := r.seen.OtherBuild(version); s != "" {
		fmt.Fprintln(r.out, console.Clean(s))
	}
}

// sayEnd says how the journal ends, if that is not with its server.
func (r *rerun) sayEnd() {
	switch {
	case r.seen.Err != nil:
		fmt.Fprintln(r.out, r.seen.Err)
	case !r.seen.Whole:
		fmt.Fprintln(r.out, "the journal has no end: a mark says why, its process was killed, or the file is cut off")
	}
}

// report prints how the replay went.
func (r *rerun) report(took time.Duration, damaged bool) {
	game := time.Duration(r.Tick()) * 32 * time.Millisecond
	fmt.Fprintf(r.out, "%d of %d ticks (%v) in %v, %.1f x real time\n", r.Tick(), r.seen.Ticks, game.Round(time.Second), took.Round(time.Millisecond), game.Seconds()/max(took.Seconds(), 1e-6))
	r.sayEnd()
	if r.seen.Why != "" {
		fmt.Fprintln(r.out, "the journal ends before its server: "+console.Clean(r.seen.Why))
	}
	for i, m := range r.seen.Marks {
		fmt.Fprintf(r.out, "mark %d, tick %d: %s\n", i+1, m.Tick, console.Clean(m.String()))
	}
	switch d := r.Difference(); {
	case d != "":
		fmt.Fprintln(r.out, "first difference: "+console.Clean(d))
		r.sayBuild()
	case damaged:
		fmt.Fprintln(r.out, "the ticks so far do not differ")
	default:
		fmt.Fprintln(r.out, "no difference")
	}
	if r.o.WithMods != "" {
		r.compareFaults()
	}
}

// compareFaults reports which faults of the journal still happen with other mods, and which are
// new.
func (r *rerun) compareFaults() {
	told := map[string]bool{}
	say := func(m replay.Mark, all []replay.Mark, is, not string) {
		if m.Kind != "fault" || told[m.Site()] {
			return
		}
		told[m.Site()] = true
		text := not
		if slices.ContainsFunc(all, func(o replay.Mark) bool { return o.Site() == m.Site() }) {
			text = is
		}
		fmt.Fprintf(r.out, "%s: fault at tick %d in %s %s\n", console.Clean(m.Mod), m.Tick, console.Clean(cmp.Or(m.At, "an unknown place")), text)
	}
	for _, m := range r.seen.Marks {
		if m.Tick <= r.Tick() {
			say(m, r.Faults(), "still happens", "does not happen any more")
		}
	}
	for _, m := range r.Faults() {
		say(m, r.seen.Marks, "still happens", "is new")
	}
}

var errNoTicks = errors.New("the journal has no more ticks")

// prompt runs lines on the console of the server. step N goes on for N ticks.
func (r *rerun) prompt() error {
	r.shown = true
	fmt.Fprintln(r.out, "the server stands at this tick. step [N] goes on; any other line runs on its console, and the replay differs from there")
	lines := bufio.NewScanner(r.sys.in)
	for fmt.Fprint(r.out, "replay> "); lines.Scan(); fmt.Fprint(r.out, "replay> ") {
		n := uint64(1)
		switch word, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " "); word {
		case "quit":
			return nil
		case "step":
			if rest != "" {
				if _, err := fmt.Sscan(rest, &n); err != nil {
					fmt.Fprintln(r.out, "error: usage: step [N]")
					continue
				}
			}
			r.until = r.Tick() + n
			if err := r.play(); err != nil {
				fmt.Fprintln(r.out, cmp.Or(r.damage(err), errNoTicks))
			}
			fmt.Fprintf(r.out, "tick %d\n", r.Tick())
		default:
			r.Console().Enter(lines.Text())
		}
	}
	fmt.Fprintln(r.out)
	return lines.Err()
}
