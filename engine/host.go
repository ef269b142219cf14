package engine

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// TickMs is the length of a simulation step in milliseconds (features.md L1).
const TickMs = 32

// TickTime is TickMs as a duration.
const TickTime = TickMs * time.Millisecond

// Config says what a Host is. The zero value of a field is its default.
type Config struct {
	Server     bool         // may be called by others
	Name       string       // server's name, or player's
	Password   string       // of the server, "" for none
	MaxClients int          // default 128
	Mods       []ModInfo    // told to whoever joins
	Classes    *sim.Classes // what exists; both sides must agree
	Seed       uint64       // of everything random in the simulation

	Identity seal.Identity
	Entropy  io.Reader // for keys and cookies
	Mutual   bool      // both sides of its connections serve each other

	// Parallel calls f for every number below n, at once if it can; nil does it
	// one after the other. The connections of a host Send in it.
	Parallel func(n int, f func(i int))
	// Unseen says that nobody looks at this host's ghosts, as of a client that a
	// program plays: they do not move between updates.
	Unseen bool
	// Whole sends no update relative to what the peer has, for measuring.
	Whole bool

	// JoinTimeout is how long a join may stand still; default 5 s.
	JoinTimeout time.Duration

	// Resolve turns HOST:PORT into an address; nil refuses every connect.
	Resolve func(hostport string) (netcore.Addr, error)
	// Trust decides on a server key that was not pinned in the address.
	Trust func(address string, k seal.Key) error

	Log *slog.Logger

	// Probe is told the end of each step of a tick, for measuring; nil costs
	// nothing. It must not touch the host.
	Probe func(done Step)

	// What the edge wants to know; nil is nothing.
	Entered func(c *Connection)                // a join of ours is complete
	Ended   func(c *Connection, reason string) // a connection has ended
	Failed  func(address, reason string)       // a connect of ours has failed
}

func (c *Config) setDefaults() {
	if c.MaxClients == 0 {
		c.MaxClients = 128
	}
	if c.JoinTimeout == 0 {
		c.JoinTimeout = 5 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// A Host is a server or a client: an endpoint, a world, connections, scripts.
type Host struct {
	Settings Settings // console variables; Bind's setters apply them

	cfg      Config
	netLog   netcore.Log
	budget   netcore.Budget
	endpoint *netcore.Endpoint
	world    *sim.World
	images   *images
	scope    *scope
	schedule *sim.Schedule
	scripts  Scripts
	conns    []*Connection // in id order
	dialing  *dialing
	moves    func(c *Connection) sim.Move // of this side's own control object; nil: the pilot's

	lastAddress string // of the last Connect, for reconnect
	lastArgs    ConnectArgs

	lanes      map[string]uint16
	expander   expander
	noise      limiter
	kinds      *netcore.Kinds
	spare      *command                                               // for emptyCommand
	scratch    []byte                                                 // in which blocks are written; see room
	reader     bitstream.Reader                                       // with which they are read
	control    [(netcore.MaxControlState + 7) / 8]byte                // in which control states are written,
	writer     bitstream.Writer                                       // and with what
	unresolved bool                                                   // the control state that was read last names what is not here
	happened   func(o sim.Object, name string, args []sim.Value) bool // tells scripts of an event, made once
	tick       uint64
	now        netcore.Time // as of the last verb
	inbox      []func()     // what the endpoint told between ticks, for the next one
}

// NewHost makes a host whose world holds the root groups and nothing else.
func NewHost(cfg Config) *Host {
	cfg.setDefaults()
	cfg.Classes = cfg.Classes.Session()
	h := &Host{
		Settings: DefaultSettings(),
		cfg:      cfg,
		budget:   netcore.Budget{Max: 32 << 20},
		world:    sim.NewWorld(cfg.Classes),
		scripts:  NoScripts{},
		lanes:    map[string]uint16{},
	}
	h.kinds = newKinds(h.emptyCommand)
	h.schedule = sim.NewSchedule(h.world)
	h.schedule.Busy = func(mod string) bool { return h.scripts.Sated(mod) }
	h.images = newImages(h)
	h.scope = newScope(h)
	h.happened = func(o sim.Object, name string, args []sim.Value) bool { return h.scripts.Event(o, name, args) }
	h.world.Unseen = cfg.Unseen
	h.world.OnAdded = h.added
	h.world.OnRemoved = h.removed
	h.world.OnUndone = h.undone
	h.world.OnMoved = h.moved
	h.endpoint = netcore.NewEndpoint(netcore.Config{
		Identity:  cfg.Identity,
		Entropy:   cfg.Entropy,
		Accepting: cfg.Server,
		Classes:   cfg.Classes.Hash() ^ kinds.Hash(),
		Game:      "torc",
		Log:       &h.netLog,
		Parallel:  cfg.Parallel,
		Decide:    h.decide,
		Streams:   h.streams,
		Connected: h.connected,
		Ended:     h.connEnded,
		Failed:    h.dialFailed,
	})
	h.netLog.Print = func(line string) { h.cfg.Log.Info(line) }
	h.Apply()
	return h
}

// SetScripts sets who is called from Tick. Call it before the first verb.
func (h *Host) SetScripts(s Scripts) { h.scripts = s }

// SetMods sets the mods that whoever joins is told of.
func (h *Host) SetMods(mods []ModInfo) { h.cfg.Mods = mods }

// Mods are the mods that whoever joins is told of.
func (h *Host) Mods() []ModInfo { return h.cfg.Mods }

// Receive takes a datagram. now is the time since the process began.
func (h *Host) Receive(now netcore.Time, from netcore.Addr, datagram []byte) {
	h.now = now
	h.endpoint.Receive(now, from, datagram)
}

// Tick advances the simulation by one step.
func (h *Host) Tick(now netcore.Time) {
	h.now = now
	h.scripts.BeginTick()
	h.endpoint.Tick(now)
	h.tick++
	h.drain()
	h.watchJoins()
	h.probe(StepReceive)
	h.steer()
	h.probe(StepMoves)
	h.world.Tick(h.tick)
	h.probe(StepSimulate)
	h.deliver()
	h.schedule.Run(h.Now())
	h.scripts.Tick(h.tick)
	h.deliver()
	h.probe(StepScripts)
	h.world.Sweep()
	h.replicate()
	h.probe(StepReplicate)
}

// added takes in an object that has come into the world.
func (h *Host) added(o sim.Object) {
	h.images.add(o)
	h.scripts.Added(o)
}

// removed lets go of an object that leaves the world.
func (h *Host) removed(o sim.Object) {
	h.schedule.CancelOwner(sim.Owner{Object: o.Ident().ID()})
	h.scripts.Removed(o)
	h.images.remove(o)
	if c, ok := o.(*Connection); ok { // of which nothing must be left, with whatever it was deleted
		c.Disconnect("its object was deleted")
	}
}

// drain takes in what has come since the last tick: first what the endpoint
// told, then each connection's own, in id order. What scripts have no time left
// for stays.
func (h *Host) drain() {
	done := 0
	for ; done < len(h.inbox) && !h.scripts.Busy(); done++ {
		h.inbox[done]()
	}
	rest := copy(h.inbox, h.inbox[done:])
	clear(h.inbox[rest:])
	h.inbox = h.inbox[:rest]
	for i := 0; i < len(h.conns); i++ {
		h.conns[i].drain()
	}
}

// watchJoins ends joins that stand still.
func (h *Host) watchJoins() {
	for _, c := range h.conns {
		if c.watch(); c.overdue() {
			c.Disconnect(fmt.Sprintf("the join stood still for %v in phase %s", h.cfg.JoinTimeout, c.phase))
		}
	}
}

// steer does the moves of this tick: those of peers and bots here, then those
// of this side for what it controls at its peers'.
func (h *Host) steer() {
	for _, c := range h.conns {
		c.steer()
	}
	for i := 0; i < len(h.conns); i++ { // scripts may change them
		h.conns[i].predict()
	}
}

// deliver tells scripts what has happened to objects, as far as they have time.
func (h *Host) deliver() { h.world.Deliver(h.happened) }

// Send lets every connection fill the packets that its rate allows.
func (h *Host) Send(now netcore.Time, out func(to netcore.Addr, datagram []byte)) {
	h.now = now
	for _, c := range h.conns {
		c.pull()
	}
	h.endpoint.Send(now, out)
}

// Due is when Send is next wanted. The edge adds its own tick clock.
func (h *Host) Due(now netcore.Time) netcore.Time { return h.endpoint.Due(now) }

// World is the host's world; it changes only inside Tick.
func (h *Host) World() *sim.World { return h.world }

// Schedule holds the events on simulation time.
func (h *Host) Schedule() *sim.Schedule { return h.schedule }

// Now is simulation time in milliseconds: 32 for each tick so far.
func (h *Host) Now() int64 { return int64(h.tick) * TickMs }

// TickNumber counts the ticks so far.
func (h *Host) TickNumber() uint64 { return h.tick }

// IsServer reports whether this host may be called.
func (h *Host) IsServer() bool { return h.cfg.Server }

// Identity is this host's own key.
func (h *Host) Identity() seal.Identity { return h.cfg.Identity }

// Connections are the connections in id order; the slice is the host's own.
func (h *Host) Connections() []*Connection { return h.conns }

// Connection finds a connection by its object id, or nil.
func (h *Host) Connection(id sim.ID) *Connection {
	c, _ := h.world.Find(id).(*Connection)
	return c
}

// Server is the connection this host has made itself, its server, or nil.
func (h *Host) Server() *Connection {
	for _, c := range h.conns {
		if !c.called {
			return c
		}
	}
	return nil
}

// Shutdown ends every connection and tells the peers why. Send must still be
// called a few times for them to hear of it.
func (h *Host) Shutdown(reason string) {
	h.endpoint.SetAccepting(false)
	h.CancelConnect()
	for _, c := range h.conns {
		if c.bot {
			c.Disconnect(reason)
		}
	}
	h.endpoint.Close(h.now, netcore.Reason{Code: netcore.ShuttingDown, Text: reason})
}

// lane is the fair queue of a mod's commands.
func (h *Host) lane(mod string) uint16 {
	n, ok := h.lanes[mod]
	if !ok {
		n = uint16(len(h.lanes))
		h.lanes[mod] = n
	}
	return n
}

func (h *Host) log(msg string, args ...any) { h.cfg.Log.Warn(msg, args...) }

// complain logs what a peer caused, at most ten times a second of one cause.
// The rest costs nothing.
func (c *Connection) complain(cause, key, text string) {
	if c.host.noise.allow(cause, c.host.Now()) {
		c.host.cfg.Log.Warn(cause, "connection", uint32(c.ID()), key, text)
	}
}

var errNoResolver = errors.New("this host cannot make connections")
