package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node/modtrial"
)

// logShown is the number of log lines printed with a failed test.
const logShown = 12

// modTest runs the tests of a mod and prints the results.
func modTest(o *config.Mod, stdout io.Writer) error {
	folders, name, err := modTarget(o)
	if err != nil {
		return err
	}
	t := &tally{mod: name, out: stdout, json: o.JSON, began: time.Now()}
	options := modtrial.Options{Folders: folders, Mod: name, With: o.With, Only: o.Run, Each: t.result}
	if o.Seed != nil {
		options.Seed = *o.Seed
	}
	_, err = modtrial.Run(options)
	if err != nil {
		return err
	}
	if t.passed+t.failed == 0 {
		if o.Run != nil {
			return fmt.Errorf("mod %s: --run %q matches no test", name, o.Run)
		}
		return fmt.Errorf("mod %s has no tests: add calls of test(\"name\", function() ... end) in %s", name, path.Join(name, "test/*_test.lua"))
	}
	return t.sum()
}

// A tally prints each result at once, and counts the results.
type tally struct {
	mod            string
	out            io.Writer
	json           bool
	began          time.Time
	passed, failed int
}

// testRow is a result in the output of torc mod test --json, one per line.
type testRow struct {
	Mod   string   `json:"mod"`
	File  string   `json:"file"`
	Name  string   `json:"name"` // "" if the file itself has failed
	OK    bool     `json:"ok"`
	Error string   `json:"error,omitempty"`
	Trace []string `json:"trace,omitempty"`
	Log   []string `json:"log,omitempty"` // of a failed test
	Ticks int      `json:"ticks"`
	Ms    float64  `json:"ms"`
}

func (t *tally) result(r modtrial.Result) {
	t.passed++
	if r.Err != nil {
		t.passed, t.failed = t.passed-1, t.failed+1
	}
	if t.json {
		t.row(r)
		return
	}
	verdict, name := "ok  ", r.Name
	if r.Err != nil {
		verdict = "FAIL"
	}
	if name == "" {
		name = "(the file)"
	}
	fmt.Fprintf(t.out, "%s  %s: %s (%d ticks, %.1f ms)\n", verdict, path.Base(r.File), name, r.Ticks, ms(r.Took))
	if r.Err == nil {
		return
	}
	fmt.Fprintf(t.out, "      %s\n", strings.ReplaceAll(r.Err.Error(), "\n", "\n      "))
	for _, line := range traceLines(r.Trace) {
		fmt.Fprintf(t.out, "        %s\n", line)
	}
	log := r.Log
	if cut := len(log) - logShown; cut > 0 {
		fmt.Fprintf(t.out, "      | (%d earlier lines)\n", cut)
		log = log[cut:]
	}
	for _, line := range log {
		fmt.Fprintf(t.out, "      | %s\n", line)
	}
}

func (t *tally) row(r modtrial.Result) {
	row := testRow{Mod: t.mod, File: r.File, Name: r.Name, OK: r.Err == nil, Ticks: r.Ticks, Ms: ms(r.Took)}
	if r.Err != nil {
		row.Error, row.Trace, row.Log = r.Err.Error(), traceLines(r.Trace), r.Log
	}
	text, err := json.Marshal(row)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	fmt.Fprintf(t.out, "%s\n", text)
}

// sum prints the number of passed tests. It returns an error if a test failed.
func (t *tally) sum() error {
	if !t.json {
		fmt.Fprintf(t.out, "%s: %d passed, %d failed in %.0f ms\n", t.mod, t.passed, t.failed, ms(time.Since(t.began)))
	}
	if t.failed > 0 {
		return fmt.Errorf("%d of the %d tests of %s failed", t.failed, t.passed+t.failed, t.mod)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func traceLines(trace string) (lines []string) {
	for line := range strings.SplitSeq(trace, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "[Go]") {
			lines = append(lines, line)
		}
	}
	if last := len(lines) - 1; last >= 0 && lines[last] == "(tail calls)" { // the start of a coroutine
		lines = lines[:last]
	}
	return lines
}
