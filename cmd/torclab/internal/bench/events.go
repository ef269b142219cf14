package bench

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/netcore"
)

const (
	eventsAhead = 1024     // queued events: more than fit into a packet
	ackEach     = 4        // packets that the receiver reads before it replies
	unlimited   = 10000000 // packets per second, more than any machine reaches
	restMost    = 2 * time.Millisecond
	spinMost    = 50 * time.Microsecond // time that the sender polls for packets before it sleeps
)

// events runs one loopback connection with ordered events at full speed. Sender and receiver have a
// thread each, besides the readers of their sockets. The sender's CPU time is that of its thread.
// All other CPU time, including socket readers and runtime, is charged to the receiver.
func events(row time.Duration, emit func(Row)) error {
	sender, receiver, err := loopback()
	if err != nil {
		return err
	}
	var got atomic.Uint64
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- receive(receiver, &got, stop) }()
	fields, err := send(sender, receiver.addr(), receiver, row, &got)
	close(stop)
	err = errors.Join(err, <-done, sender.close(), receiver.close())
	if err == nil {
		emit(fields)
	}
	return err
}

// loopback returns two peers with sockets and without a practical rate limit.
func loopback() (sender, receiver *benchPeer, err error) {
	epoch := time.Now()
	var both [2]*benchPeer
	for i := range both {
		both[i], err = newPeer(netcore.Config{
			Accepting: i == 1, MaxSend: netcore.Rate{Packets: unlimited, Size: netcore.MaxSize},
		})
		if err == nil {
			err = both[i].bind(epoch)
		}
		if err != nil {
			return nil, nil, err
		}
		p := both[i]
		p.entered = func() { p.conn.Boost(true) }
	}
	return both[0], both[1], nil
}

// receive reads and acknowledges packets until stop closes.
func receive(p *benchPeer, got *atomic.Uint64, stop <-chan struct{}) error {
	timer := time.NewTimer(restMost)
	for {
		p.wait(timer, restMost, ackEach)
		now := p.now()
		p.Tick(now)
		p.Send(now, p.out)
		got.Store(uint64(p.count.next))
		select {
		case <-stop:
			return p.err
		default:
		}
	}
}

// eventCounters is the state of all counters at one moment.
type eventCounters struct {
	at                    time.Time
	thread, process       time.Duration
	known                 bool
	got                   uint64
	events, bytes, packed uint64
}

func (p *benchPeer) read(got *atomic.Uint64) eventCounters {
	r := eventCounters{at: time.Now(), got: got.Load(), events: p.events.Stats().Sent}
	r.bytes, r.packed = p.conn.Stats().SentBytes, p.conn.Stats().Sent
	thread, ok := threadCPU()
	process, also := processCPU()
	r.thread, r.process, r.known = thread, process, ok && also
	return r
}

// send posts and sends events for a warm-up, then for the row's duration.
func send(p *benchPeer, to netcore.Addr, receiver *benchPeer, row time.Duration, got *atomic.Uint64) (Row, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.dial(p.now(), receiver, to)
	timer := time.NewTimer(restMost)
	for p.conn == nil && p.err == nil {
		p.Tick(p.now())
		p.Send(p.now(), p.out)
		p.wait(timer, restMost, ackEach)
	}
	if err := p.pump(timer, row/10); err != nil {
		return nil, err
	}
	before := p.read(got)
	if err := p.pump(timer, row); err != nil {
		return nil, err
	}
	return speed(before, p.read(got)), nil
}

// pump posts and sends for the given time.
func (p *benchPeer) pump(timer *time.Timer, long time.Duration) error {
	busy := p.now()
	for end := busy + long; p.now() < end; {
		for p.err == nil && p.events.Queued() < eventsAhead && p.count.post(p.events) == nil {
		}
		if p.err != nil {
			return p.err
		}
		before, now := p.conn.Stats().Sent, p.now()
		p.Tick(now)
		p.Send(now, p.out)
		switch {
		case p.conn.Stats().Sent > before:
			busy = now
			fallthrough
		case now-busy < spinMost:
			p.poll(64)
		default:
			p.wait(timer, restMost, 64) // the send window is full
		}
	}
	return nil
}

func speed(a, b eventCounters) Row {
	events := float64(b.got - a.got)
	sent := float64(b.events - a.events)
	r := Row{
		{"events_per_s", events / b.at.Sub(a.at).Seconds()},
		{"sender_cpu_ns_per_event", nil},
		{"receiver_cpu_ns_per_event", nil},
		{"bits_per_event", 8 * float64(b.bytes-a.bytes) / sent},
		{"events_per_packet", sent / float64(b.packed-a.packed)},
	}
	if thread := b.thread - a.thread; a.known && b.known {
		r[1].Value = float64(thread.Nanoseconds()) / sent
		r[2].Value = float64((b.process - a.process - thread).Nanoseconds()) / events
	}
	return r
}
