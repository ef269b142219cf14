package mutants

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// outcome is what the tests made of a fault.
type outcome int

const (
	survived outcome = iota // all tests passed
	killed                  // a test failed, or did not end
	invalid                 // the fault does not apply or compile, or no test ran
)

// verdict is the outcome of one fault, with the test that killed it or the reason.
type verdict struct {
	outcome outcome
	by      string
	took    time.Duration
}

// String returns one line, without the fault's name.
func (v verdict) String() string {
	took := v.took.Round(100 * time.Millisecond)
	switch v.outcome {
	case survived:
		return fmt.Sprintf("SURVIVED  %s", took)
	case killed:
		return fmt.Sprintf("killed    %s by %s", took, v.by)
	}
	return "INVALID   " + v.by
}

// try runs the tests that are meant for a fault on an overlay of the module at root. A test that
// takes longer than limit counts as failed.
func try(root string, f fault, limit time.Duration) verdict {
	begin := time.Now()
	v := tryTests(root, f, limit)
	v.took = time.Since(begin)
	return v
}

func tryTests(root string, f fault, limit time.Duration) verdict {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return verdict{outcome: invalid, by: err.Error()}
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, root, f)
	if err != nil {
		return verdict{outcome: invalid, by: err.Error()}
	}
	for _, t := range f.tests {
		if v := goTest(root, overlay, t, limit); v.outcome != survived {
			return v
		}
	}
	return verdict{outcome: survived}
}

// writeOverlay writes the changed sources to dir, and the file that makes the go command read them
// instead of the module's own.
func writeOverlay(dir, root string, f fault) (string, error) {
	sources, err := f.sources(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range sources {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = copied
	}
	table, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, table, 0o600)
}

// goTest runs tests with an overlay. The overlay is in the environment, so programs that the tests
// build have the fault too. Sweeps begin at seed 0, so a verdict does not depend on the day.
func goTest(root, overlay string, t tests, limit time.Duration) verdict {
	cmd := exec.Command("go", "test", "-json", "-vet=off", "-count=1", "-failfast", "-timeout", limit.String(),
		"-run", "^("+strings.Join(t.names, "|")+")$", t.dir)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay), "TORC_SEED_BASE=0")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	return judge(out, err, problems.String())
}

// event is a line of the output of go test -json.
type event struct{ Action, Test, Output string }

// judge reads the output of go test -json, its exit status, and its standard error.
func judge(out []byte, failed error, problems string) verdict {
	r := report{running: map[string]bool{}}
	for line := range bytes.Lines(out) {
		var e event
		if json.Unmarshal(line, &e) == nil {
			r.add(e)
		}
	}
	switch {
	case r.noBuild:
		return verdict{outcome: invalid, by: "does not compile\n" + r.build + problems}
	case failed != nil && !r.ran:
		return verdict{outcome: invalid, by: "no test began\n" + problems}
	case failed != nil:
		return verdict{outcome: killed, by: r.killer()}
	case r.passed == 0:
		return verdict{outcome: invalid, by: "no test ran"}
	}
	return verdict{outcome: survived}
}

// report is what the events of a run say.
type report struct {
	noBuild bool
	build   string          // output of the compiler
	failed  string          // the first test that failed, a part of a test before the test itself
	running map[string]bool // tests without an end
	ran     bool            // a test has begun
	hang    bool            // the run has reached its limit
	passed  int
}

func (r *report) add(e event) {
	switch e.Action {
	case "build-fail":
		r.noBuild = true
	case "build-output":
		r.build += e.Output
	case "output":
		r.hang = r.hang || strings.HasPrefix(e.Output, "panic: test timed out")
	}
	if e.Test == "" {
		return
	}
	switch e.Action {
	case "run":
		r.ran, r.running[e.Test] = true, true
	case "pass":
		r.passed++
		delete(r.running, e.Test)
	case "fail":
		r.failed = cmp.Or(r.failed, e.Test)
		delete(r.running, e.Test)
	case "skip":
		delete(r.running, e.Test)
	}
}

// killer describes the test that noticed the fault. A hang and a crash end no test.
func (r *report) killer() string {
	running := strings.Join(slices.Sorted(maps.Keys(r.running)), " or ")
	switch {
	case r.hang && r.failed == "":
		return "a hang of " + running
	case r.failed == "":
		return "a crash of " + cmp.Or(running, "the test program")
	}
	return r.failed
}
