package bench

import (
	"runtime"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/workers"
)

// liveServer is a simServer with a socket and a clock.
type liveServer struct {
	*simServer
	loop
	pool    *workers.Pool
	measure bool
	ticks   []float64 // duration of each tick in ms
	bare    uint64    // bytes of live heap before the first client
}

func openLiveServer(load Load, objects int) (*liveServer, error) {
	t := &liveServer{pool: workers.Start(0), loop: loop{epoch: time.Now(), timer: time.NewTimer(0)}}
	t.work = t.serve
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
	t.serves = t.host
	return t, t.open()
}

func (t *liveServer) close() {
	t.loop.close()
	t.pool.Stop()
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

// serve runs one server tick. The host gets the tick's due time instead of the current time. So the
// rate limit of one packet per tick allows a packet in every tick, even on a slow machine.
func (t *liveServer) serve() {
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
