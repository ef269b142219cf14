package attack

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// floodSockets is the number of source addresses of a flood.
const floodSockets = 64

// flood is packets to an address, at a rate.
type flood struct {
	write  func(n int64, b []byte) error // sends the n-th packet of a burst
	close  func()
	stop   chan struct{}
	done   sync.WaitGroup
	sent   atomic.Int64
	failed atomic.Int64
}

// startFlood sends perSecond packets per second to an address until it is ended, from floodSockets
// addresses. packet writes a packet into a buffer and returns it.
func startFlood(to netip.AddrPort, from func(n int) netip.Addr, perSecond int, packet func(b []byte) []byte) (*flood, error) {
	var sockets []*net.UDPConn
	f := &flood{close: func() {
		for _, s := range sockets {
			_ = s.Close()
		}
	}}
	for i := range floodSockets {
		s, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from(i), 0)))
		if err != nil {
			f.close()
			return nil, fmt.Errorf("%w; the flood needs the addresses 127.0.0.0/8 of Linux", err)
		}
		_ = s.SetReadBuffer(1) // nobody reads the answers
		sockets = append(sockets, s)
	}
	f.write = func(n int64, b []byte) error {
		_, err := sockets[n%floodSockets].WriteToUDPAddrPort(b, to)
		return err
	}
	f.start(perSecond, packet)
	return f, nil
}

func (f *flood) start(perSecond int, packet func(b []byte) []byte) {
	f.stop = make(chan struct{})
	f.done.Add(1)
	go f.run(perSecond, packet)
}

// run sends what is due each millisecond. It sends less if the machine is too slow.
func (f *flood) run(perSecond int, packet func(b []byte) []byte) {
	defer f.done.Done()
	b := make([]byte, 0, 1500)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for start, last := time.Now(), int64(0); ; {
		select {
		case <-f.stop:
			return
		case <-ticker.C:
		}
		due := int64(time.Since(start).Seconds() * float64(perSecond))
		n := min(due-last, int64(perSecond/50+1)) // never more than 20 ms at once
		last = due
		for i := range n {
			if f.write(i, packet(b[:0])) == nil {
				f.sent.Add(1)
			} else {
				f.failed.Add(1)
			}
		}
	}
}

// end stops the flood and returns the number of packets sent.
func (f *flood) end() int64 {
	close(f.stop)
	f.done.Wait()
	f.close()
	return f.sent.Load()
}

// challengeSize is the size of a challenge request in bytes.
const challengeSize = 80

// spoofed is a challenge request as of somebody who cannot read the answer.
func spoofed(b []byte) []byte {
	b = append(b, 0xC4) // a challenge request
	b = binary.LittleEndian.AppendUint64(b, rand.Uint64())
	b = binary.LittleEndian.AppendUint64(b, rand.Uint64())
	b = append(b, "torc"...)
	return append(b, make([]byte, challengeSize-len(b))...)
}

// junk is a packet of random bytes, of any kind.
func junk(b []byte) []byte {
	for range 1 + rand.IntN(300) {
		b = append(b, byte(rand.Uint32()))
	}
	return b
}

// kernelDrops returns the number of packets that the kernel dropped before the server's socket
// could take them. known is false if the system has no such figure.
func kernelDrops(to netip.AddrPort) (drops int64, known bool) {
	for _, table := range []string{"/proc/net/udp", "/proc/net/udp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			f := strings.Fields(line)
			if len(f) < 13 || !strings.HasSuffix(f[1], fmt.Sprintf(":%04X", to.Port())) || !boundTo(f[1], to.Addr()) {
				continue
			}
			n, err := strconv.ParseInt(f[len(f)-1], 10, 64)
			if err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// datagramsIn returns the number of datagrams that all sockets of this network namespace have read,
// 0 if the system has no such figure.
func datagramsIn() int64 {
	text, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Udp:" && f[1] != "InDatagrams" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}

// boundTo reports whether a local address of the kernel's table is an IP address or all of them.
func boundTo(local string, ip netip.Addr) bool {
	text, _, _ := strings.Cut(local, ":")
	b, err := hex.DecodeString(text)
	if err != nil {
		return false
	}
	for i := 0; i+4 <= len(b); i += 4 { // words of this machine's byte order
		slices.Reverse(b[i : i+4])
	}
	bound, ok := netip.AddrFromSlice(b)
	return ok && (bound.IsUnspecified() || bound.Unmap() == ip.Unmap())
}
