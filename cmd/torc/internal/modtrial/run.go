package modtrial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// Longest is how long a test may take, in the time of its server.
const Longest = 10 * time.Minute

// maxTicks is Longest in ticks.
const maxTicks = int(Longest / engine.TickTime)

// Options say what to test.
type Options struct {
	Folders []fs.FS        // of mods; a later one wins a name
	Mod     string         // whose tests
	Only    *regexp.Regexp // tests whose names it does not match are left out; nil is none
	Seed    uint64         // 0 is 1
	Each    func(Result)   // told each result at once; may be nil

	// Timeout is the wall time after which no further test begins and the running test is given up; 0 is none.
	Timeout time.Duration
	// Context ends the run in the same way; nil never does.
	Context context.Context
	// Throttle makes the tests rest as long as they run, because a server plays in this process.
	Throttle bool
}

// Result is what has become of a test.
type Result struct {
	File  string // "mods/ctf/test/flags_test.lua"
	Name  string // "" if the file itself has failed
	Err   error  // nil if the test has passed
	Trace string // the calls in progress when it failed, a line each; "" if unknown
	Log   []string
	Took  time.Duration // wall time
	Ticks int           // that passed in the test
}

// Run runs the tests of a mod, file by file, each on a server of its own, and returns what has become of them in order.
// The error is that there is no such mod, or that it does not load; one without tests is loaded all the same.
func Run(o Options) ([]Result, error) {
	if o.Seed == 0 {
		o.Seed = 1
	}
	installed, bad := manifest.Discover(o.Folders...)
	mod := installed[o.Mod]
	if mod == nil {
		_, err := manifest.Order(installed, o.Mod)
		return nil, errors.Join(append(bad, err)...)
	}
	files, err := fs.Glob(mod.FS, "test/*_test.lua")
	if err != nil {
		return nil, err
	}
	r := &runner{Options: o, protos: vm.NewProtos(), began: time.Now()}
	if o.Throttle {
		r.throttle = newThrottle()
	}
	if len(files) == 0 && !o.Throttle { // the server that plays loads it anyway
		_, err := newStage(r)
		return nil, err
	}
	for _, file := range files {
		if err := r.file(file); err != nil {
			return r.results, err
		}
	}
	return r.results, nil
}

// runner is a run under way.
type runner struct {
	Options
	protos   *vm.Protos // of all sides, which are on one goroutine
	began    time.Time
	throttle *throttle // nil unless the tests are throttled
	results  []Result
}

// file runs the tests of one file.
func (r *runner) file(name string) error {
	s, err := newStage(r)
	if err != nil {
		return err
	}
	full := path.Join("mods", r.Mod, name)
	began := time.Now()
	tests, err := s.scripts.LoadTests(s.scripts.Mod(r.Mod), name)
	if err != nil {
		r.add(Result{File: full, Err: err, Trace: trace(err), Log: s.lines(), Took: time.Since(began)})
		return nil
	}
	s.settle()
	for _, t := range tests {
		if r.Only != nil && !r.Only.MatchString(t.Name) {
			continue
		}
		r.add(r.test(s, full, t))
	}
	return nil
}

func (r *runner) add(result Result) {
	r.results = append(r.results, result)
	if r.Each != nil {
		r.Each(result)
	}
}

// test runs one test and has its clients leave.
func (r *runner) test(s *stage, file string, t *script.Test) Result {
	began := time.Now()
	s.forgetLog()
	ticks, err := r.play(s, t)
	calls := trace(err)
	if err == nil {
		calls, err = s.unread()
	}
	result := Result{File: file, Name: t.Name, Err: err, Trace: calls, Log: s.lines(), Took: time.Since(began), Ticks: ticks}
	t.DisconnectAll()
	s.settle()
	return result
}

// play goes on with a test until it is done, tick by tick.
func (r *runner) play(s *stage, t *script.Test) (ticks int, err error) {
	for {
		if done, err := t.Step(); done {
			return ticks, err
		}
		if ticks++; ticks > maxTicks {
			return ticks - 1, fmt.Errorf("%s: the test has not ended after %v of its time", t.WaitText(), Longest)
		}
		if r.Timeout > 0 && time.Since(r.began) > r.Timeout {
			return ticks, fmt.Errorf("%s: the tests have not ended after %v", t.WaitText(), r.Timeout)
		}
		if r.Context != nil && r.Context.Err() != nil {
			return ticks, fmt.Errorf("%s: %w", t.WaitText(), r.Context.Err())
		}
		s.tick()
	}
}

// trace is the traceback of an error of Lua.
func trace(err error) string {
	var e *vm.Error
	if errors.As(err, &e) {
		return e.Traceback
	}
	return ""
}
