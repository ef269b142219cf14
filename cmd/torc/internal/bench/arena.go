package bench

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/trials"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/script"
)

// arena is a server of capture the flag with all its Lua, whose one match never
// ends, and which knows how long everything takes.
type arena struct {
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	faults  int    // of scripts
	fault   string // the first
	lost    string // why a client left

	socket *udp.Socket
	out    func(netcore.Addr, []byte)
	epoch  time.Time
	next   netcore.Time // tick
	timer  *time.Timer
	posts  chan func()   // what trials of mods have to say, run between ticks
	posted time.Duration // that it has taken

	lap   stopwatch
	parts [parts]time.Duration // of the tick that runs
	ticks []spent              // those that were measured
	on    bool                 // measure
}

// The parts of a tick, in order: those of the host, and what goes before and
// after it.
const (
	partReceive   = iota // datagrams, and what they bring
	partMoves            // done
	partSimulate         // the world's own tick
	partScripts          // events, the schedule, onTick
	partReplicate        // who sees what, and images
	partSend             // packets
	parts
)

var partNames = [parts]string{"receive", "moves", "simulation", "lua", "replicate", "send"}

// steps are the parts that the steps of a host belong to.
var steps = [engine.Steps]int{
	engine.StepReceive: partReceive, engine.StepMoves: partMoves, engine.StepSimulate: partSimulate,
	engine.StepScripts: partScripts, engine.StepReplicate: partReplicate,
}

// spent is when a tick began and what it took, by its parts: wall clock, and in
// sum also what the thread computed.
type spent struct {
	began netcore.Time
	parts [parts]time.Duration
	cpu   time.Duration
}

// stopwatch tells the time since it was last asked.
type stopwatch struct{ at time.Time }

func (s *stopwatch) lap() (d time.Duration) {
	now := time.Now()
	d, s.at = now.Sub(s.at), now
	return d
}

// newArena makes one with room for so many, with the mods that come with torc
// and those of other folders; nobody can reach it yet. All its connections pack
// on the thread that owns it.
func newArena(clients int, folders ...fs.FS) (*arena, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	classes := sim.NewClasses()
	if err := errors.Join(engine.Register(classes), game.Register(classes)); err != nil {
		return nil, err
	}
	a := &arena{epoch: time.Now(), timer: time.NewTimer(0), posts: make(chan func(), 1), console: console.New(func(string) {})}
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
		Log: a.log, Clock: a.now, Trial: trials.NewQueue(a.posts).Try,
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

// log counts what goes wrong in scripts.
func (a *arena) log(level slog.Level, msg string, _ ...any) {
	if level >= slog.LevelError {
		if a.faults++; a.faults == 1 {
			a.fault = msg
		}
	}
}

func (a *arena) listen() (err error) {
	a.socket, err = udp.Listen("127.0.0.1:0")
	a.out = func(to netcore.Addr, b []byte) { _ = a.socket.Write(to, b) }
	return err
}

func (a *arena) address() string {
	return fmt.Sprintf("%s#%s", a.socket.Addr(), a.host.Identity().Public)
}

// close tells the clients of the end.
func (a *arena) close() {
	a.host.Shutdown("")
	a.host.Send(a.now(), a.out)
	_ = a.socket.Close()
}

func (a *arena) now() netcore.Time { return time.Since(a.epoch) }

// run lets so much time pass. While clients join, what comes is answered at once;
// later the server speaks once a tick, as the rate has it.
func (a *arena) run(long time.Duration, joining bool) {
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

// wait takes in what comes until the next tick, or what is there.
func (a *arena) wait() {
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

func (a *arena) receive(p *udp.Packet) {
	a.lap.lap()
	a.host.Receive(a.now(), p.From, p.Bytes())
	p.Free()
	a.parts[partReceive] += a.lap.lap()
}

// tick is one tick of the server, at the time it was due.
func (a *arena) tick() {
	before, _ := threadCPU()
	began := a.now()
	a.lap.lap()
	a.host.Tick(a.next)
	a.lap.lap()
	a.host.Send(a.next, a.out)
	a.parts[partSend] += a.lap.lap()
	if after, _ := threadCPU(); a.on {
		a.ticks = append(a.ticks, spent{began, a.parts, after - before})
	}
	a.parts = [parts]time.Duration{}
	a.next += tickTime
}
