package modtrial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/trial"
	"github.com/torc-engine/torc/script/vm"
)

// Longest is the maximum length of a test, in virtual time.
const Longest = 10 * time.Minute

// maxTicks is Longest in ticks.
const maxTicks = int(Longest / engine.TickTime)

// Options select the tests.
type Options struct {
	Folders  []fs.FS        // of mods; for the same name, the later folder wins
	Mod      string         // whose tests
	With     []string       // mods that the server loads besides, such as a game
	Untested bool           // only load the mod
	Only     *regexp.Regexp // only tests whose names match; nil: all
	Seed     uint64         // 0 selects 1
	Each     func(Result)   // called with each result at once; can be nil

	// Register adds the Go classes of a program, as node.Common.Register; nil: none.
	Register func(classes *sim.Classes) error
	// Commands are the commands of a program, as node.Common.Commands. Mods can call them, and need
	// the same permissions. They do nothing, because they belong to the game that plays.
	Commands []console.Command
	// Events are the events of a program, as node.Common.Events; nil: none.
	Events []engine.CustomKind

	// Timeout is the wall time after which the running test fails and no further test starts; 0:
	// none.
	Timeout time.Duration
	// Context ends the run in the same way; nil: never.
	Context context.Context
	// Protos gets the compiled files. All sides of the tests are on one goroutine, so they share
	// it; nil: the run makes its own.
	Protos *vm.Protos
	// Throttle makes the tests rest as long as they run, because a server plays in this process.
	Throttle bool
}

// Result is the result of a test.
type Result struct {
	File  string // its path on the disk, or "mods/ctf/test/flags_test.lua"
	Name  string // "" if the file itself has failed
	Err   error  // nil if the test has passed
	Trace string // traceback of the error; "" if unknown
	Log   []string
	Took  time.Duration // wall time
	Ticks int           // of the test
}

// Run runs the tests of a mod and returns their results in order. Each file has a server of its
// own. It fails if there is no such mod, or if the mod does not load. A mod without tests is only
// loaded.
func Run(o Options) ([]Result, error) {
	if o.Seed == 0 {
		o.Seed = 1
	}
	installed, bad := manifest.Discover(o.Folders...)
	mod := installed[o.Mod]
	if mod == nil {
		_, err := manifest.Order(installed, o.Mod)
		if err = manifest.Explain(err, bad, o.Folders...); !slices.Contains(bad, err) {
			bad = append(bad, err)
		}
		return nil, errors.Join(bad...)
	}
	files, err := fs.Glob(mod.FS, "test/*_test.lua")
	if err != nil {
		return nil, err
	}
	r, err := newRunner(o)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 || o.Untested {
		_, err := newTestServer(r)
		return nil, err
	}
	for _, file := range files {
		if err := r.file(file); err != nil {
			return r.results, err
		}
	}
	return r.results, nil
}

// runner is a run in progress.
type runner struct {
	Options
	// Of all sides, which are on one goroutine:
	classes *sim.Classes
	protos  *vm.Protos
	parts   *script.Parts

	began    time.Time
	throttle *throttle // nil unless the tests are throttled
	results  []Result
}

func newRunner(o Options) (*runner, error) {
	if o.Protos == nil {
		o.Protos = core.NewProtos()
	}
	classes, err := core.NewClasses(o.Register)
	if err != nil {
		return nil, err
	}
	r := &runner{Options: o, classes: classes, protos: o.Protos, parts: script.NewParts(plural.For).Keep(), began: time.Now()}
	if o.Throttle {
		r.throttle = newThrottle()
	}
	return r, nil
}

// file runs the tests of one file.
func (r *runner) file(name string) error {
	s, err := newTestServer(r)
	if err != nil {
		return err
	}
	mod := s.scripts.Runtime.Mod(r.Mod)
	full, began := path.Join(mod.Dir(), name), time.Now()
	tests, err := s.scripts.LoadTests(mod, name)
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

// test runs one test. Afterwards its clients leave. An error that is logged meanwhile belongs to
// this test, not to the next one.
func (r *runner) test(s *testServer, file string, t *trial.Test) Result {
	began := time.Now()
	s.forgetWarnings()
	ticks, err := r.play(s, t)
	took := time.Since(began)
	t.DisconnectAll()
	s.settle()
	calls := trace(err)
	if err == nil {
		calls, err = s.unread()
	}
	return Result{File: file, Name: t.Name, Err: err, Trace: calls, Log: s.takeLog(), Took: took, Ticks: ticks}
}

// play runs a test to its end, tick by tick.
func (r *runner) play(s *testServer, t *trial.Test) (ticks int, err error) {
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

// trace returns the traceback of a Lua error.
func trace(err error) string {
	var e *vm.Error
	if errors.As(err, &e) {
		return e.Traceback
	}
	return ""
}
