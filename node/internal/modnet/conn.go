package modnet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"

	"github.com/torc-engine/torc/script/sockets"
)

// readSize is the size of the largest piece of data in an event, in bytes.
const readSize = 16 << 10

// errIdle ends an accepted connection.
var errIdle = fmt.Errorf("no data for %v", idleTime)

// A conn is a TCP connection. The mutex of the Network guards its fields.
type conn struct {
	network *Network
	id      sockets.ID
	of      *listener   // nil: the mod has opened it
	group   netip.Addr  // of the peer, in a listener
	socket  net.Conn    // nil until the connection is open
	wake    *sync.Cond  // when a field has changed
	cancel  func()      // ends the attempt to connect
	linger  func() bool // stops the end of lingerTime; nil: the mod has not closed it
	out     []byte      // to be sent
	credit  int         // bytes that may be read
	heard   uint64      // Network.heard when the newest data arrived
	ended   bool        // the event Ended has been posted, or nobody wants it
	closing bool        // the mod has closed it: what is in out is sent, then it ends
	broken  bool        // no more data can be sent
}

// add adds a connection. The caller holds mu.
func (n *Network) add(id sockets.ID) *conn {
	c := &conn{network: n, id: id, credit: sockets.Window, wake: sync.NewCond(&n.mu)}
	n.conns[id] = c
	return c
}

// Connect is part of sockets.Network.
func (n *Network) Connect(id sockets.ID, to sockets.Target) {
	ctx, end := n.timeout(connectTime)
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.add(id)
	c.cancel = end
	n.run(func() {
		socket, err := n.dialer(to).DialContext(ctx, "tcp", net.JoinHostPort(to.Host, strconv.Itoa(to.Port)))
		why := ""
		if err != nil {
			why = reason(ctx, err)
		}
		end()
		n.mu.Lock()
		defer n.mu.Unlock()
		switch {
		case err != nil:
			c.end(why)
			c.remove()
		case c.closing && len(c.out) == 0 || n.shut:
			_ = socket.Close()
			c.remove()
		case c.closing:
			c.begin(socket)
			c.lingers()
		default:
			n.post(sockets.Event{Kind: sockets.Connected, ID: id, Address: socket.RemoteAddr().String()})
			c.begin(socket)
		}
	})
}

// begin starts the goroutines of an open connection. The caller holds mu.
func (c *conn) begin(socket net.Conn) {
	c.socket = socket
	c.network.run(c.reads)
	c.network.run(c.writes)
}

// reads reads until the connection ends.
func (c *conn) reads() {
	buffer := make([]byte, readSize)
	for c.read(buffer) {
	}
}

// read reads a piece of data. It returns false at the end of the connection.
func (c *conn) read(buffer []byte) bool {
	defer c.watch()() // also while the credit is used up: the peer may be gone
	most := c.mayRead()
	if most == 0 {
		return false
	}
	got, err := c.socket.Read(buffer[:min(most, readSize)])
	return c.received(buffer[:got], err)
}

// mayRead waits until something may be read, and returns how much. A connection that the mod has
// closed reads on, to learn when the peer has closed it too. 0 ends the reading.
func (c *conn) mayRead() int {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	for c.credit <= 0 && !c.closing && !c.broken {
		c.wake.Wait()
	}
	switch {
	case c.broken:
		return 0
	case c.closing:
		return readSize
	}
	return c.credit
}

// watch ends an accepted connection that sends nothing. stop ends the watch. The connection counts
// until the mod closes it, so nobody takes its place while the mod does not take its data.
func (c *conn) watch() (stop func()) {
	if c.of == nil {
		return func() {}
	}
	end := c.network.after(idleTime, func() {
		c.network.mu.Lock()
		defer c.network.mu.Unlock()
		c.end(errIdle.Error())
		c.broken = true
		_ = c.socket.Close()
		c.wake.Broadcast()
	})
	return func() { end() }
}

// received posts what has been read. It returns false at the end of the connection.
func (c *conn) received(data []byte, err error) bool {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(data) > 0 && !c.closing && !c.ended {
		n.heard++
		c.heard = n.heard
		c.credit -= len(data)
		n.post(sockets.Event{Kind: sockets.Received, ID: c.id, Data: append([]byte(nil), data...)})
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, io.EOF):
		c.end("") // the other direction can still be open
	default:
		c.end(reason(n.ctx, err))
		c.broken = true
	}
	if c.closing {
		c.broken = true
	}
	c.wake.Broadcast()
	return false
}

// end posts the end, once. The caller holds mu.
func (c *conn) end(why string) {
	if !c.ended && !c.closing {
		c.network.post(sockets.Event{Kind: sockets.Ended, ID: c.id, Reason: why})
	}
	c.ended = true
}

// finish closes the connection when everything in out has been sent, or now. The caller holds mu.
func (c *conn) finish(now bool) {
	if now {
		c.out = nil
	}
	if c.socket == nil {
		c.closing = true
		if len(c.out) == 0 {
			c.cancel()
		}
		return
	}
	if now {
		c.broken, c.closing = true, true
		_ = c.socket.Close()
	} else if !c.closing {
		c.closing = true
		c.lingers()
	}
	c.wake.Broadcast()
}

// lingers ends a closed connection after lingerTime. The caller holds mu.
func (c *conn) lingers() {
	c.linger = c.network.after(lingerTime, func() { c.network.Close(c.id, true) })
}

// writes sends what is queued until the connection ends, then removes it.
func (c *conn) writes() {
	n := c.network
	for {
		data := c.mayWrite()
		if data == nil {
			break
		}
		_, err := c.socket.Write(data)
		n.mu.Lock()
		if err != nil {
			c.end(reason(n.ctx, err))
			c.broken = true
			c.wake.Broadcast()
		} else if !c.closing {
			n.post(sockets.Event{Kind: sockets.Sent, ID: c.id, N: len(data)})
		}
		n.mu.Unlock()
	}
	_ = c.socket.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	c.broken = true
	if c.linger != nil {
		c.linger()
	}
	c.remove()
	c.wake.Broadcast()
}

// remove forgets a connection whose socket is closed. The caller holds mu.
func (c *conn) remove() {
	delete(c.network.conns, c.id)
	c.network.post(sockets.Event{Kind: sockets.Closed, ID: c.id})
}

// gone reports whether the connection ends without waiting for the peer. The caller holds mu.
func (c *conn) gone() bool { return c.broken && c.closing }

// mayWrite waits until something can be sent, and returns it. nil ends the connection: it is broken
// and the mod knows it, or it is closed and the peer has everything.
func (c *conn) mayWrite() []byte {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	half := false
	for {
		switch {
		case c.gone():
			return nil
		case !c.broken && len(c.out) > 0:
			data := c.out
			c.out = nil
			return data
		case c.closing && !half:
			half = true
			if c.ended || !closeWrite(c.socket) { // the peer has closed it already
				return nil
			}
		}
		c.wake.Wait()
	}
}

// closeWrite tells the peer that nothing more comes. It reports whether it could.
func closeWrite(socket net.Conn) bool {
	half, ok := socket.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}
