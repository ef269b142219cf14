package attack

import (
	"fmt"
	"net"
	"net/netip"
	"time"
)

// A packet of a client begins with a byte and the connection id.
const (
	idBytes   = 9
	firstByte = 0xC0 // of every packet of a connection; handshakes begin with others
)

// inHandshake reports whether a packet of a client belongs to the handshake.
func inHandshake(b []byte) bool { return b[0] != firstByte || b[idBytes]&3 == 0 }

// lastRequest is the first byte of the packet that opens a session.
const lastRequest = 0xC0 + 3<<2

// mute sends only the packets up to the connect request: the session that it opens never speaks.
func mute(_ *client, b []byte, send func([]byte)) {
	if inHandshake(b) && b[0] <= lastRequest {
		send(b)
	}
}

// halfOpen is the number of sessions that never speak, and hosts the number of their addresses.
const halfOpen, halfOpenHosts = 64, 16

// playHalfOpen opens sessions that never speak, then floods the server with spoofed requests.
func playHalfOpen(r *round) error {
	if err := r.openHalf(); err != nil {
		return err
	}
	r.judgeJoins()
	return r.flooded(spoofed, true)
}

// openHalf opens sessions that never speak, 64 at a time and 64 in a second, from 16 addresses.
func (r *round) openHalf() error {
	n, opened := 0, make([]*client, halfOpen)
	err := r.during(func() (err error) {
		i := n % halfOpen
		if opened[i] != nil {
			r.bad.remove(opened[i], "", true)
		}
		opened[i], err = r.attacker(n, clientSpec{from: r.from(i % halfOpenHosts), tamper: mute})
		if n++; n > halfOpen { // the first ones come at once
			time.Sleep(time.Second / halfOpen)
		}
		return err
	})
	r.note("%d half-open sessions from %d addresses", n, halfOpenHosts)
	return err
}

// flooded floods the server during the time of the attack, from some source addresses.
func (r *round) flooded(packet func([]byte) []byte, joins bool) error {
	f, err := startFlood(r.to, r.address, r.rate(100_000), packet)
	if err != nil {
		return err
	}
	return r.watch(f, fmt.Sprint(floodSockets), r.to, joins)
}

// watch lets a flood go on during the time of the attack, and counts its packets.
func (r *round) watch(f *flood, sources string, to netip.AddrPort, joins bool) (err error) {
	before, _ := kernelDrops(to)
	began := time.Now()
	if joins {
		err = r.during(func() error { time.Sleep(10 * time.Millisecond); return nil })
	} else {
		time.Sleep(r.length)
	}
	took := time.Since(began)
	sent := f.end()
	after, known := kernelDrops(to)
	received := "the socket's share is unknown"
	if known {
		received = fmt.Sprintf("the socket received %d", sent-(after-before))
	}
	r.note("%d packets from %s addresses in %.1f s, %.0f/s: %s", sent, sources, took.Seconds(), float64(sent)/took.Seconds(), received)
	r.fail(sent == 0, "no packet could be sent, so the row proves nothing")
	return err
}

// playSpoofed floods the server with spoofed requests and looks at its memory.
func playSpoofed(r *round) error {
	judgeMemory := r.watchMemory()
	err := r.flooded(spoofed, true)
	judgeMemory(32 << 20)
	return err
}

// playJunk floods the server with junk of all kinds, and counts the bytes of its log.
func playJunk(r *round) error {
	before := len(r.server.log())
	began := time.Now()
	if err := r.flooded(junk, false); err != nil {
		return err
	}
	rate := float64(len(r.server.log())-before) / time.Since(began).Seconds()
	r.note("%.0f bytes/s of log", rate)
	r.fail(rate > 1024, "more than 1 KiB/s of log")
	return nil
}

// playICMP asks from sockets that close before the answer, so that the system reports unreachable
// ports to the server.
func playICMP(r *round) error {
	sent := 0
	for end := time.Now().Add(r.length); time.Now().Before(end); time.Sleep(time.Millisecond) {
		c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(sent%100), 0)))
		if err != nil {
			return err
		}
		for range 4 {
			_, _ = c.WriteToUDPAddrPort(spoofed(nil), r.to)
			sent++
		}
		_ = c.Close()
	}
	r.note("%d requests whose answers find a closed port", sent)
	return nil
}
