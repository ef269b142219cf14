package udp

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/netcore"
)

// rawSocket is the socket of a server. A read gets all datagrams that wait in the kernel, with one
// call of recvmmsg(2). It waits at a gate if there are none.
type rawSocket struct {
	fd   int
	six  bool
	gate *gate

	// of the reader
	packets [rawBatch]*Packet
	heads   [rawBatch]messageHead
	memory  [rawBatch]messageMemory

	mu     sync.Mutex // guards the rest
	closed bool
	head   unix.Msghdr
	out    messageMemory
}

const rawBatch = 32 // datagrams that a read gets at most

// messageHead is the kernel's struct mmsghdr.
type messageHead struct {
	unix.Msghdr
	size uint32 // of the datagram
}

// messageMemory is the memory that a messageHead points to, besides the buffer of the packet.
type messageMemory struct {
	name    [unix.SizeofSockaddrInet6]byte
	control [controlSize]byte
	buffer  unix.Iovec
}

// takeOver returns a transport for the socket of conn, and closes conn.
func takeOver(conn *net.UDPConn, six bool) (transport, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	refused := raw.Control(func(old uintptr) {
		if fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0); err == nil {
			err = allowed(fd)
		}
	})
	if refused != nil {
		return nil, refused
	}
	d := &rawSocket{fd: fd, six: six}
	if err == nil {
		d.gate, err = newGate(fd)
	}
	if err == nil { // last, because conn keeps the mode if this side does not take over
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	for i := range d.heads {
		m, h := &d.memory[i], &d.heads[i]
		h.Name, h.Control, h.Iov = &m.name[0], &m.control[0], &m.buffer
		h.SetIovlen(1)
	}
	_ = conn.Close() // this side has the socket now
	return d, nil
}

// allowed returns an error if a sandbox forbids recvmmsg(2). It asks for no datagrams.
func allowed(fd int) error {
	if _, _, err := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(fd), 0, 0, unix.MSG_DONTWAIT, 0, 0); err != 0 {
		return err
	}
	return nil
}

// read implements transport.
func (d *rawSocket) read() (n int, err error) {
	for i := range d.heads {
		if d.packets[i] == nil {
			d.packets[i] = pool.Get().(*Packet)
			d.memory[i].buffer.Base = &d.packets[i].buf[0]
			d.memory[i].buffer.SetLen(len(d.packets[i].buf))
		}
		h := &d.heads[i]
		h.Namelen, h.Flags = unix.SizeofSockaddrInet6, 0
		h.SetControllen(controlSize)
	}
	for {
		// it never blocks, so the scheduler need not know
		got, _, err := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(d.fd), uintptr(unsafe.Pointer(&d.heads[0])), rawBatch, unix.MSG_DONTWAIT, 0, 0)
		switch err {
		case 0:
			return int(got), nil
		case unix.EINTR:
		case unix.EAGAIN:
			if err := d.gate.wait(); err != nil {
				return 0, err
			}
		default:
			return 0, err
		}
	}
}

// take implements transport. A datagram that is longer than the protocol allows fills the buffer.
func (d *rawSocket) take(i int) (p *Packet, own [16]byte, at int64) {
	p, h, m := d.packets[i], &d.heads[i], &d.memory[i]
	d.packets[i] = nil
	p.n, p.From = int(h.size), netcore.UDPAddr(m.from())
	own, at = readControl(m.control[:h.Controllen])
	return p, own, at
}

// from returns the address of the sender.
func (m *messageMemory) from() netip.AddrPort {
	port := binary.BigEndian.Uint16(m.name[2:])
	if binary.NativeEndian.Uint16(m.name[:]) == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(m.name[4:])), port)
	}
	ip := netip.AddrFrom16([16]byte(m.name[8:]))
	if zone := binary.NativeEndian.Uint32(m.name[24:]); zone != 0 {
		ip = ip.WithZone(strconv.FormatUint(uint64(zone), 10))
	}
	return netip.AddrPortFrom(ip, port)
}

// rest implements transport.
func (d *rawSocket) rest(n int) {
	if n < rawBatch {
		time.Sleep(denseTime)
	}
}

// write implements transport.
func (d *rawSocket) write(b []byte, to netip.AddrPort, own [16]byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return net.ErrClosed
	}
	h, m := &d.head, &d.out
	*h = unix.Msghdr{Name: &m.name[0], Namelen: m.putTo(to, d.six), Iov: &m.buffer}
	h.SetIovlen(1)
	if m.buffer = (unix.Iovec{}); len(b) > 0 {
		m.buffer.Base = &b[0]
		m.buffer.SetLen(len(b))
	}
	if own != [16]byte{} {
		h.Control = &m.control[0]
		h.SetControllen(len(putOwn(m.control[:], own, d.six)))
	}
	_, _, failed := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(d.fd), uintptr(unsafe.Pointer(h)), unix.MSG_DONTWAIT)
	for failed == unix.EINTR || failed == unix.EAGAIN { // only a full buffer of the kernel makes it wait
		_, _, failed = unix.Syscall(unix.SYS_SENDMSG, uintptr(d.fd), uintptr(unsafe.Pointer(h)), 0)
	}
	if failed != 0 {
		return failed
	}
	return nil
}

// putTo puts the address of a receiver into name, and returns its size.
func (m *messageMemory) putTo(to netip.AddrPort, six bool) uint32 {
	binary.BigEndian.PutUint16(m.name[2:], to.Port())
	if !six {
		binary.NativeEndian.PutUint16(m.name[:], unix.AF_INET)
		ip := to.Addr().As4()
		copy(m.name[4:], ip[:])
		return unix.SizeofSockaddrInet4
	}
	binary.NativeEndian.PutUint16(m.name[:], unix.AF_INET6)
	ip := to.Addr().As16()
	copy(m.name[8:], ip[:])
	zone := uint64(0)
	if name := to.Addr().Zone(); name != "" {
		zone, _ = strconv.ParseUint(name, 10, 32) // netcore numbers the zones
	}
	binary.NativeEndian.PutUint32(m.name[24:], uint32(zone))
	return unix.SizeofSockaddrInet6
}

// wake implements transport.
func (d *rawSocket) wake() { _ = d.gate.close() }

// close implements transport.
func (d *rawSocket) close() error {
	for _, p := range d.packets {
		if p != nil {
			p.Free()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return unix.Close(d.fd)
}
