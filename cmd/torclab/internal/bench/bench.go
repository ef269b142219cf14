package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// ResultField is one figure of a row. Value is nil if this machine cannot measure it.
type ResultField struct {
	Name  string
	Value any
}

// Row holds the figures of one measurement, in display order.
type Row []ResultField

// MarshalJSON keeps the order of the fields.
func (r Row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, f := range r {
		value, err := json.Marshal(rounded(f.Value))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], f.Name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// rounded cuts a figure to its significant digits: none after the point from 1,000 on, else three.
// It returns nil for NaN and infinity.
func rounded(v any) any {
	f, ok := v.(float64)
	switch {
	case !ok:
		return v
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil
	case math.Abs(f) >= 1000:
		return math.Round(f)
	}
	return math.Round(f*1000) / 1000
}

// Workload is one workload of `torclab bench`.
type Workload struct {
	Name  string
	About string // what it measures, and the target figures
	row   time.Duration
	run   func(o Options, emit func(Row)) error
	left  bool // its columns are text
}

// timed wraps a workload with no option but the duration of a row.
func timed(run func(row time.Duration, emit func(Row)) error) func(Options, func(Row)) error {
	return func(o Options, emit func(Row)) error { return run(o.Row, emit) }
}

var workloads = []Workload{
	{"replicate", "a server and a client process, sealed connections over loopback UDP; each client has 1,000 moving objects in scope; " +
		"the server sends each client one packet of at most 1,200 bytes per 32 ms tick. Milestone at 128 clients: 25 µs of server CPU per client and tick, " +
		"80 bits per update with --whole, 40 without. Goal: 20 µs and 25 bits", 8 * time.Second, replicate, false},
	{"events", "one sealed connection over loopback UDP carries guaranteed ordered events as fast as it can. " +
		"Milestone: 2,000,000 events/s. Goal: 7,000,000 events/s, at most 130 ns per event and side, at most 28 bits per event", 5 * time.Second, timed(events), false},
	{"loss", "virtual time, 100 ms round trip, 32 ms ticks, packet loss in both directions. Events: 1,000 ordered events posted at once, without other traffic; " +
		"aim: 60, 120, 200 and 500 ms at 0, 10, 25 and 50 % loss. Convergence: 1,000 moving objects stop, until every ghost on 4 clients matches its object; " +
		"aim: 150, 300, 450 and 900 ms. Commands: the server posts one per tick, to clients with each rate. " +
		"First bytes: 16 kB of ordered events on a fresh connection; aim: 160 ms without loss", time.Second, timed(loss), false},
	{"connect", "authenticated handshakes and disconnects in memory: one core for both sides, and the server's part alone; the time to connect over idle loopback UDP " +
		"with 32 ms ticks; forged requests in memory. Aim: 3,000/s, 5 ms, 100,000/s, growth at most 1.1", 3 * time.Second, timed(connect), false},
	{"play", "a server of capture the flag with all its Lua, and a fighting swarm in other processes, loopback UDP. One player in sixteen decodes its ghosts and fights; " +
		"the others acknowledge them unread and make recorded moves. A row for each number of packing threads, and one with 2 % loss. tick_cpu is the CPU time of the owner's thread with receiving, " +
		"and in packing that of the slowest thread. Then one move of a player, and the replay of a full move window. " +
		"Aim: tick p99 4.5, 12 and 28 ms with 128, 256 and 512 clients; 2,000 ns per move, 100 µs per window", 10 * time.Second, play, false},
	{"mods", "a match of capture the flag with 32 bots, as fast as it goes, without and with 100 mods that look at the position of every player in each tick. " +
		"Aim: 1.5 ms of scripts at p50", 10 * time.Second, modsRow, false},
	{"reload", "the match of play; its mod is reloaded from changing files after its tests have run beside it. The changes are a version, a datablock, one syntax error " +
		"and one failing test. Measures a time with reloads, one after the other, and the same time without. swap is the pause of the ticks, " +
		"interval is the time between the starts of two ticks. Aim with 64 clients: swap 50 ms, no interval over 64 ms, no client lost", 10 * time.Second, reload, false},
	{"line", "connections on slow, shared, changing and broken lines: the worst of some runs of a minute on netsim, in virtual time; then one run through a relay " +
		"between real sockets, in real time, many rows at once. Each must meet the requirement", 20 * time.Second, lines, true},
}

// Names returns the names of the workloads.
func Names() []string {
	var names []string
	for _, w := range workloads {
		names = append(names, w.Name)
	}
	return names
}

// Find returns the workload with that name.
func Find(name string) (Workload, bool) {
	i := slices.IndexFunc(workloads, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, false
	}
	return workloads[i], true
}

// Print runs the workload and prints its rows. JSON rows are printed one per line as they come. A
// table is printed at the end.
func (w Workload) Print(to io.Writer, o Options) error {
	if o.Row <= 0 {
		o.Row = w.row
	}
	var failed error
	if o.JSON {
		out := json.NewEncoder(to)
		err := w.run(o, func(r Row) {
			if err := out.Encode(append(Row{{"workload", w.Name}}, r...)); failed == nil {
				failed = err
			}
		})
		if err != nil {
			return err
		}
		return failed
	}
	if _, err := fmt.Fprintf(to, "%s: %s\n\n", w.Name, w.About); err != nil {
		return err
	}
	var rows []Row
	err := w.run(o, func(r Row) { rows = append(rows, r) }) // rows before an error are printed too
	for i, some := range alike(rows) {
		if i > 0 {
			fmt.Fprintln(to)
		}
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', w.align())
		if len(some[0]) > wide {
			printColumns(table, some)
		} else {
			level(table, some)
		}
		err = errors.Join(err, table.Flush())
	}
	return err
}

func (w Workload) align() uint {
	if w.left {
		return 0
	}
	return tabwriter.AlignRight
}

// alike splits rows into groups. Rows with more than wide fields only share a group with rows of
// equal length.
func alike(rows []Row) (all [][]Row) {
	for i, r := range rows {
		if i == 0 || len(r) != len(rows[i-1]) && max(len(r), len(rows[i-1])) > wide {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

// wide is the number of columns that fit on a terminal line.
const wide = 12

// level prints one line per row, with the field names as headings.
func level(table io.Writer, rows []Row) {
	heading := ""
	for _, r := range rows {
		var names, values strings.Builder
		for _, f := range r {
			names.WriteString(f.Name + "\t")
			values.WriteString(f.cell() + "\t")
		}
		if names.String() != heading {
			heading = names.String()
			fmt.Fprintln(table, heading)
		}
		fmt.Fprintln(table, values.String())
	}
}

// printColumns prints one line per field, for rows with the same fields.
func printColumns(table io.Writer, rows []Row) {
	for i := range rows[0] {
		fmt.Fprint(table, rows[0][i].Name+"\t")
		for _, r := range rows {
			fmt.Fprint(table, r[i].cell()+"\t")
		}
		fmt.Fprintln(table)
	}
}

// cell formats the value for a table.
func (f ResultField) cell() string {
	switch v := rounded(f.Value).(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

func mean(of []float64) float64 {
	sum := 0.
	for _, x := range of {
		sum += x
	}
	return sum / float64(len(of))
}

// quantile returns the value at share q of the sorted values, or NaN if there are none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
