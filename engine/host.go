package engine

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
)

// TickMs is the length of a simulation step in milliseconds.
const TickMs = 32

// TickTime is TickMs as a duration.
const TickTime = TickMs * time.Millisecond

// Config configures a Host. The zero value of a field selects its default.
type Config struct {
	Server     bool         // accept inbound connections
	Name       string       // name of the server or player
	Language   string       // of the player, at most 16 bytes; "" is DefaultLanguage
	Password   string       // server password, "" for none
	MaxClients int          // default 128
	Mods       []ModInfo    // sent to every client that joins
	Classes    *sim.Classes // the known classes; both sides must agree on those that moves need
	Events     []CustomKind // the program's own; CheckEvents says which ones are valid
	Seed       uint64       // of all random numbers of the simulation

	Identity seal.KeyPair
	Entropy  io.Reader // for keys and cookies
	Mutual   bool      // both sides of its connections send objects
	LocalWeb bool      // the limits by address do not apply to browsers at loopback addresses

	// Parallel calls f for every number below n, in parallel if possible. nil calls it in sequence.
	// Connections build their packets in it, and update their visible sets.
	Parallel func(n int, f func(worker, i int))
	// NoInterpolation means that no person watches this host's ghosts, as for a bot client. Ghosts
	// then do not move between updates.
	NoInterpolation bool
	// NoDeltas disables delta updates, for measurements.
	NoDeltas bool

	// Solve solves the puzzle of a server under attack, and calls done once, on the goroutine that
	// owns the host. If it is nil, each tick does a part of the work.
	Solve func(p seal.Puzzle, done func(solution uint64))

	// JoinTimeout is how long a join can make no progress; default 5 s. It is twice as long until
	// the first packet of this side is known to have arrived. For a peer that has played before it
	// is at least Settings.Timeout.
	JoinTimeout time.Duration

	// Resolve turns HOST:PORT into addresses; nil refuses every connect.
	Resolve Resolver
	// Pages asks the pages of links where their servers are; nil refuses links.
	Pages Pages
	// Trust decides on a server key that the address does not pin.
	Trust func(address string, k seal.Key) error

	Log *slog.Logger

	// Keys gets the keys of each session of this host, for a capture (netcore.Config.Keys). It is
	// nil in normal operation.
	Keys func(from netcore.Addr, k seal.SessionKeys)

	// Probe is called at the end of each step of a tick, for measurements. nil costs nothing. Probe
	// must not use the host.
	Probe func(done Step)

	// Streams replaces the streams of each new connection, for attacks in tests. nil keeps them.
	Streams func(own []netcore.Stream) []netcore.Stream

	// Journaled means that a journal has all inputs of this server. Voice is then off without
	// sv.voiceJournal.
	Journaled bool
	// MayTalk says whether a client can talk; nil: every client can.
	MayTalk func(c *Connection) voice.Permit
	// Heard gets the frames that this client hears, at their arrival; nil discards them. It must
	// not use the host.
	Heard func(VoiceFrame)
	// Speak returns what this client says, once a tick while the server lets it talk; nil says
	// nothing.
	Speak func() []Speech
	// VoiceRules gets the rules for voice whenever the server tells them. It must not use the host.
	VoiceRules func(c *Connection, r VoiceRules)

	// Forms gets the forms that this client shows whenever they change: the oldest first, none at
	// the end of the connection. It must not change them, nor use the host.
	Forms func(c *Connection, shown []*form.Form)
	// Elements gets the parts of the HUD that this client shows whenever they change: the oldest
	// first, none at the end of the connection. None of them ever changes. It must not change the
	// list, nor use the host.
	Elements func(c *Connection, shown []*form.Element)
	// Binds gets the keys that mods ask this client for whenever they change, by mod and name; none
	// at the end of the connection. It must not use the host.
	Binds func(c *Connection, asked []Bind)

	// SealTicket makes the ticket of a transfer for a client, for the server with the key to. nil:
	// this server transfers nobody. OpenTicket opens the ticket of another server that a client
	// presents, once; the error says why it does not count, to the client. nil: this server takes
	// nobody.
	SealTicket func(to, client seal.Key, data []byte) ([]byte, error)
	OpenTicket func(ticket []byte, client seal.Key) (Arrival, error)
	// Onward returns the order to go to another server, for the players of this one while it
	// drains. to names the server; "" leaves the choice to Onward, but for the names of orders that
	// were tried. sent says how many players were ordered to a name so far. The error says why
	// there is no server, and nil knows none. It must not use the host otherwise.
	Onward func(to string, tried []string, sent func(name string) int) (TransferOrder, error)
	// Transfer gets the order of this client's server to go to another one. The program answers
	// with Connection.AnswerTransfer, within 23 s or as late as a minute after
	// Connection.AcceptTransfer. It must not use the host otherwise. nil: this client cannot be
	// transferred.
	Transfer func(c *Connection, o TransferOrder)

	// MayMove reports whether a client can go on with another address; nil allows every address.
	MayMove func(c *Connection, address string) bool

	// Reports to the program; nil reports nothing.
	Entered func(c *Connection)                    // an outgoing join is complete
	Ended   func(c *Connection, reason string)     // a connection has ended
	Failed  func(address string, r netcore.Reason) // an outgoing connect has failed
	// Passed reports a key that gave the right password for the first time. Such keys must not wait
	// after wrong passwords from their address. PassedKeys are those of earlier runs, oldest first.
	Passed     func(key seal.Key)
	PassedKeys []seal.Key
	// Known reports whether the player with a key was here before, or holds a role. nil knows
	// nobody.
	Known func(seal.Key) bool
	// Guessed reports that an address must pause after too many wrong passwords.
	Guessed func(address string, pause time.Duration)
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

// A Host is a server or a client: an endpoint, a world, connections and scripts.
type Host struct {
	Settings  Settings      // console variables; the setters of Bind apply them
	Admission Admission     // of a server
	Dialer    Dialer        // of a client: connects to a server
	Pace      Pace          // of game time
	Drain     Drain         // of a server: its end without players
	Hold      Hold          // of a server: connect requests wait for it
	Voices    Voices        // who talks, and who hears it
	Rules     Rules         // say which peers see an object, and which of its fields
	Demos     Demos         // recordings, for spectators and for files
	Inspector Inspector     // shows what peers see, for people
	requests  joinRequests  // of a server: who joins
	transfers transfers     // of a server: who is sent to other servers
	arrivals  arrivals      // of a server: who was sent by other servers
	described descriptions  // of classes
	lists     lists         // the classes and events that peers compare
	claims    controlClaims // who controls which object

	cfg       Config
	netLog    netcore.Log
	budget    event.Budget
	posting   event.Scratch
	endpoint  *netcore.Endpoint
	world     *sim.World
	snapshots *snapshots
	scope     *scope
	schedule  *sim.Schedule
	scripts   Scripts
	conns     connections
	lifetimes lifetimes                    // of these
	moves     func(c *Connection) sim.Move // makes the moves of its own control object; nil: the pilot

	lanes        laneTable
	expander     expander
	kinds        *event.Kinds
	custom       customKinds
	spareCommand spareCommand
	reader       bitstream.Reader                                       // for control states, fields of ghosts and descriptions
	control      [(move.MaxControlState + 7) / 8]byte                   // buffer for control states,
	writer       bitstream.Writer                                       // with its writer
	unresolved   bool                                                   // the last control state read lacks an object
	deliverEvent func(o sim.Object, name string, args []sim.Value) bool // delivers an event to scripts; made once
	tick         uint64
	now          netcore.Time  // time of the last Receive, Tick or Send
	tickedAt     netcore.Time  // time of the last Tick
	inbox        []func()      // begins, ends and failed connects, for the next tick
	watchesAcks  bool          // scripts want to hear of acked ghosts, as of the end of the last tick
	order        []*Connection // buffer of drain
}

// NewHost returns a host. Its world contains only the root groups.
func NewHost(cfg Config) *Host {
	if (cfg.Server || cfg.Mutual) && !canServe {
		panic("BUG: a program that was built with the tag page has no server")
	}
	cfg.setDefaults()
	cfg.Classes = cfg.Classes.Session()
	h := &Host{
		Settings:  DefaultSettings(),
		Admission: Admission{Name: cfg.Name, Password: cfg.Password, MaxClients: cfg.MaxClients, Accepting: true, Transfers: true},
		cfg:       cfg,
		budget:    event.Budget{Max: 32 << 20},
		world:     sim.NewWorld(cfg.Classes),
		scripts:   NopScripts{},
		lanes:     laneTable{},
	}
	h.attach()
	h.requests.guesses = newGuessLimiter(cfg.PassedKeys)
	h.kinds = h.custom.newKinds(func() event.Event { return h.spareCommand.take() }, func() event.Event { return h.Voices.spare.take() }, cfg.Events)
	h.schedule = h.newSchedule()
	h.snapshots = newSnapshots(h)
	h.scope = newScope(h)
	h.deliverEvent = func(o sim.Object, name string, args []sim.Value) bool { return h.scripts.Event(o, name, args) }
	h.world.SkipGhostTicks = cfg.NoInterpolation
	h.world.OnAdded = h.snapshots.add
	h.world.OnRemoved = h.removed
	h.world.OnRolledBack = h.rolledBack
	h.world.OnClassChanged = h.reclassed
	h.world.Spares = h.arrivals.spares
	h.endpoint = netcore.NewEndpoint(netcore.Config{
		Identity:  cfg.Identity,
		Entropy:   cfg.Entropy,
		Accepting: cfg.Server,
		Classes:   cfg.Classes.Hash() ^ h.kinds.Hash(),
		Parts:     h.lists.fingerprints,
		Adapts:    !cfg.Server && !cfg.Mutual,
		Game:      "torc",
		Log:       &h.netLog,
		Parallel:  cfg.Parallel,
		Solve:     cfg.Solve,
		Gated:     true,
		Streams:   h.lifetimes.streams,
		Connected: h.lifetimes.connected,
		Ended:     h.lifetimes.connEnded,
		Failed:    h.Dialer.failed,
		Refused:   h.requests.logRefused,
		Keys:      cfg.Keys,
		MayMove:   h.lifetimes.mayMove,
		Moved:     h.lifetimes.moved,
	})
	h.netLog.Print = func(line string) { h.cfg.Log.Info(line) }
	h.Apply()
	return h
}

// newSchedule returns a schedule whose callbacks wait as scripts say, by mod and by connection.
func (h *Host) newSchedule() *sim.Schedule {
	s := sim.NewSchedule(h.world)
	s.Busy = func(mod string) bool { return h.scripts.OverBudget(mod) }
	s.Waits = func(cause sim.ID) bool {
		c := h.Connection(cause)
		return c != nil && h.scripts.OverShare(c)
	}
	s.Ahead = func(cause sim.ID) int64 {
		if c := h.Connection(cause); c != nil {
			return h.scripts.Ahead(c)
		}
		return 0
	}
	return s
}

// attach gives the parts of a new host the host.
func (h *Host) attach() {
	h.Dialer.host, h.Pace.host = h, h
	h.Drain.host, h.Hold.host = h, h
	h.Rules.host, h.Demos.host = h, h
	h.Inspector.host, h.requests.host = h, h
	h.described.host, h.claims.host = h, h
	h.lifetimes.host = h
	h.lists.host, h.arrivals.host = h, h
	h.Voices.host, h.transfers.host = h, h
}

// SetScripts sets the scripts. Call it before Receive, Tick or Send.
func (h *Host) SetScripts(s Scripts) { h.scripts, h.world.Checker = s, s }

// SetMods sets the mods announced to clients that join.
func (h *Host) SetMods(mods []ModInfo) { h.cfg.Mods = mods }

// Mods returns the mods announced to clients that join.
func (h *Host) Mods() []ModInfo { return h.cfg.Mods }

// Apply passes the settings to the endpoint and to every connection.
func (h *Host) Apply() {
	s := &h.Settings
	receive := netcore.Rate{Packets: s.Rate, Size: s.Size}
	send := s.maxSend()
	h.netLog.Level = s.Log
	h.requests.guesses.limits = h.Limits()
	h.endpoint.SetLimits(h.Limits())
	h.endpoint.Configure(receive, send, time.Duration(s.Timeout*float64(time.Second)), s.Check)
	h.endpoint.SetBandwidth(s.Bandwidth * 1000 / 8)
	h.Pace.tell()
	for _, c := range h.conns {
		c.Line.apply()
	}
	h.Voices.configure()
}

// Limits returns the limits by address of the settings.
func (h *Host) Limits() netcore.Limits {
	s := &h.Settings
	return netcore.Limits{Connections: s.AddressLimit, Allow: s.AddressAllow, Loopback: s.LimitLoopback, LocalWeb: h.cfg.LocalWeb}
}

// Receive processes a datagram. at is when it arrived, as the time since the start of the process.
// That can be before the last Tick or Send.
func (h *Host) Receive(at netcore.Time, from netcore.Addr, datagram []byte) {
	if !h.ReceiveStateless(at, from, datagram) {
		h.ReceiveStateful(at, from, datagram)
	}
}

// ReceiveStateful processes a datagram that ReceiveStateless has just left.
func (h *Host) ReceiveStateful(at netcore.Time, from netcore.Addr, datagram []byte) {
	h.now = max(h.now, at)
	h.endpoint.ReceiveStateful(at, from, datagram)
}

// ReceiveStateless handles a datagram that changes nothing but the answers to strangers, and
// reports whether it is one.
func (h *Host) ReceiveStateless(at netcore.Time, from netcore.Addr, datagram []byte) bool {
	return h.endpoint.ReceiveStateless(at, from, datagram)
}

// SendStateless passes on the answers to such datagrams. Send does that, too.
func (h *Host) SendStateless(now netcore.Time, out func(to netcore.Addr, datagram []byte)) {
	h.endpoint.SendStateless(now, out)
}

// Tick advances the simulation by one step, unless the host is paused.
func (h *Host) Tick(now netcore.Time) {
	h.now, h.tickedAt = now, now
	if h.Pace.Paused() {
		h.tickPaused()
		return
	}
	for step, phases := range tickPhases {
		for _, run := range phases {
			run(h)
		}
		if h.cfg.Probe != nil {
			h.cfg.Probe(Step(step))
		}
	}
}

// sweep removes the deleted objects from the world, and then from the visible sets: a script that
// hears of one of them can look at these.
func (h *Host) sweep() {
	h.world.Sweep()
	h.snapshots.removeSwept()
}

// removed handles an object that leaves the world.
func (h *Host) removed(o sim.Object) {
	h.schedule.CancelOwner(sim.Owner{Object: o.Ident().ID()})
	h.scripts.Removed(o)
	h.snapshots.swept = append(h.snapshots.swept, o)
	h.Demos.demo.Gone(o)
	c, ok := o.(*Connection)
	if h.Rules.hidden.Forget(o.Ident().ID(), ok); ok { // the connection ends with its object
		c.Disconnect("its object was deleted")
	}
}

// Send fills the packets that each connection's rate limit allows.
func (h *Host) Send(now netcore.Time, out func(to netcore.Addr, datagram []byte)) {
	h.now = now
	if canServe {
		for _, c := range h.conns {
			c.Blocks.fill()
			c.Watching.send()
		}
	}
	h.endpoint.Send(now, out)
	if !canServe {
		return
	}
	decided := h.requests.decideAsked(now)
	if h.conns.fillWithPictures(h.now, h.tickedAt) || decided {
		h.endpoint.Send(h.now, out) // the answers: a join waits for no tick
	}
}

// Knows reports whether an address is that of a peer of this host, or of one that it connects to.
func (h *Host) Knows(a netcore.Addr) bool { return h.endpoint.Knows(a) }

// Due returns when the protocol next needs Tick or Send. The program adds its own tick clock.
func (h *Host) Due(now netcore.Time) netcore.Time { return h.endpoint.Due(now) }

// World returns the host's world. Change it only inside Tick.
func (h *Host) World() *sim.World { return h.world }

// Schedule returns the callbacks scheduled on simulation time.
func (h *Host) Schedule() *sim.Schedule { return h.schedule }

// Now returns the simulation time in milliseconds: 32 per tick.
func (h *Host) Now() int64 { return int64(h.tick) * TickMs }

// TickNumber returns the number of ticks so far.
func (h *Host) TickNumber() uint64 { return h.tick }

// IsServer reports whether this host accepts inbound connections.
func (h *Host) IsServer() bool { return h.cfg.Server }

// Identity returns this host's key pair.
func (h *Host) Identity() seal.KeyPair { return h.cfg.Identity }

// Connections returns the connections in id order. The caller must not change the slice.
func (h *Host) Connections() []*Connection { return h.conns }

// Connection returns the connection with this object id, or nil.
func (h *Host) Connection(id sim.ID) *Connection {
	c, _ := h.world.Find(id).(*Connection)
	return c
}

// Server returns this host's outgoing connection, or nil.
func (h *Host) Server() *Connection {
	for _, c := range h.conns {
		if !c.inbound {
			return c
		}
	}
	return nil
}

// Shutdown ends every connection and sends the reason to the peers. A server receives the reason of
// a client alone, "quit" without one. Call Send a few more times to deliver it.
func (h *Host) Shutdown(reason string) { h.shutdown(reason, netcore.ShuttingDown) }

// Restart is Shutdown of a server that starts again soon: its clients come back by themselves.
func (h *Host) Restart(reason string) { h.shutdown(reason, netcore.Restarting) }

func (h *Host) shutdown(reason string, code netcore.ReasonCode) {
	h.Dialer.Cancel()
	for _, c := range h.conns {
		switch {
		case c.bot:
			c.Disconnect(reason)
		case !c.inbound:
			c.Disconnect(cmp.Or(reason, "quit"))
		}
	}
	h.endpoint.Close(h.now, netcore.Reason{Code: code, Text: reason})
}

var errNoResolver = errors.New("this host cannot connect to servers")
