package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
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

	socket *udp.Socket
	out    func(netcore.Addr, []byte)
	epoch  time.Time
	next   netcore.Time // time of the next tick
	timer  *time.Timer
	posts  chan func()   // results of mod tests, run between ticks
	posted time.Duration // time spent on them

	lap   stopwatch
	parts [parts]time.Duration // of the current tick
	ticks []tickTimes          // the measured ticks
	on    bool                 // measure ticks
}

// The parts of a tick, in order. They cover the host's steps, and receiving and sending around
// them.
const (
	partReceive   = iota // read and process datagrams
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

// tickTimes is the start of a tick and the wall-clock time of its parts. cpu is the CPU time of the
// thread over the whole tick.
type tickTimes struct {
	began netcore.Time
	parts [parts]time.Duration
	cpu   time.Duration
}

// stopwatch returns the time since its last lap.
type stopwatch struct{ at time.Time }

func (s *stopwatch) lap() (d time.Duration) {
	now := time.Now()
	d, s.at = now.Sub(s.at), now
	return d
}

// newScenario returns a server for up to clients players, with torc's own mods and those in
// folders. It has no socket yet. Packets of all connections are built on the calling thread.
func newScenario(clients int, folders ...fs.FS) (*scenario, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	classes := sim.NewClasses()
	if err := errors.Join(engine.Register(classes), game.Register(classes)); err != nil {
		return nil, err
	}
	a := &scenario{epoch: time.Now(), timer: time.NewTimer(0), posts: make(chan func(), 1), console: console.New(func(string) {})}
	a.host = engine.NewHost(engine.Config{
		Server: true, Name: "bench", MaxClients: clients, JoinTimeout: joinMost,
		Classes: classes, Identity: id, Entropy: rand.Reader, Seed: 1,
		Ended: func(_ *engine.Connection, reason string) { a.lost = reason },
		Probe: func(done engine.Step) { a.parts[steps[done]] += a.lap.lap() },
	})
	if err := a.host.Bind(a.console); err != nil {
		return nil, err
	}
	folders = append([]fs.FS{mods.FS()}, folders...)
	a.scripts, err = script.NewScripts(script.Setup{
		Engine: a.host, Console: a.console, Mods: folders, Seed: 1, Echo: func(string) {},
		Log: a.log, Clock: a.now, RunTests: a.trial,
	})
	if err != nil {
		return nil, err
	}
	a.host.SetScripts(a.scripts)
	if err := errors.Join(a.scripts.LoadMods("base", "ctf")...); err != nil {
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
		a.posts <- func() { done(compiled, err) }
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

func (a *scenario) listen() (err error) {
	a.socket, err = udp.Listen("127.0.0.1:0")
	a.out = func(to netcore.Addr, b []byte) { _ = a.socket.Write(to, b) }
	return err
}

func (a *scenario) address() string {
	return fmt.Sprintf("%s#%s", a.socket.Addr(), a.host.Identity().Public)
}

// close disconnects the clients and closes the socket.
func (a *scenario) close() {
	a.host.Shutdown("")
	a.host.Send(a.now(), a.out)
	_ = a.socket.Close()
}

func (a *scenario) now() netcore.Time { return time.Since(a.epoch) }

// run serves for the given time. While clients join, the server also sends between ticks. Later it
// sends once per tick, as the rate limit requires.
func (a *scenario) run(long time.Duration, joining bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := a.now() + long; a.now() < end; {
		a.wait()
		switch {
		case a.now() >= a.next:
			a.tick()
		case joining:
			a.host.Send(a.now(), a.out)
		}
	}
}

// wait waits for packets and posts until the next tick is due, then reads the queued packets.
func (a *scenario) wait() {
	a.timer.Reset(max(0, a.next-a.now()))
	select {
	case p, open := <-a.socket.Packets():
		if open {
			a.receive(p)
		}
	case post := <-a.posts:
		began := a.now()
		post()
		a.posted += a.now() - began
	case <-a.timer.C:
	}
	for range eventsAhead {
		select {
		case p, open := <-a.socket.Packets():
			if !open {
				return
			}
			a.receive(p)
		default:
			return
		}
	}
}

func (a *scenario) receive(p *udp.Packet) {
	a.lap.lap()
	a.host.Receive(a.now(), p.From, p.Bytes())
	p.Free()
	a.parts[partReceive] += a.lap.lap()
}

// tick runs one server tick. The host gets the tick's due time instead of the current time.
func (a *scenario) tick() {
	before, _ := threadCPU()
	began := a.now()
	a.lap.lap()
	a.host.Tick(a.next)
	a.lap.lap()
	a.host.Send(a.next, a.out)
	a.parts[partSend] += a.lap.lap()
	if after, _ := threadCPU(); a.on {
		a.ticks = append(a.ticks, tickTimes{began, a.parts, after - before})
	}
	a.parts = [parts]time.Duration{}
	a.next += tickTime
}
