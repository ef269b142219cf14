package udp

import (
	"net"
	"net/netip"

	"github.com/torc-engine/torc/netcore"
)

// transport is the part of a Socket that depends on the system.
type transport interface {
	// read waits for datagrams, and returns the number of those that it got.
	read() (n int, err error)
	// take returns datagram i of the newest read, and what the system tells about it: the own
	// address that the peer asked, and the time of arrival in Unix nanoseconds. The packet belongs
	// to the caller then.
	take(i int) (p *Packet, own [16]byte, at int64)
	// rest sleeps for denseTime after a read of n datagrams, unless more are waiting already.
	rest(n int)
	// write sends a datagram, from the own address if that is not zero. to has the family of the
	// socket.
	write(b []byte, to netip.AddrPort, own [16]byte) error
	// wake makes a read return.
	wake()
	// close ends the socket. No read is running.
	close() error
}

// netSocket is a transport by Go's poller. It reads one datagram at a time.
type netSocket struct {
	conn    *net.UDPConn
	six     bool
	packet  *Packet
	control []byte
	used    int // of control
	zones   zones
}

func newNetSocket(conn *net.UDPConn, six bool) *netSocket {
	return &netSocket{conn: conn, six: six, control: make([]byte, controlSize), zones: make(zones)}
}

func (c *netSocket) read() (int, error) {
	if c.packet == nil {
		c.packet = pool.Get().(*Packet)
	}
	n, used, _, from, err := c.conn.ReadMsgUDPAddrPort(c.packet.buf[:], c.control)
	if err != nil {
		return 0, err
	}
	c.packet.n, c.packet.From, c.used = n, netcore.UDPAddr(c.zones.number(from)), used
	return 1, nil
}

func (c *netSocket) take(int) (p *Packet, own [16]byte, at int64) {
	p, c.packet = c.packet, nil
	own, at = readControl(c.control[:c.used])
	return p, own, at
}

func (c *netSocket) rest(int) {}

func (c *netSocket) write(b []byte, to netip.AddrPort, own [16]byte) (err error) {
	if own != [16]byte{} {
		_, _, err = c.conn.WriteMsgUDPAddrPort(b, putOwn(make([]byte, controlSize), own, c.six), to)
	} else {
		_, err = c.conn.WriteToUDPAddrPort(b, to)
	}
	return err
}

func (c *netSocket) wake() { _ = c.conn.Close() }

func (c *netSocket) close() error {
	if c.packet != nil {
		c.packet.Free()
	}
	return nil
}
