package bench

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// noLimits are limits without effect, because the workload measures the server's capacity.
var noLimits = netcore.Limits{Rate: 1e9, HalfOpen: 1 << 20}

// connect emits one row: the cost of handshakes, the time to connect, and the effect of a flood of
// spoofed requests.
func connect(row time.Duration, emit func(Row)) error {
	r, err := handshakes(row)
	if err != nil {
		return err
	}
	p50, err := connectTime(row)
	if err != nil {
		return err
	}
	f, err := flood(row)
	if err != nil {
		return err
	}
	emit(append(append(r, ResultField{"connect_ms_p50", p50}), f...))
	return nil
}

// handshakes opens and closes connections in memory, with both sides on one core.
func handshakes(row time.Duration) (Row, error) {
	client, err := newPeer(netcore.Config{})
	if err != nil {
		return nil, err
	}
	server, err := newPeer(netcore.Config{Accepting: true, Limits: noLimits})
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now, made := netcore.Time(0), 0
	start := time.Now()
	cpu, known := threadCPU()
	for made == 0 || time.Since(start) < row {
		if now, err = connectPair(client, server, now); err != nil {
			return nil, err
		}
		made++
		client.conn.Close(netcore.Reason{Code: netcore.SelfClosed})
		for n := 0; len(client.Conns())+len(server.Conns()) > 0; n++ {
			if n == 100 {
				return nil, errors.New("a connection did not end")
			}
			now = exchange(client, server, now)
		}
	}
	took := time.Since(start)
	if after, ok := threadCPU(); known && ok {
		took = after - cpu
	}
	return Row{
		{"connects_per_s_core", float64(made) / took.Seconds()},
		{"server_connects_per_s_core", float64(made) / server.spent.Seconds()},
	}, nil
}

// connectTime measures connects over idle loopback, each with a new client. Both sides run like the
// program: a tick every 32 ms, and sends in between when something is due.
func connectTime(row time.Duration) (float64, error) {
	server, err := newPeer(netcore.Config{Accepting: true})
	if err == nil {
		err = server.bind(time.Now())
	}
	if err != nil {
		return 0, err
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		server.serve(func() bool {
			select {
			case <-stop:
				return false
			default:
				return true
			}
		})
		close(done)
	}()
	var took []float64
	for start := time.Now(); err == nil && (len(took) == 0 || time.Since(start) < row); {
		// Spread the connects over all phases of the server's tick.
		_, phase := math.Modf(float64(len(took)) * math.Phi)
		time.Sleep(time.Duration(phase * float64(tickTime)))
		var t time.Duration
		t, err = connectOnce(server)
		took = append(took, milliseconds(t))
	}
	close(stop)
	<-done
	slices.Sort(took)
	return quantile(took, 0.5), errors.Join(err, server.close())
}

func connectOnce(server *benchPeer) (time.Duration, error) {
	client, err := newPeer(netcore.Config{})
	if err == nil {
		err = client.bind(time.Now())
	}
	if err != nil {
		return 0, err
	}
	var took netcore.Time
	client.entered = func() { took = client.now() }
	client.dial(0, server, server.addr())
	client.serve(func() bool { return took == 0 && client.err == nil && client.now() < connectMost })
	if took == 0 {
		err = errors.Join(errSilent, client.err)
	}
	return took, errors.Join(err, client.close())
}

// serve ticks, sends and receives like the program does, while more returns true.
func (p *benchPeer) serve(more func() bool) {
	const rest = 250 * time.Microsecond
	timer := time.NewTimer(0)
	for tick := p.now(); more(); {
		now := p.now()
		if now >= tick {
			p.Endpoint.Tick(now)
			tick += tickTime
		}
		p.Send(now, p.out)
		next := min(tick-now, max(p.Due(now)-now, rest))
		p.wait(timer, max(next, 0), 512)
	}
}
