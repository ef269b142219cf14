//go:build !linux

package udp

import (
	"net"

	"github.com/torc-engine/torc/netcore"
)

// batch reads one datagram at a time.
type batch struct {
	conn    *net.UDPConn
	packet  *Packet
	zones   zones
	packets [1]struct{}
}

func newBatch(conn *net.UDPConn, _ int) (*batch, error) {
	return &batch{conn: conn, zones: make(zones)}, nil
}

func (b *batch) read() (int, error) {
	if b.packet == nil {
		b.packet = pool.Get().(*Packet)
	}
	n, _, _, from, err := b.conn.ReadMsgUDPAddrPort(b.packet.buf[:], nil)
	if err != nil {
		return 0, err
	}
	b.packet.n, b.packet.From = n, netcore.UDPAddr(b.zones.number(from))
	return 1, nil
}

func (b *batch) take(int) (p *Packet, own [16]byte, at int64) {
	p, b.packet = b.packet, nil
	return p, own, 0
}

func (b *batch) close() {
	if b.packet != nil {
		b.packet.Free()
	}
}
