package bench

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

// A lockstep makes the server and its clients tick in turn. Its clock advances by one tick in each
// turn, so the packets are the same however busy the machine is. The server's process sleeps while
// the clients run, so its CPU time holds nothing of the wait.
type lockstep struct {
	crowd    *clientsCommand
	now      netcore.Time
	received int // datagrams from the clients
	expected int // datagrams that the clients have sent
}

// lostAfter is how long a turn waits for a datagram that the other side has sent. Loopback delivers
// at once, so a later one got lost in a full buffer of the kernel.
const lostAfter = 200 * time.Millisecond

// turn runs the server's tick that is due at a time, and then one of every client. tick returns the
// number of datagrams that the server has sent so far.
func (s *lockstep) turn(now netcore.Time, socket *udp.Socket, receive func(*udp.Packet), tick func() (sent int)) error {
	s.now = now
	s.readAll(socket, receive)
	sent, err := s.crowd.turn(tick())
	if err != nil {
		return fmt.Errorf("turn of the clients: %w", err)
	}
	s.expected = sent
	return nil
}

// readAll reads all datagrams that the clients have sent in their turn.
func (s *lockstep) readAll(socket *udp.Socket, receive func(*udp.Packet)) {
	timer := time.NewTimer(lostAfter)
	defer timer.Stop()
	for ; s.received < s.expected; timer.Reset(lostAfter) {
		select {
		case p, open := <-socket.Packets():
			if !open {
				return
			}
			s.received++
			receive(p)
		case <-timer.C:
			s.received = s.expected
		}
	}
}
