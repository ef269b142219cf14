package attack

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// playCopies sends a copy of every packet of some clients from another address, before the true one.
// The server must not follow the copies: their address gets nothing but challenges, at most three
// bytes for each byte from it.
func playCopies(r *round) error {
	s, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(200), 0)))
	if err != nil {
		return err
	}
	var paid, got atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := make([]byte, 2048); ; {
			n, err := s.Read(b)
			if err != nil {
				return
			}
			got.Add(int64(n))
		}
	}()
	copies := func(int) tampering {
		return func(b []byte, send func([]byte), sent *atomic.Int64) {
			if n, err := s.WriteToUDPAddrPort(b, r.to); err == nil {
				paid.Add(int64(n))
				sent.Add(1)
			}
			send(b)
		}
	}
	err = playTampered(1, copies)(r)
	time.Sleep(100 * time.Millisecond) // for the last challenges
	_ = s.Close()
	<-done
	r.note("the address of the copies sent %d bytes and got %d", paid.Load(), got.Load())
	r.fail(got.Load() > 3*paid.Load(), "more than three bytes for each")
	r.fail(got.Load() == 0 && err == nil, "no challenge came, so the row proves nothing")
	return err
}
