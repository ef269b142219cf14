package udp

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/netcore"
)

// batch reads all datagrams that wait in the kernel with one call of recvmmsg(2).
type batch struct {
	raw     syscall.RawConn
	packets []*Packet
	heads   []messageHead
	memory  []messageMemory
	try     func(fd uintptr) (done bool) // receive as a value, made once
	n       int                          // result of receive
	err     error                        // the same
}

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

// newBatch returns a batch for at most size datagrams.
func newBatch(conn *net.UDPConn, size int) (*batch, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	b := &batch{raw: raw, packets: make([]*Packet, size), heads: make([]messageHead, size), memory: make([]messageMemory, size)}
	for i := range b.heads {
		m, h := &b.memory[i], &b.heads[i]
		h.Name, h.Control, h.Iov = &m.name[0], &m.control[0], &m.buffer
		h.SetIovlen(1)
	}
	b.try = b.receive
	return b, nil
}

// read waits for datagrams, and returns the number of those that it got.
func (b *batch) read() (int, error) {
	for i := range b.heads {
		if b.packets[i] == nil {
			b.packets[i] = pool.Get().(*Packet)
			b.memory[i].buffer.Base = &b.packets[i].buf[0]
			b.memory[i].buffer.SetLen(len(b.packets[i].buf))
		}
		h := &b.heads[i]
		h.Namelen, h.Flags = unix.SizeofSockaddrInet6, 0
		h.SetControllen(controlSize)
	}
	if err := b.raw.Read(b.try); err != nil {
		return 0, err
	}
	return b.n, b.err
}

// receive gets the datagrams that wait. It returns false if there are none.
func (b *batch) receive(fd uintptr) (done bool) {
	for {
		n, _, err := unix.Syscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&b.heads[0])), uintptr(len(b.heads)), unix.MSG_DONTWAIT, 0, 0)
		switch err {
		case 0:
			b.n, b.err = int(n), nil
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return false
		default:
			b.n, b.err = 0, err
		}
		return true
	}
}

// take returns packet i of the newest read, and what the kernel says about it: the own address that the
// peer asked, and the time of arrival. The packet belongs to the caller then. A datagram that is longer
// than the protocol allows fills the buffer of the packet.
func (b *batch) take(i int) (p *Packet, own [16]byte, at int64) {
	p, h, m := b.packets[i], &b.heads[i], &b.memory[i]
	b.packets[i] = nil
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

// close gives the packets back.
func (b *batch) close() {
	for _, p := range b.packets {
		if p != nil {
			p.Free()
		}
	}
}
