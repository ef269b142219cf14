package web

import (
	"net"

	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/netcore"
)

// limitUnsent makes writes wait while the kernel holds about a datagram that it has not sent yet.
// Without that it would take megabytes, and the queue would be there instead of in the outbox.
func limitUnsent(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, netcore.MaxDatagram) // a long queue is only slow
			})
		}
	}
}
