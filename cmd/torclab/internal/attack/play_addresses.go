package attack

import (
	"net"
	"net/netip"
	"time"
)

// playAddresses sends a packet from each of many addresses with one port, and opens sessions from
// many of them.
func playAddresses(r *round) error {
	const most = 50_000 // guests use the addresses after these
	port, sent, sessions := uint16(0), 0, 0
	var buf []byte
	err := r.during(func() error {
		for range 50 {
			c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(sent%most), port)))
			if err != nil {
				return err
			}
			port = c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
			if buf = spoofed(buf[:0]); sent%2 == 1 {
				buf = junk(buf[:0])
			}
			_, _ = c.WriteToUDPAddrPort(buf, r.to)
			_ = c.Close()
			sent++
		}
		c, err := r.attacker(sessions, clientSpec{from: r.address((sessions * 256) % most), tamper: mute})
		if err != nil {
			return err
		}
		if sessions++; sessions > halfOpen {
			r.bad.do(func() { c = r.bad.all[0] })
			r.bad.remove(c, "", true)
		}
		time.Sleep(2 * time.Millisecond)
		return nil
	})
	r.note("packets from %d addresses with one port, %d half-open sessions", min(sent, most), sessions)
	return err
}
