package sockets

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// handlers are the callbacks of a connection or a listener, by name.
type handlers map[string]*lua.LFunction

var (
	dataHandlers    = []string{"onLine", "onData", "onSent", "onDisconnect"}
	connectHandlers = append([]string{"onConnected", "onConnectFailed"}, dataHandlers...)
	listenHandlers  = append([]string{"onListening", "onListenFailed", "onConnected"}, dataHandlers...)
)

// readHandlers returns argument i, a table with no other keys than names.
func readHandlers(a vm.Args, i int, names []string) handlers {
	h := handlers{}
	t := a.Table(i)
	if n := vm.KeyCount(t); n > maxFields {
		a.Fail("a table of %d keys is too large for handlers", n)
	}
	vm.Each(t, func(k, v lua.LValue) {
		name := vm.ClipText(vm.PlainText(k), vm.MaxQuoted)
		if !slices.Contains(names, name) {
			if near := spell.Nearest(name, names); near != "" {
				a.Fail("unknown handler %q, did you mean %q?", name, near)
			}
			a.Fail("unknown handler %q: available are %s", name, strings.Join(names, ", "))
		}
		fn, ok := v.(*lua.LFunction)
		if !ok {
			a.Fail("%s must be a function, not %s", name, a.Runtime().Kind(v))
		}
		h[name] = fn
	})
	if h["onLine"] != nil && h["onData"] != nil {
		a.Fail("use either onLine or onData")
	}
	return h
}

// A conn is a connection of a mod.
type conn struct {
	*account
	id        ID
	permit    string
	handlers  handlers
	cause     vm.Peer
	to        Target
	accepted  bool
	address   string // of the peer; "" until connected
	started   bool   // the Network knows the connection
	connected bool
	ended     bool // the Network has ended it, and nothing can be sent
	gone      bool // the Network has closed its socket
	closed    bool // no more callbacks
	out       []byte
	queued    int    // bytes in out and in the Network
	in        []byte // received, and not yet taken by the mod
	reading   bool   // the callbacks for in are due
	taken     int    // bytes that the mod has taken since the last credit
	own       *lua.LTable
	handle    *lua.LUserData
}

func tcpConnect(a vm.Args) int {
	a.Charge(callCost)
	s := setOf(a)
	of := s.account(a.Mod)
	host, port, h := a.String(1), a.IntIn(2, 1, 65_535), readHandlers(a, 3, connectHandlers)
	if of.opened() >= MaxConnections {
		a.Fail("a mod can have at most %d connections", MaxConnections)
	}
	c := &conn{account: of, handlers: h, cause: a.Runtime().Peer()}
	c.id = s.add(c)
	of.sockets = append(of.sockets, c)
	var err error
	c.to, c.permit, err = s.target(a.Mod, host, port)
	switch {
	case err != nil:
		c.receive(Event{Kind: Ended, Reason: err.Error()})
	case s.cfg.Network == nil:
		c.receive(Event{Kind: Ended, Reason: noNetwork})
	}
	return a.Return(c.value())
}

// opened counts the connections that the mod has opened. Those that it has closed count until the
// peer has their data, so a mod cannot hold more sockets than MaxConnections.
func (a *account) opened() (n int) {
	for _, name := range a.set.lingering {
		if name == a.mod.Name {
			n++
		}
	}
	for _, k := range a.sockets {
		if c, ok := k.(*conn); ok && !c.accepted {
			n++
		}
	}
	return n
}

func (c *conn) permission() string { return c.permit }
func (c *conn) number() ID         { return c.id }

// revoke ends the connection, because the operator has revoked the permission.
func (c *conn) revoke(why error) {
	if c.ended {
		return
	}
	if c.started {
		c.set.cfg.Network.Close(c.id, true)
	}
	delete(c.set.owners, c.id) // an event that is under way already must not open it again
	c.started, c.out, c.in = false, nil, nil
	c.receive(Event{Kind: Ended, Reason: why.Error()})
}

func (c *conn) receive(e Event) {
	switch e.Kind {
	case Connected:
		c.connected, c.address = true, e.Address
		c.notify("onConnected")
	case Received:
		c.in = append(c.in, e.Data...)
		c.read()
	case Sent:
		if c.queued -= e.N; c.queued == 0 {
			c.notify("onSent")
		}
	case Closed:
		c.gone = true
	case Ended:
		c.ended = e.Reason != "" || !c.connected // else the peer has closed only its own side
		name := "onDisconnect"
		if !c.connected {
			name = "onConnectFailed"
		}
		c.later(func() bool {
			if !c.closed {
				c.closed = true
				c.call("tcp "+name, c.cause, c.handlers[name], c.value(), textOrNil(e.Reason))
			}
			return true
		})
	}
}

// notify queues a callback with the connection as its argument.
func (c *conn) notify(name string) {
	if c.handlers[name] == nil {
		return
	}
	c.later(func() bool {
		if !c.closed {
			c.call("tcp "+name, c.cause, c.handlers[name], c.value())
		}
		return true
	})
}

// read queues the callbacks for received data.
func (c *conn) read() {
	if c.reading {
		return
	}
	c.reading = true
	c.later(func() bool {
		for len(c.in) > 0 && !c.closed {
			if c.busy() {
				return false
			}
			if !c.next() {
				break
			}
		}
		c.reading = false
		return true
	})
}

// next runs the callback for the next line, or for everything that has been received. It returns
// false if it needs more data.
func (c *conn) next() bool {
	fn := c.handlers["onLine"]
	if fn == nil {
		data := c.in
		c.in, c.taken = nil, c.taken+len(data)
		c.mod.NoteString(len(data))
		if fn := c.handlers["onData"]; fn != nil {
			c.call("tcp onData", c.cause, fn, c.value(), lua.LString(data))
		}
		return true
	}
	line, n, ok := cutLine(c.in)
	switch {
	case !ok:
		c.fail(fmt.Sprintf("a line is longer than %d bytes", maxLine))
		return false
	case n == 0:
		return false
	}
	text := lua.LString(line)
	if c.in, c.taken = c.in[n:], c.taken+n; len(c.in) == 0 {
		c.in = nil
	}
	c.call("tcp onLine", c.cause, fn, c.value(), text)
	return true
}

// fail ends the connection for a reason of this side.
func (c *conn) fail(why string) {
	c.closed, c.out = true, nil
	c.call("tcp onDisconnect", c.cause, c.handlers["onDisconnect"], c.value(), lua.LString(why))
}

// flush passes on the data that the mod has sent and taken. It reports whether the connection is
// gone.
func (c *conn) flush() (gone bool) {
	network := c.set.cfg.Network
	if !c.started && !c.ended && (!c.closed || len(c.out) > 0) {
		c.started = true
		c.to.Allow = c.set.allowed(c.to.Host)
		network.Connect(c.id, c.to)
	}
	if c.started && len(c.out) > 0 {
		network.Send(c.id, c.out)
		c.out = nil
	}
	if c.started && c.taken > 0 {
		network.Credit(c.id, c.taken)
		c.taken = 0
	}
	if c.started && c.closed {
		if !c.accepted && !c.gone {
			c.set.lingering[c.id] = c.mod.Name
		}
		network.Close(c.id, false)
	}
	return c.closed
}

// send queues data. It returns false if there is no room or the connection has ended.
func (c *conn) send(data string) bool {
	if c.closed || c.ended || c.queued+len(data) > MaxQueued {
		return false
	}
	c.out, c.queued = append(c.out, data...), c.queued+len(data)
	return true
}

// A listener accepts connections for a mod.
type listener struct {
	*account
	id       ID
	permit   string
	handlers handlers
	at       netip.AddrPort
	address  netip.AddrPort // with the real port; zero until the listener listens
	started  bool           // the Network knows the listener
	ended    bool
	closed   bool // no more callbacks
	handle   *lua.LUserData
}

func tcpListen(a vm.Args) int {
	a.Charge(callCost)
	s := setOf(a)
	of := s.account(a.Mod)
	port, h := a.IntIn(1, 0, 65_535), readHandlers(a, 2, listenHandlers)
	n := 0
	for _, k := range of.sockets {
		if _, ok := k.(*listener); ok {
			n++
		}
	}
	if n >= MaxListeners {
		a.Fail("a mod can have at most %d listeners", MaxListeners)
	}
	l := &listener{account: of, handlers: h}
	l.id = s.add(l)
	of.sockets = append(of.sockets, l)
	var err error
	l.at, l.permit, err = s.listenAt(a.Mod, port)
	switch {
	case err != nil:
		l.receive(Event{Kind: Ended, Reason: err.Error()})
	case s.cfg.Network == nil:
		l.receive(Event{Kind: Ended, Reason: noNetwork})
	}
	return a.Return(l.value())
}

// loopback is where a listener listens that has no permission for another address.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// listenAt returns the address to listen at: the first one that the mod requests and the operator
// has granted for the port, else loopback.
func (s *Set) listenAt(m *vm.Mod, port int) (at netip.AddrPort, permission string, err error) {
	for _, p := range s.cfg.Permissions(m) {
		if a, ok := manifest.ListenAddress(p, port); ok && s.cfg.Permit(m, p) == nil {
			return netip.AddrPortFrom(a, uint16(port)), p, nil
		}
	}
	permission = manifest.ListenPermission(netip.Addr{}, port)
	return netip.AddrPortFrom(loopback, uint16(port)), permission, s.cfg.Permit(m, permission)
}

func (l *listener) permission() string { return l.permit }
func (l *listener) number() ID         { return l.id }

// revoke ends the listener, because the operator has revoked the permission.
func (l *listener) revoke(why error) {
	if l.ended {
		return
	}
	if l.started {
		l.set.cfg.Network.Close(l.id, true)
	}
	delete(l.set.owners, l.id)
	l.started = false
	l.receive(Event{Kind: Ended, Reason: why.Error()})
}

func (l *listener) receive(e Event) {
	name, args := "onListening", []lua.LValue{l.value()}
	if l.ended = e.Kind != Listening; l.ended {
		name, args = "onListenFailed", append(args, lua.LString(e.Reason))
	} else {
		l.address, _ = netip.ParseAddrPort(e.Address)
	}
	l.later(func() bool {
		if !l.closed {
			l.closed = e.Kind != Listening
			l.call("tcp "+name, 0, l.handlers[name], args...)
		}
		return true
	})
}

// accept adds a connection that the Network has accepted.
func (l *listener) accept(e Event) {
	c := &conn{account: l.account, id: e.ID, permit: l.permit, handlers: l.handlers, accepted: true, started: true}
	l.set.owners[c.id] = c
	l.sockets = append(l.sockets, c)
	c.receive(Event{Kind: Connected, Address: e.Address})
}

// flush passes on the listener. It reports whether it is gone.
func (l *listener) flush() (gone bool) {
	network := l.set.cfg.Network
	if !l.started && !l.ended && !l.closed {
		l.started = true
		network.Listen(l.id, l.at)
	}
	if l.started && l.closed {
		network.Close(l.id, true)
	}
	return l.closed
}
