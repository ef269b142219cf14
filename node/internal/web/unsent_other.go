//go:build !linux

package web

import "net"

// limitUnsent makes the buffer small that the kernel keeps of a connection.
func limitUnsent(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(16 << 10) // a long queue is only slow
	}
}
