package udp

import (
	"encoding/binary"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// controlSize has room for a control message with an address, of either family, and one with a
// time.
const controlSize = 128

// requestTimes asks the kernel to tell with each datagram when it arrived.
func requestTimes(conn *net.UDPConn) {
	if raw, err := conn.SyscallConn(); err == nil {
		// Without the kernel's times, those of the reader count.
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) })
	}
}

// requestOwn asks the kernel to tell with each datagram the own address that the peer sent to. It
// reports whether the kernel does.
func requestOwn(conn *net.UDPConn, six bool) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	level, option := unix.IPPROTO_IP, unix.IP_PKTINFO
	if six { // it also tells IPv4 addresses, in mapped form
		level, option = unix.IPPROTO_IPV6, unix.IPV6_RECVPKTINFO
	}
	refused := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), level, option, 1) })
	return refused == nil && err == nil
}

// readControl returns what the control messages of a datagram say: the address of this side, and
// the time of arrival in Unix nanoseconds. The zero values mean that they do not say it.
func readControl(control []byte) (own [16]byte, at int64) {
	for len(control) >= unix.CmsgLen(0) {
		head, data, rest, err := unix.ParseOneSocketControlMessage(control)
		if err != nil {
			break
		}
		switch {
		case head.Level == unix.IPPROTO_IP && head.Type == unix.IP_PKTINFO && len(data) >= unix.SizeofInet4Pktinfo:
			own = netip.AddrFrom4([4]byte(data[4:])).As16() // after the index of the interface
		case head.Level == unix.IPPROTO_IPV6 && head.Type == unix.IPV6_PKTINFO && len(data) >= unix.SizeofInet6Pktinfo:
			own = [16]byte(data)
		case head.Level == unix.SOL_SOCKET && head.Type == unix.SO_TIMESTAMPNS && len(data) >= 16: // of 64-bit systems
			at = int64(binary.NativeEndian.Uint64(data))*1e9 + int64(binary.NativeEndian.Uint64(data[8:]))
		}
		control = rest
	}
	return own, at
}

// own4 and own6 are control messages without an address.
var (
	own4 = unix.PktInfo4(&unix.Inet4Pktinfo{})
	own6 = unix.PktInfo6(&unix.Inet6Pktinfo{})
)

// putOwn puts the control message into b that lets a datagram leave from own.
func putOwn(b []byte, own [16]byte, six bool) []byte {
	if six {
		b = b[:copy(b, own6)]
		copy(b[unix.CmsgLen(0):], own[:])
		return b
	}
	b = b[:copy(b, own4)]
	copy(b[unix.CmsgLen(4):], own[12:])
	return b
}
