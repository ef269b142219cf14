package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"runtime"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/modtrial"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// scenario is a capture-the-flag server with all its Lua and one match without end. It measures how
// long each part of a tick takes.
type scenario struct {
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	faults  int    // script errors
	fault   string // the first error
	lost    string // reason of the last disconnect

	loop
	posted time.Duration // time spent on the results of mod tests

	packers packers
	lapped  time.Duration        // CPU time of this thread at the last lap
	parts   [parts]time.Duration // of the current tick
	ticks   []tickTimes          // the measured ticks
	on      bool                 // measure ticks
	packed  time.Duration        // CPU time of the packing of all measured ticks
	views   *views               // of a match with players; can be nil
}

// The parts of a tick, in order. They cover the host's steps, and receiving and sending around
// them. So they are all CPU time of the owner's thread, with one change: what it spends in packing
// counts as what the worker with the most spends.
const (
	partReceive   = iota // wait for datagrams and process them
	partMoves            // apply moves
	partSimulate         // tick the world's objects
	partScripts          // events, schedule, onTick
	partReplicate        // scoping and snapshots
	partSend             // write packets
	parts
)

var partNames = [parts]string{"receive", "moves", "simulation", "lua", "replicate", "send"}

// steps maps the steps of a host to the parts of a tick.
var steps = [engine.Steps]int{
	engine.StepReceive: partReceive, engine.StepMoves: partMoves, engine.StepSimulate: partSimulate,
	engine.StepScripts: partScripts, engine.StepReplicate: partReplicate,
}

// tickTimes is the start of a tick, and the CPU time of its parts.
type tickTimes struct {
	began netcore.Time
	parts [parts]time.Duration
}

// lap adds the CPU time since the last lap to a part of the tick. In a fork, that of the slowest
// worker counts. It returns the time of all workers.
func (a *scenario) lap(part int) time.Duration {
	now := ownCPU()
	own, slowest, all := a.packers.lap()
	a.parts[part] += now - a.lapped - own + slowest
	a.lapped = now
	return all
}

// newScenario returns a server for up to clients players, with torc's own mods, and some of those
// in folder, which can be nil. It has no socket yet.
func newScenario(clients int, folder fs.FS, names ...string) (*scenario, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	classes, err := matchClasses()
	if err != nil {
		return nil, err
	}
	a := &scenario{
		console: console.New(func(string) {}),
		loop:    loop{epoch: time.Now(), timer: time.NewTimer(0), posts: make(chan func(), 1)},
	}
	a.begin, a.work = func() { a.lapped = ownCPU() }, a.serve
	a.host = engine.NewHost(engine.Config{
		Server: true, Name: "bench", MaxClients: clients, JoinTimeout: joinMost,
		Classes: classes, Identity: id, Entropy: rand.Reader, Seed: 1,
		Ended:    func(_ *engine.Connection, reason string) { a.lost = reason },
		Probe:    func(done engine.Step) { a.lap(steps[done]) },
		Parallel: a.packers.parallel,
	})
	a.serves = a.host
	if err := a.host.Bind(a.console); err != nil {
		return nil, err
	}
	folders := []fs.FS{mods.FS()}
	if folder != nil {
		folders = append(folders, folder)
	}
	a.scripts, err = script.NewScripts(script.Setup{
		Engine: a.host, Console: a.console, Mods: folders, Seed: 1, Echo: func(string) {},
		Log: a.log, Clock: a.now, RunTests: a.trial, Protos: compiled.Protos(), Parts: script.NewParts(nil),
	})
	if err != nil {
		return nil, err
	}
	a.host.SetScripts(a.scripts.Hooks())
	if err := errors.Join(a.scripts.LoadMods(append([]string{"base", "ctf"}, names...)...)...); err != nil {
		return nil, err
	}
	a.host.SetMods(a.scripts.ModInfos())
	for _, line := range []string{"ctf.warmup = 0", "ctf.timeLimit = 1440", "ctf.scoreLimit = 100"} {
		if _, err := a.console.Exec(line); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// trial runs the tests of a mod beside the server, as a server of torc does.
func (a *scenario) trial(mod string, folders []fs.FS, untested bool, done func(*vm.Protos, error)) {
	go func() {
		compiled, err := modtrial.For(node.Common{})(context.Background(), folders, mod, untested)
		a.posts <- func() {
			began := a.now()
			done(compiled, err)
			a.posted += a.now() - began
		}
	}()
}

// log counts script errors.
func (a *scenario) log(level slog.Level, msg string, _ ...any) {
	if level >= slog.LevelError {
		if a.faults++; a.faults == 1 {
			a.fault = msg
		}
	}
}

// close disconnects the clients and closes the socket.
func (a *scenario) close() {
	a.loop.close()
	a.packers.close()
}

// run serves on one thread, whose CPU time is measured.
func (a *scenario) run(long time.Duration, joining bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a.lapped = ownCPU()
	defer a.lap(partReceive)
	return a.loop.run(long, joining)
}

// serve runs one server tick. The host gets the tick's due time instead of the current time.
func (a *scenario) serve() {
	began := a.now()
	a.lap(partReceive)
	a.host.Tick(a.next)
	a.host.Send(a.next, a.out)
	packed := a.lap(partSend)
	if a.on {
		a.ticks = append(a.ticks, tickTimes{began, a.parts})
		a.packed += packed
	}
	if a.views != nil {
		a.views.record(a.host)
	}
	a.parts, a.lapped = [parts]time.Duration{}, ownCPU()
}
