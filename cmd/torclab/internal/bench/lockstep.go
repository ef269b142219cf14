package bench

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
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

// turn runs one tick of the server, and then one of every client.
func (t *liveServer) turn() error {
	t.step.now = t.next
	t.readAll()
	t.tick()
	sent, err := t.step.crowd.turn(t.sent)
	if err != nil {
		return fmt.Errorf("turn of the clients: %w", err)
	}
	t.step.expected = sent
	return nil
}

// readAll reads all datagrams that the clients have sent in their turn.
func (t *liveServer) readAll() {
	s := t.step
	for s.received < s.expected {
		t.timer.Reset(lostAfter)
		select {
		case p, open := <-t.socket.Packets():
			if !open {
				return
			}
			s.received++
			t.receive(p)
		case <-t.timer.C:
			s.received = s.expected
		}
	}
}
