package modnet

import (
	"errors"
	"net"
	"net/netip"

	"github.com/torc-engine/torc/script/sockets"
)

// Limits of a listener.
const (
	maxAccepted = 64 // connections
	maxOfGroup  = 8  // connections of one IPv4 address or IPv6 /64
)

// A listener accepts connections.
type listener struct {
	id     sockets.ID
	socket net.Listener
}

// Listen is part of sockets.Network.
func (n *Network) Listen(id sockets.ID, at netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shut {
		return
	}
	socket, err := net.ListenTCP(family(at.Addr()), net.TCPAddrFromAddrPort(at))
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		n.post(sockets.Event{Kind: sockets.Ended, ID: id, Reason: err.Error()})
		return
	}
	l := &listener{id, socket}
	n.listeners[id] = l
	n.post(sockets.Event{Kind: sockets.Listening, ID: id, Address: socket.Addr().String()})
	n.run(func() { n.accepts(l) })
}

// family returns the network of an address for the net package. The IPv6 address :: also accepts
// IPv4.
func family(a netip.Addr) string {
	if a.Is4() {
		return "tcp4"
	}
	return "tcp"
}

// accepts accepts connections until the listener is closed.
func (n *Network) accepts(l *listener) {
	for {
		socket, err := l.socket.Accept()
		switch {
		case err == nil:
			n.admit(l, socket)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			n.pause()
		}
	}
}

// pause waits for acceptPause or for the end of the Network.
func (n *Network) pause() {
	over := make(chan struct{})
	stop := n.after(acceptPause, func() { close(over) })
	select {
	case <-over:
	case <-n.ctx.Done():
		stop()
	}
}

// admit adds an accepted connection, or closes it if there is no room.
func (n *Network) admit(l *listener, socket net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	group := groupOf(socket.RemoteAddr())
	if n.listeners[l.id] != l || n.shut || !n.room(l, group) {
		_ = socket.Close()
		return
	}
	c := n.add(n.accepted)
	n.accepted++
	n.heard++
	c.of, c.group, c.heard = l, group, n.heard
	n.post(sockets.Event{Kind: sockets.Accepted, ID: c.id, Listener: l.id, Address: socket.RemoteAddr().String()})
	c.begin(socket)
}

// room reports whether a listener has room for a connection of a group. If the listener is full,
// the quietest connection of the largest group makes room, provided that this group is larger. The
// caller holds mu.
func (n *Network) room(l *listener, group netip.Addr) bool {
	total, sizes := 0, map[netip.Addr]int{}
	for _, c := range n.conns {
		if c.of == l && !c.gone() {
			total++
			sizes[c.group]++
		}
	}
	if sizes[group] >= maxOfGroup {
		return false
	}
	if total < maxAccepted {
		return true
	}
	var quietest *conn
	for _, c := range n.conns {
		if c.of != l || c.gone() || sizes[c.group] <= sizes[group]+1 {
			continue
		}
		if quietest == nil || sizes[c.group] > sizes[quietest.group] || sizes[c.group] == sizes[quietest.group] && c.heard < quietest.heard {
			quietest = c
		}
	}
	if quietest == nil {
		return false
	}
	quietest.end("the listener is full")
	quietest.finish(true)
	return true
}

// groupOf returns the IPv4 address or the IPv6 /64 of a peer.
func groupOf(a net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	ip := at.Addr().WithZone("").Unmap()
	if ip.Is4() {
		return ip
	}
	return netip.PrefixFrom(ip, 64).Masked().Addr()
}
