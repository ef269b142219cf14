package bench

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/netcore"
)

const (
	eventsAhead = 1024     // events that wait to be packed: more than a packet takes
	ackEach     = 4        // packets that the receiver takes in before it answers
	unlimited   = 10000000 // packets per second: the machine is the limit
	restMost    = 2 * time.Millisecond
	spinMost    = 50 * time.Microsecond // that the sender asks for answers before it sleeps
)

// events is one connection over loopback that carries ordered events as fast as
// it goes: a sender and a receiver, a thread each, besides the readers of their
// sockets. The sender's CPU is its thread's; all else is put down to the
// receiver, the readers and the runtime too.
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

// loopback returns two peers with sockets, at the highest rates.
func loopback() (sender, receiver *peer, err error) {
	epoch := time.Now()
	var both [2]*peer
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

// receive answers what comes until stop closes.
func receive(p *peer, got *atomic.Uint64, stop <-chan struct{}) error {
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

// reading is where the counters of a run stood at one moment.
type reading struct {
	at                    time.Time
	thread, process       time.Duration
	known                 bool
	got                   uint64
	events, bytes, packed uint64
}

func (p *peer) read(got *atomic.Uint64) reading {
	r := reading{at: time.Now(), got: got.Load(), events: p.events.Stats().Sent}
	r.bytes, r.packed = p.conn.Stats().SentBytes, p.conn.Stats().Sent
	thread, ok := threadCPU()
	process, also := processCPU()
	r.thread, r.process, r.known = thread, process, ok && also
	return r
}

// send posts and sends for a warm-up and then for the row's time.
func send(p *peer, to netcore.Addr, receiver *peer, row time.Duration, got *atomic.Uint64) (Row, error) {
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

// pump sends for so long.
func (p *peer) pump(timer *time.Timer, long time.Duration) error {
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
			p.wait(timer, restMost, 64) // the window is full
		}
	}
	return nil
}

func speed(a, b reading) Row {
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
