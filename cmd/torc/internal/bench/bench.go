package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Field is one figure of a row. A Value of nil says that this machine cannot
// tell it.
type Field struct {
	Name  string
	Value any
}

// Row is the figures of one measurement, in the order they are shown.
type Row []Field

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

// rounded cuts a figure to the digits that mean something: five, at least one
// of them behind the point for what is small.
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

// Workload is one name of `torc bench`.
type Workload struct {
	Name  string
	About string // what is measured, and what is aimed at
	row   time.Duration
	run   func(row time.Duration, emit func(Row)) error
}

var workloads = []Workload{
	{"events", "one sealed connection over loopback UDP, guaranteed ordered events as fast as it goes; " +
		"milestone 2,000,000 events/s, goal 7,000,000, at most 130 ns per event and side, at most 28 bits", 5 * time.Second, events},
	{"loss", "1,000 ordered events posted at once, 100 ms round trip, nothing else sent, virtual time, 32 ms ticks; " +
		"aim: 60, 120, 200 and 500 ms at 0, 10, 25 and 50 % loss each way", time.Second, loss},
	{"connect", "authenticated handshakes and their ends, in memory, one core doing both sides, and the server's part alone; the time to connect over idle loopback " +
		"with ticks of 32 ms; invented requests in memory; aim: 3,000/s, 5 ms, 100,000/s, growth at most 1.1", 3 * time.Second, connect},
	{"overhead", "bytes of a data packet that are not the game's, virtual time; aim: at most 4 + 16 of the seal", 30 * time.Second, overhead},
	{"micro", "nanoseconds per operation of a bit stream; peer_ns is OpenTNL's; text: at most 0.55 of length byte and bytes", 200 * time.Millisecond, micro},
}

// Names returns the names of the workloads.
func Names() []string {
	var names []string
	for _, w := range workloads {
		names = append(names, w.Name)
	}
	return names
}

// Find returns the workload of that name.
func Find(name string) (Workload, bool) {
	i := slices.IndexFunc(workloads, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, false
	}
	return workloads[i], true
}

// Print runs the workload and prints its rows: one JSON object per line as
// they come, or a table when all are there.
func (w Workload) Print(to io.Writer, asJSON bool) error {
	return w.print(to, asJSON, w.row)
}

func (w Workload) print(to io.Writer, asJSON bool, row time.Duration) error {
	var failed error
	if asJSON {
		out := json.NewEncoder(to)
		err := w.run(row, func(r Row) {
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
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	heading := ""
	err := w.run(row, func(r Row) {
		names, values := r.cells()
		if names != heading {
			heading = names
			fmt.Fprintln(table, names)
		}
		fmt.Fprintln(table, values)
	})
	if err != nil {
		return err
	}
	return table.Flush()
}

// cells are the two lines of a table that show the row.
func (r Row) cells() (names, values string) {
	var n, v strings.Builder
	for _, f := range r {
		n.WriteString(f.Name + "\t")
		value := rounded(f.Value)
		if x, ok := value.(float64); ok && x >= 1000 {
			value = int64(x)
		}
		if value == nil {
			value = "-"
		}
		fmt.Fprintf(&v, "%v\t", value)
	}
	return n.String(), v.String()
}

// quantile returns the value that a share q of the sorted values does not
// exceed; NaN of none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
