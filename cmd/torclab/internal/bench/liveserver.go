package bench

import (
	"fmt"
	"runtime"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/node/workers"
)

// liveServer is a simServer with a socket and a clock.
type liveServer struct {
	*simServer
	socket  *udp.Socket
	pool    *workers.Pool
	epoch   time.Time
	next    netcore.Time // time of the next tick
	sent    int          // number of datagrams
	timer   *time.Timer
	measure bool
	ticks   []float64 // duration of each tick in ms
	bare    uint64    // bytes of live heap before the first client
	step    *lockstep // nil in real time
}

func openLiveServer(load Load, objects int) (*liveServer, error) {
	t := &liveServer{pool: workers.Start(0), epoch: time.Now(), timer: time.NewTimer(0)}
	var err error
	if t.simServer, err = newSimServer(load, objects, engine.Config{Parallel: t.pool.Parallel}); err != nil {
		return nil, err
	}
	switch {
	case load.Unlimited:
		t.rate = netcore.Rate{Packets: unlimited, Size: netcore.MaxSize}
	case load.Size > 0:
		t.rate = netcore.Rate{Packets: netcore.DefaultPackets, Size: load.Size}
	default: // the workload's definition, although loopback carries more
		t.rate = netcore.Rate{Packets: netcore.DefaultPackets, Size: netcore.BaseDatagram}
	}
	t.bare = liveHeap()
	t.socket, err = udp.Listen("127.0.0.1:0")
	return t, err
}

func (t *liveServer) close() {
	t.host.Shutdown("")
	t.host.Send(t.now(), t.out)
	_ = t.socket.Close()
	t.pool.Stop()
}

func (t *liveServer) address() string {
	return fmt.Sprintf("%s#%s", t.socket.Addr(), t.host.Identity().Public)
}

func (t *liveServer) now() netcore.Time {
	if t.step != nil {
		return t.step.now
	}
	return time.Since(t.epoch)
}

func (t *liveServer) out(to netcore.Addr, b []byte) {
	if t.socket.Write(to, b) == nil {
		t.sent++
	}
}

// run serves for the given time. While clients join, the server also sends between ticks. Later it
// sends once per tick, as the workload requires. Only a server in lockstep returns errors.
func (t *liveServer) run(long time.Duration, joining bool) error {
	for end := t.now() + long; t.now() < end; {
		if t.step != nil {
			if err := t.step.turn(t.next, t.socket, t.receive, t.tick); err != nil {
				return err
			}
			continue
		}
		t.wait()
		if t.now() >= t.next {
			t.tick()
		} else if joining {
			t.host.Send(t.now(), t.out)
		}
	}
	return nil
}

// wait waits for packets until the next tick is due, then reads the queued packets.
func (t *liveServer) wait() {
	t.timer.Reset(max(0, t.next-t.now()))
	select {
	case p, open := <-t.socket.Packets():
		if open {
			t.receive(p)
		}
	case <-t.timer.C:
	}
	for range eventsAhead {
		select {
		case p, open := <-t.socket.Packets():
			if !open {
				return
			}
			t.receive(p)
		default:
			return
		}
	}
}

func (t *liveServer) receive(p *udp.Packet) {
	t.host.Receive(t.now(), p.From, p.Bytes())
	p.Free()
}

// liveHeap returns the bytes of the heap that are in use after two garbage collections. The first
// one does not free the buffers of a sync.Pool.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// tick runs one server tick. The host gets the tick's due time instead of the current time. So the
// rate limit of one packet per tick allows a packet in every tick, even on a slow machine.
func (t *liveServer) tick() (sent int) {
	start := time.Now()
	t.host.Tick(t.next)
	t.host.Send(t.next, t.out)
	for before := -1; t.load.Unlimited && t.sent > before; {
		before = t.sent
		t.host.Send(t.now(), t.out)
	}
	if t.measure {
		t.ticks = append(t.ticks, milliseconds(time.Since(start)))
	}
	t.next += tickTime
	return t.sent
}

// replicateCounters is the state of the server's counters at one moment.
type replicateCounters struct {
	at             netcore.Time
	cpu            time.Duration
	known          bool
	memory         runtime.MemStats
	packets, bytes uint64
	updates        uint64
	relative       uint64
	dropped        uint64
	world          time.Duration
}

func (t *liveServer) tally() (y replicateCounters) {
	runtime.ReadMemStats(&y.memory)
	for _, c := range t.host.Connections() {
		n, g := c.Net().Stats(), c.Ghosts().Stats()
		y.packets += n.Sent
		y.bytes += n.SentBytes
		y.dropped += n.Dropped
		y.updates += g.Updates + g.Creates
		y.relative += g.Relative
	}
	y.at, y.world = t.now(), t.movers.spent
	y.cpu, y.known = processCPU()
	return y
}
