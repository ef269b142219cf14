package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// Options are the options of torclab attack.
type Options struct {
	Torc   string   // the program torc, whose servers are attacked
	Server string   // HOST:PORT or HOST:PORT#KEY; "" starts a server
	Rows   []string // the rows to play; none is all
	Short  bool     // less of everything: less than a minute for all rows
	JSON   bool     // one object per row instead of a table

	// Inside is set in the process that runs in a network namespace of its own.
	Inside bool
}

// Inside is the hidden subcommand of torclab for the process that runs in a network namespace. Only
// the suite starts that process.
const Inside = "attack-inside"

// Declare declares the flags of torclab attack.
func (o *Options) Declare(s *flags.Set) {
	s.Var(flags.List{To: &o.Rows, Sep: ","}, "row", "`NAME`: play only this row (repeatable)")
	s.BoolVar(&o.Short, "short", false, "shorter attacks at lower rates: less than a minute for all rows")
	s.BoolVar(&o.JSON, "json", false, "print one JSON object per row instead of a table")
	s.StringVar(&o.Torc, "torc", "", "`FILE`: the program torc to attack; without it, torclab builds ./cmd/torc")
}

// The results of a row.
const (
	passed = "pass"
	failed = "FAIL"
	notRun = "not run" // the reason is in Measured
	byTest = "test"    // tests hold it, see Row.Proofs
)

// Result is the result of a row.
type Result struct {
	Row      string `json:"row"`
	Require  string `json:"requirement"`
	Measured string `json:"measured"`
	Result   string `json:"result"`
}

// errFailed is the error of a suite with a failed row.
var errFailed = errors.New("the server failed rows of the attack suite")

// suite is a run of the attack suite.
type suite struct {
	Options
	ctx   context.Context // its end ends the suite and its servers
	emit  func(Result)
	wrong error // of printing a result
	plain *site // the server under attack
}

// Run plays rows and prints their results. It returns an error if a row fails. When ctx ends, it
// returns after the row that it plays.
func Run(ctx context.Context, to io.Writer, o Options) error {
	// The servers end with the thread that has started them.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rows, err := pick(o.Rows)
	if err != nil {
		return err
	}
	s := &suite{Options: o, ctx: ctx}
	fails := 0
	s.emit = func(r Result) {
		if r.Result == failed {
			fails++
		}
		s.wrong = errors.Join(s.wrong, show(to, r, o.JSON))
	}
	if !o.JSON {
		_, s.wrong = fmt.Fprintf(to, "%-9s %-7s  %-*s  %s\n", "row", "result", requireWidth, "requirement", "measured")
	}
	if err := errors.Join(s.all(rows), s.wrong); err != nil {
		return err
	}
	if fails > 0 {
		return fmt.Errorf("%w: %d of %d", errFailed, fails, len(rows))
	}
	return nil
}

// rowIDs returns the names of all rows.
func rowIDs() (ids []string) {
	for _, r := range Rows {
		ids = append(ids, r.ID)
	}
	return ids
}

// pick returns the rows of the given names, all rows without names.
func pick(names []string) (rows []*Row, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(Rows, func(r *Row) bool { return r.ID == name }) {
			return nil, flags.Usagef("torclab attack has no row %q: the rows are %s", name, strings.Join(rowIDs(), ", "))
		}
	}
	for _, r := range Rows {
		if len(names) == 0 || slices.Contains(names, r.ID) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// all plays rows one after the other.
func (s *suite) all(rows []*Row) (err error) {
	defer func() {
		if s.plain != nil {
			if wrong := s.plain.close(); s.ctx.Err() == nil {
				err = errors.Join(err, wrong)
			}
		}
	}()
	if s.Inside {
		if err := enterSpace(); err != nil {
			return err
		}
	}
	if s.Server != "" {
		s.plain = &site{}
		if s.plain.to, s.plain.key, err = parseAddress(s.Server, s.Inside); err != nil {
			return err
		}
	}
	var spaced []*Row
	for _, r := range rows {
		if s.ctx.Err() != nil || s.wrong != nil {
			return s.ctx.Err()
		}
		switch {
		case r.long && s.Short:
			s.emit(Result{r.ID, r.Require, strings.Join(r.Proofs, ", "), byTest})
		case r.own && s.Server != "":
			s.emit(Result{r.ID, r.Require, "this row needs the suite's own server: torclab attack without an address", notRun})
		case r.space && !s.Inside:
			spaced = append(spaced, r)
		default:
			result, err := s.twice(r)
			if err != nil {
				return fmt.Errorf("row %s: %w", r.ID, err)
			}
			s.emit(result)
		}
	}
	return s.inSpace(spaced)
}

// twice plays a row, and in the short form a second time against a new server if it fails. The
// short form runs on busy machines, which can spoil a row. A server that breaks the requirement
// does it again.
func (s *suite) twice(row *Row) (Result, error) {
	result, err := s.one(row)
	if err != nil || result.Result != failed || !s.Short || s.Server != "" {
		return result, err
	}
	if s.plain != nil {
		if err := s.plain.close(); err != nil {
			return result, err
		}
		s.plain = nil
	}
	again, err := s.one(row)
	again.Measured += "; the first try: " + result.Measured
	return again, err
}

// one plays one row.
func (s *suite) one(row *Row) (result Result, err error) {
	at := s.plain
	if row.site != nil {
		if at, err = row.site(s.ctx, s.Torc); err != nil {
			if s.ctx.Err() == nil {
				return Result{row.ID, row.Require, "the server of the row does not start: " + err.Error(), failed}, nil
			}
			return result, s.ctx.Err()
		}
		defer func() { err = errors.Join(err, at.close()) }()
	} else if at == nil {
		if at, err = startChild(s.ctx, s.Torc, "127.0.0.1:0"); err != nil {
			return result, err
		}
		s.plain = at
	}
	if at.crowd == nil {
		if at.crowd, err = newCrowd(at); err != nil {
			return result, err
		}
	}
	result = playRow(row, at, map[bool]time.Duration{false: fullLength, true: shortLength}[s.Short])
	if s.ctx.Err() != nil {
		return result, s.ctx.Err()
	}
	if count(at.crowd.crew.all, (*client).playing) < honestCount {
		at.crowd.close()
		at.crowd = nil // the next row begins with new ones
	}
	return result, nil
}

// The times of an attack.
const (
	fullLength  = 10 * time.Second
	shortLength = time.Second // in the short form
)

// measureLeast is the shortest time for which the honest clients measure, unless the attack is
// shorter than that.
const measureLeast = time.Second

// playRow plays a row against a server, with an attack of some time.
func playRow(row *Row, at *site, length time.Duration) Result {
	r := &round{site: at, row: row, number: slices.Index(Rows, row), short: length < fullLength, length: length}
	if at.server != nil {
		r.logged, r.ticks, r.late = len(at.server.log()), metric(at.server, ticksMetric), metric(at.server, lateMetric)
	}
	r.bad = newCrew(at.to, at.key)
	r.aim(at.to, r.address, func(n int) netip.Addr { return r.address(200*250 + n) })
	at.crowd.begin()
	began := time.Now()
	if err := row.play(r); err != nil {
		r.fail(true, "%v", err)
	}
	r.judgeJoins()
	time.Sleep(min(measureLeast, length) - time.Since(began))
	at.crowd.judge(r)
	r.countTicks()
	r.judgeMods()
	r.bad.close()
	result := Result{row.ID, row.Require, strings.Join(r.measured, "; "), passed}
	if len(r.failures) > 0 {
		result.Result = failed
		result.Measured = strings.Join(append(r.failures, result.Measured), "; ")
	}
	return result
}

// close ends the clients, and the server if it is the suite's own.
func (s *site) close() (err error) {
	if s.crowd != nil {
		s.crowd.close()
	}
	if s.server != nil {
		err = s.server.close()
	}
	return err
}

// Widths of the table.
const requireWidth, measuredWidth = 52, 84

// show prints a result.
func show(to io.Writer, r Result, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(to).Encode(r)
	}
	left, right := wrap(r.Require, requireWidth), wrap(r.Measured, measuredWidth)
	id, result := r.Row, r.Result
	for i := range max(len(left), len(right), 1) {
		a, b := "", ""
		if i < len(left) {
			a = left[i]
		}
		if i < len(right) {
			b = right[i]
		}
		a += strings.Repeat(" ", max(0, requireWidth-uniseg.StringWidth(a)))
		line := strings.TrimRight(fmt.Sprintf("%-9s %-7s  %s  %s", id, result, a, b), " ")
		if _, err := fmt.Fprintln(to, line); err != nil {
			return err
		}
		id, result = "", ""
	}
	return nil
}

// wrap breaks a text into lines of at most width columns, at spaces where possible.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && uniseg.StringWidth(line)+1+uniseg.StringWidth(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
