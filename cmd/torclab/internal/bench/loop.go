package bench

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

// loop serves a host on a socket, in real time or in lockstep with its clients.
type loop struct {
	serves *engine.Host
	begin  func() // begins a turn of a lockstep; can be nil
	work   func() // runs the tick that is due
	posts  chan func()
	socket *udp.Socket
	epoch  time.Time
	next   netcore.Time // time of the next tick
	sent   int          // number of datagrams
	timer  *time.Timer
	step   *lockstep // nil in real time
}

// open opens the socket.
func (l *loop) open() (err error) {
	l.socket, err = udp.Listen("127.0.0.1:0")
	return err
}

// close disconnects the clients and closes the socket.
func (l *loop) close() {
	l.serves.Shutdown("")
	l.serves.Send(l.now(), l.out)
	_ = l.socket.Close()
}

func (l *loop) address() string {
	return fmt.Sprintf("%s#%s", l.socket.Addr(), l.serves.Identity().Public)
}

func (l *loop) now() netcore.Time {
	if l.step != nil {
		return l.step.now
	}
	return time.Since(l.epoch)
}

func (l *loop) out(to netcore.Addr, b []byte) {
	if l.socket.Write(to, b) == nil {
		l.sent++
	}
}

// run serves for the given time. While clients join, the server also sends between ticks. Later it
// sends once per tick, as the workloads require. Only a server in lockstep returns errors.
func (l *loop) run(long time.Duration, joining bool) error {
	for end := l.now() + long; l.now() < end; {
		if l.step != nil {
			if err := l.turn(); err != nil {
				return err
			}
			continue
		}
		l.wait()
		if l.now() >= l.next {
			l.tick()
		} else if joining {
			l.serves.Send(l.now(), l.out)
		}
	}
	return nil
}

func (l *loop) tick() {
	l.work()
	l.next += tickTime
}

// wait waits for packets and posts until the next tick is due, then reads the queued packets.
func (l *loop) wait() {
	l.timer.Reset(max(0, l.next-l.now()))
	select {
	case p, open := <-l.socket.Packets():
		if open {
			l.receive(p)
		}
	case post := <-l.posts:
		post()
	case <-l.timer.C:
	}
	for range eventsAhead {
		select {
		case p, open := <-l.socket.Packets():
			if !open {
				return
			}
			l.receive(p)
		default:
			return
		}
	}
}

func (l *loop) receive(p *udp.Packet) {
	l.serves.Receive(l.now(), p.From, p.Bytes())
	p.Free()
}

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
// at once, so a later one got lost in a full buffer of the kernel. On a busy machine, the reader of
// a socket can wait for some tenths of a second until it runs.
const lostAfter = time.Second

// turn runs one tick of the server, and then one of every client.
func (l *loop) turn() error {
	if l.begin != nil {
		l.begin()
	}
	l.step.now = l.next
	l.readAll()
	l.tick()
	sent, err := l.step.crowd.turn(l.sent)
	if err != nil {
		return fmt.Errorf("turn of the clients: %w", err)
	}
	l.step.expected = sent
	return nil
}

// readAll reads all datagrams that the clients have sent in their turn.
func (l *loop) readAll() {
	for s := l.step; s.received < s.expected; {
		l.timer.Reset(lostAfter)
		select {
		case p, open := <-l.socket.Packets():
			if !open {
				return
			}
			s.received++
			l.receive(p)
		case <-l.timer.C:
			s.received = s.expected
		}
	}
}
