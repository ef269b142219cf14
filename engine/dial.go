package engine

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectArgs are the arguments of a connect request.
type ConnectArgs struct {
	Name     string // player name; "" is the host's own
	Language string // of the player; "" is the host's own
	Password string
	Args     []string      // for the server's onConnectRequest and onConnect, at most 16
	Timeout  time.Duration // default 15 s
	Ticket   []byte        // of the server that sends the player; it stands for the password
	Watch    bool          // as a spectator, who only sees a recording of the game
	rtt      netcore.Time  // that is expected; 0: unknown
}

// A Resolver finds the addresses of HOST:PORT, or of via:HOST:PORT#KEY. It calls done once, at once
// or later, on the goroutine that owns the host. It must not block.
type Resolver func(hostport string, done func(to []netcore.Addr, err error))

// ResolveTo returns a Resolver that finds the same addresses for every name.
func ResolveTo(to ...netcore.Addr) Resolver {
	return func(_ string, done func([]netcore.Addr, error)) { done(to, nil) }
}

// connectTimeout is the default of ConnectArgs.Timeout.
const connectTimeout = 15 * time.Second

// A Dialer connects a host to a server. Its connection is Host.Server.
type Dialer struct {
	host    *Host
	dialing *outgoing // nil: no connect is in progress

	lastAddress string // of the last Connect, for reconnect; of a link, where its page says that the server is
	lastArgs    ConnectArgs
	watches     bool // the last address was a link for spectators

	// Returning means that the program has lost the server, and connects again by itself.
	Returning bool
}

// outgoing is the outgoing connect in progress.
type outgoing struct {
	link     *Link  // nil: no page is asked
	address  string // HOST:PORT; before the page of a link has answered, the address of the page
	resolve  string // the same, or via:HOST:PORT#KEY; unused for a link
	options  netcore.ConnectOptions
	deadline netcore.Time
	pending  *netcore.Pending // nil while the page is asked or the name is resolved
}

// Connect connects to HOST:PORT, or to HOST:PORT#KEY to pin the server's key, or to
// via:HOST:PORT#KEY, or to the link of a server's page. When the addresses are known, it first ends
// an earlier outgoing connection of this host. Scripts receive the result (Accepted,
// ConnectFailed). If a change of the world is open, the connect starts when the change is
// committed.
func (d *Dialer) Connect(address string, a ConnectArgs) error {
	return d.begin(address, a, false)
}

// Follow connects to the server that an order names, with the name and the language of the last
// connect of another host of this player, and the ticket of the order. The order pins the key. The
// password and the arguments of that connect are not passed on: they are for its server.
func (d *Dialer) Follow(from *Dialer, o *TransferOrder) error {
	a := ConnectArgs{Name: from.lastArgs.Name, Language: from.lastArgs.Language, Ticket: o.Ticket}
	if c := from.host.Server(); c != nil {
		a.rtt = c.net.RTT()
	}
	return d.Connect(o.Address+"#"+o.Key.String(), a)
}

// Answered reports whether a server has answered the connect in progress.
func (d *Dialer) Answered() bool {
	return d.dialing != nil && d.dialing.pending != nil && d.dialing.pending.Answered()
}

// begin begins a connect. watches makes it one of a spectator, as a.Watch does, for this address
// only.
func (d *Dialer) begin(address string, a ConnectArgs, watches bool) error {
	h := d.host
	link, isLink, err := ParseLink(address)
	watches = watches || link.Watch
	h.world.OnCommit(func() {
		d.lastAddress, d.lastArgs = address, a
		d.lastArgs.Ticket, d.lastArgs.rtt = nil, 0 // the one opens a server once, the other is of now
		d.watches = watches
	})
	switch {
	case h.cfg.Resolve == nil:
		return errNoResolver
	case err != nil:
		return err
	case isLink && h.cfg.Pages == nil:
		return link.unasked()
	}
	o := &outgoing{options: d.options(a, watches), deadline: h.now + cmp.Or(max(a.Timeout, 0), connectTimeout)}
	if isLink {
		o.link, o.address = &link, link.Site
		o.options.Key = link.Key
	} else if err := o.read(address); err != nil {
		return err
	}
	if h.cfg.Trust != nil {
		o.options.Trust = func(_ netcore.Addr, k seal.Key) error { return h.cfg.Trust(o.address, k) }
	}
	returned := false
	h.world.OnCommit(func() {
		err = d.dial(o)
		if err != nil && returned {
			d.tell(o.address, unreachable(err.Error()))
		}
	})
	returned = true
	return err
}

// options returns the options of a connect without the key.
func (d *Dialer) options(a ConnectArgs, watches bool) netcore.ConnectOptions {
	o := netcore.ConnectOptions{Name: cmp.Or(a.Name, d.host.cfg.Name), Password: a.Password, Args: a.Args, Language: cmp.Or(a.Language, d.host.cfg.Language), Ticket: a.Ticket, RTT: a.rtt}
	if a.Watch || watches {
		o.Roles = roleSpectator
	}
	return o
}

// read reads an address that is no link.
func (o *outgoing) read(address string) (err error) {
	hostport, pin, pinned := strings.Cut(address, "#")
	if pinned {
		k, err := seal.ParseKey(pin)
		if err != nil {
			return err
		}
		o.options.Key = &k
	}
	o.address = hostport
	o.resolve, err = toResolve(address, hostport)
	return err
}

// dial finds the addresses, and then connects. It returns an error that is known at once.
func (d *Dialer) dial(o *outgoing) (err error) {
	atOnce := true
	previous := d.dialing
	d.dialing = o
	d.find(o, func(to []netcore.Addr, failed error) {
		switch {
		case d.dialing != o: // canceled, replaced or timed out
		case failed != nil && atOnce:
			err, d.dialing = failed, previous
			return
		case failed != nil:
			d.dialing = nil
			d.tell(o.address, unreachable(failed.Error()))
		default:
			d.replace(func() { d.connect(o, to) })
		}
	})
	atOnce = false
	if err == nil && previous != nil && previous.pending != nil {
		previous.pending.Cancel()
	}
	return err
}

// find finds the addresses of a server. Of a link, the page first says where the server is. From
// then on, the link is the HOST:PORT#KEY for which it stands: reconnect, known keys and messages
// need no page.
func (d *Dialer) find(o *outgoing, done func([]netcore.Addr, error)) {
	if o.link == nil {
		d.host.cfg.Resolve(o.resolve, done)
		return
	}
	given := d.lastAddress
	d.host.cfg.Pages(*o.link, func(hostport string, err error) {
		switch {
		case err != nil || d.dialing != o:
			done(nil, err)
			return
		case d.lastAddress == given:
			d.lastAddress = o.link.pinned(hostport)
		}
		o.link, o.address = nil, hostport
		d.host.cfg.Resolve(hostport, done)
	})
}

// replace ends the connection to a server, if there is one, and then runs connect. The end takes
// the classes that the server has declared, in the next tick. A new connection that began before
// could bring its own already.
func (d *Dialer) replace(connect func()) {
	if d.Disconnect("") != nil {
		connect()
		return
	}
	d.host.inbox = append(d.host.inbox, connect)
}

// connect begins to connect to addresses, unless something else has begun meanwhile.
func (d *Dialer) connect(o *outgoing, to []netcore.Addr) {
	if d.dialing != o {
		return
	}
	o.options.Timeout = max(o.deadline-d.host.now, 1)
	o.options.Others = to[1:]
	o.pending = d.host.endpoint.Connect(d.host.now, to[0], o.options)
}

// watch ends a connect whose page does not answer, or whose name is not resolved, in time.
func (d *Dialer) watch() {
	o := d.dialing
	if o == nil || o.pending != nil || d.host.now < o.deadline {
		return
	}
	d.dialing = nil
	if o.link != nil {
		d.tell(o.address, unreachable("the page did not answer in time"))
		return
	}
	d.tell(o.address, unreachable("the name was not resolved in time (is the name server reachable?)"))
}

// Rename sets the name that the next Reconnect asks for.
func (d *Dialer) Rename(name string) { d.lastArgs.Name = name }

// Cancel cancels the connect in progress, if there is one.
func (d *Dialer) Cancel() {
	if d.dialing != nil && d.dialing.pending != nil {
		d.dialing.pending.Cancel()
	}
	d.dialing = nil
}

// Unconnected is why nothing can be sent to a server: a sentence for players.
func (d *Dialer) Unconnected() error {
	to, _, _ := strings.Cut(d.lastAddress, "#")
	switch {
	case d.Returning:
		return errors.New("not connected: reconnecting to " + to)
	case d.Busy():
		return errors.New("not connected: connecting to " + to)
	}
	return errors.New("not connected to a server")
}

// Busy reports whether a connect is in progress.
func (d *Dialer) Busy() bool { return d.dialing != nil }

// Disconnect ends this host's outgoing connection, if there is one.
func (d *Dialer) Disconnect(reason string) error {
	c := d.host.Server()
	if c == nil {
		return errors.New("not connected")
	}
	c.Disconnect(reason)
	return nil
}

// unreachable is the reason of a connect that found no address.
func unreachable(text string) netcore.Reason { return netcore.Reason{Text: text} }

// failed handles a failed connect.
func (d *Dialer) failed(p *netcore.Pending, r netcore.Reason) {
	if d.dialing == nil || d.dialing.pending != p {
		return
	}
	address := d.dialing.address
	d.dialing = nil
	d.tell(address, r)
}

// tell tells scripts and the program that a connect failed, in the next tick.
func (d *Dialer) tell(address string, r netcore.Reason) {
	h := d.host
	h.inbox = append(h.inbox, func() {
		h.scripts.ConnectFailed(address, r.String())
		if h.cfg.Failed != nil {
			h.cfg.Failed(address, r)
		}
	})
}
