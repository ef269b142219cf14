package nodetest

import (
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/script/vm"
)

//go:embed mods
var ownMods embed.FS

// modFolder is the folder of the mod probe.
func modFolder() fs.FS {
	sub, err := fs.Sub(ownMods, "mods")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}

// step is the time of the network between two rounds of the programs.
const step = 8 * time.Millisecond

// system is a server, its players, and everything around them.
type system struct {
	Plan
	net      *netsim.Network
	random   *rand.Rand
	dir      string // of the data folder
	record   string // the folder for journals of the server; "" records none
	born     uint64 // programs so far
	server   *server
	players  []*player
	line     linkProfile
	hostile  *hostile
	operator operatorModel
	oracles  oracles
	calm     bool
	next     int // of the events
	failure  *Failure
}

// protos are the compiled files of all runs, which are on one goroutine.
var protos = vm.NewProtos()

// Failure is a broken rule.
type Failure struct {
	Rule string // such as "V5"
	At   time.Duration
	Text string
}

func (f *Failure) Error() string { return fmt.Sprintf("%s at %v: %s", f.Rule, f.At, f.Text) }

// Result is what a run has found.
type Result struct {
	Failure     *Failure // the first broken rule, or nil
	Hash        uint64   // of all datagrams and of all that programs printed
	ClientTime  time.Duration
	Clients     int    // clients that were started
	Ticks       uint64 // of the server's last process
	Enters      int    // joins that were completed
	Secrets     int    // commands that only keepers can run
	Convergence time.Duration
}

// Run runs a plan. dir is an empty folder for the server's files.
func Run(p Plan, dir string) Result { return Record(p, dir, "") }

// Record runs a plan like Run. Each process of the server writes a journal into the folder
// journals, unless that is "". Keys and cookies then differ from those of a run without journals.
func Record(p Plan, dir, journals string) (r Result) {
	s := newSystem(p, dir)
	s.record = journals
	defer func() {
		if v := recover(); v != nil {
			s.fail("V13", "panic: %v\n%s", v, debug.Stack())
		}
		s.close()
		r.Failure = s.failure
		r.Hash = s.net.Hash() ^ s.oracles.printed.Sum64()
		r.Clients, r.Ticks = int(s.born)-s.server.life, s.server.looked
		r.ClientTime, r.Enters, r.Secrets, r.Convergence = s.oracles.clientTime, s.oracles.enters, s.operator.secrets, s.oracles.convergence
	}()
	s.storm()
	s.settle()
	return r
}

func newSystem(p Plan, dir string) *system {
	s := &system{Plan: p, net: netsim.New(p.Seed), random: rand.New(rand.NewPCG(p.Seed, 0x73797374)), dir: dir}
	s.operator = operatorModel{banned: map[seal.Key]bool{}, bannedIP: map[string]bool{}, keepers: map[seal.Key]bool{}, names: map[string]seal.Key{}}
	s.oracles = oracles{system: s, printed: fnv.New64a()}
	s.server = newServer(s)
	s.net.Watch = s.sent
	for s.next < len(p.Events) && p.Events[s.next].At == 0 {
		s.happen() // the conditions
	}
	return s
}

// sent notes a datagram.
func (s *system) sent(now netcore.Time, from, to netcore.Addr, d []byte) {
	s.oracles.rate.sent(now, from, to, d)
	if s.hostile != nil {
		s.hostile.capture(from, to, d)
	}
}

// storm runs the events.
func (s *system) storm() {
	s.server.boot()
	for _, p := range s.players {
		p.wants = true
	}
	for s.failure == nil && !s.calm {
		for s.next < len(s.Events) && s.Events[s.next].At <= s.net.Now() {
			s.happen()
		}
		if s.next == len(s.Events) && s.net.Now() >= longestStorm+5*time.Second {
			s.endStorm() // a plan without its event calm
		}
		s.round()
	}
}

func (s *system) happen() {
	e := s.Events[s.next]
	s.next++
	actions[e.What](s, e)
}

// round advances the time by one step.
func (s *system) round() {
	s.line.update(s)
	if s.hostile != nil {
		s.hostile.act(s)
	}
	s.net.Run(s.net.Now()+step, step)
	s.server.keepRunning()
	for _, p := range s.players {
		p.keepRunning()
	}
	if s.failure == nil {
		s.oracles.step()
	}
}

// endStorm makes everything perfect: from now on the system must recover.
func (s *system) endStorm() {
	s.calm = true
	s.line.clear(s)
	s.hostile = nil
	s.operator.lift(s)
	for _, p := range s.players {
		p.wants, p.wakes = true, 0
	}
	s.server.wakes = 0
	s.server.disk.faulty, s.server.disk.worst = 0, 0
}

// fail notes the first broken rule.
func (s *system) fail(rule, format string, args ...any) {
	if s.failure == nil {
		s.failure = &Failure{rule, s.net.Now(), fmt.Sprintf(format, args...)}
	}
}

// close ends all programs.
func (s *system) close() {
	defer func() {
		if v := recover(); v != nil {
			s.fail("V13", "panic at the end: %v\n%s", v, debug.Stack())
		}
	}()
	for _, p := range s.players {
		p.end()
	}
	s.server.end()
}

// player returns a player of an event, or nil.
func (s *system) player(e Event) *player {
	if e.Who < 1 || e.Who > len(s.players) {
		return nil
	}
	return s.players[e.Who-1]
}

// machineOf returns the machine of an event: a player's, or the server's.
func (s *system) machineOf(e Event) *machine {
	if p := s.player(e); p != nil {
		return &p.machine
	}
	return &s.server.machine
}

// server is the machine of the server, with what outlives its processes.
type server struct {
	machine
	system *system
	key    seal.KeyPair
	disk   *disk
	game   string
	life   int
	looked uint64       // the newest tick that the oracles have seen
	node   *node.Server // nil: the server is down
	store  *diskView
	diary  *os.File     // the journal of this process; nil: there is none
	again  netcore.Time // when it starts
}

func newServer(s *system) *server {
	v := &server{system: s, game: "probe", key: s.identity(0)}
	v.machine = machine{net: s.net, addr: serverAddr, died: &s.born}
	v.disk = &disk{saved: map[string]map[string][]byte{}, now: s.net.Now, random: rand.New(rand.NewPCG(s.Seed, 0x6469736b))}
	s.net.Attach(serverAddr, &v.machine)
	return v
}

// identity returns the key of a player, or of the server as player 0.
func (s *system) identity(player int) seal.KeyPair {
	var key [32]byte
	key[0], key[1], key[2], key[3], key[4] = byte(s.Seed), byte(s.Seed>>8), byte(s.Seed>>16), byte(player), 1
	id, err := seal.NewIdentity(rand.NewChaCha8(key))
	if err != nil {
		panic(err) // the randomness never fails
	}
	return id
}

// boot starts a process of the server.
func (v *server) boot() {
	v.life++
	v.looked = 0
	v.store = &diskView{disk: v.disk}
	e := v.edge(v.system.Seed, func(to netcore.Addr, d []byte) { v.net.Send(serverAddr, to, d) })
	e.Store = v.store
	seed := v.system.Seed + uint64(v.life)
	load := []string{"probe"}
	vars := []node.Var{{Name: "probe.life", Value: fmt.Sprint(v.life)}}
	cfg := node.Config{
		Common: node.Common{Name: "server", Seed: &seed, Identity: &v.key, Data: v.system.dir, Strict: true, Mods: []fs.FS{modFolder()}, Register: registerPuppet, Hooks: node.Hooks{BeforeTick: v.look}, Output: v.system.oracles.serverPrinted, Log: v.system.oracles.logOf("server")},
		Server: node.ServerConfig{Restarts: true, MaxClients: 16},
	}
	switch v.game {
	case "probe":
		cfg.Server.Mission = "one"
		vars = append(vars, node.Var{Name: "probe.puppets", Value: "true"})
	default:
		load = append(load, v.game)
		vars = append(vars, node.Var{Name: "sv.bots", Value: "2"})
	}
	cfg.Server.Load, cfg.Vars = load, vars
	var err error
	if cfg.Server.Journal, err = v.openJournal(); err != nil {
		v.system.fail("journal", "%v", err)
		return
	}
	if v.node, err = node.NewServerOn(cfg, e); err != nil {
		v.system.fail("start", "the server: %v", err)
		return
	}
	v.runs = v
	v.system.oracles.booted()
}

// look lets the oracles see the world after a tick.
func (v *server) look() {
	if v.node == nil {
		return
	}
	if tick := v.node.Host().TickNumber(); tick != v.looked {
		v.looked = tick
		v.system.oracles.ticked(v.node.Host().World())
	}
}

func (v *server) receive(from netcore.Addr, d []byte) { v.node.Receive(from, d) }

func (v *server) step() {
	if err := v.node.Step(); err != nil {
		if err != node.ErrRestart {
			v.system.fail("end", "the server has ended: %v", err)
		}
		v.end()
		v.again = v.net.Now() + time.Second
		return
	}
	v.node.Due() // programs ask, and replays do not: the question must change nothing
	v.look()
}

// keepRunning starts the server if it is down.
func (v *server) keepRunning() {
	if v.node == nil && v.net.Now() >= v.again && v.system.failure == nil {
		v.boot()
	}
}

// end ends the process in order.
func (v *server) end() {
	if v.node == nil {
		return
	}
	n := v.node
	v.node, v.runs = nil, nil
	if err := n.Close(); err != nil {
		v.system.fail("end", "the server does not close: %v", err)
	}
	v.closeJournal()
	v.store.finish()
	v.system.oracles.storage.ended(true)
}

// kill ends the process at once.
func (v *server) kill() {
	if v.node == nil {
		return
	}
	n := v.node
	v.node, v.runs, v.held = nil, nil, nil
	v.store.crash()
	v.system.oracles.storage.ended(false)
	_ = n.Close() // gives the memory and the data folder back
	v.closeJournal()
	v.again = v.net.Now() + time.Second
}

// exec runs a line on the server's console. The result is "" while the server is down.
func (v *server) exec(line string) string {
	if v.node == nil || !v.node.Ready() {
		return ""
	}
	out, err := v.node.Console().Exec(line)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.TrimSpace(out)
}
