package netcore_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// busyMachine runs both ends of a connection over loopback, and other programs beside. An end runs
// only now and then. Its datagrams leave some time after it has read its clock.
type busyMachine struct {
	ends   [2]*lineEnd
	inbox  [2][]arrival
	next   [2]netcore.Time // when each end runs next
	now    netcore.Time
	pause  netcore.Time // the mean time between two runs of an end
	stall  netcore.Time // one run in ten is later by this
	stamps bool         // the kernel tells when a datagram arrived
	random *rand.Rand
}

func newBusyMachine(seed uint64, at func(uint16) netcore.Addr, pause netcore.Time, stamps bool) *busyMachine {
	l := newLine(seed, 1e9, 100*ms, 0)
	server, client := netcoretest.Pairs(seed)
	b := &busyMachine{pause: pause, stall: 100 * ms, stamps: stamps, random: l.random}
	b.ends = [2]*lineEnd{l.end(at(2), server, 0), l.end(at(1), client, 0)}
	b.ends[0].stream.greedy = true
	return b
}

// run runs until a time. It returns the lowest rate of the server that it sees, in bits/s.
func (b *busyMachine) run(until netcore.Time) (lowest float64) {
	for lowest = b.ends[0].conn.LineRate(); b.now < until; b.now += ms {
		for i := range b.ends {
			if b.now >= b.next[i] {
				b.wake(i)
			}
		}
		lowest = min(lowest, b.ends[0].conn.LineRate())
	}
	return lowest
}

// wake lets an end read what has arrived, tick and send.
func (b *busyMachine) wake(end int) {
	b.next[end] = b.now + netcore.Time(b.random.ExpFloat64()*float64(b.pause))
	if b.random.IntN(10) == 0 {
		b.next[end] += b.stall
	}
	box := b.inbox[end]
	for len(box) > 0 && box[0].at <= b.now {
		at := box[0].at
		if !b.stamps {
			at = b.now
		}
		b.ends[end].Receive(at, box[0].from, box[0].data)
		box = box[1:]
	}
	b.inbox[end] = box
	b.ends[end].Tick(b.now)
	left := b.now + netcore.Time(b.random.Int64N(int64(b.pause)))
	b.ends[end].Send(b.now, func(to netcore.Addr, d []byte) {
		b.inbox[1-end] = append(b.inbox[1-end], arrival{left, to, append([]byte(nil), d...)})
	})
}

// TestBusyMachine: on a busy machine, packets between two programs come late. That looks like a
// line with a queue, and over a line the rate would fall. Here it never falls below one full packet
// per tick, and it is high when the machine has time again.
func TestBusyMachine(t *testing.T) {
	const first = 307_200. // bits/s
	fell := false
	for _, stamps := range []bool{true, false} {
		for _, pause := range []netcore.Time{5 * ms, 40 * ms} {
			for seed := range testenv.SeedCount(t, 1, 20) {
				b := newBusyMachine(seed, loopbackAddr, pause, stamps)
				assert.GreaterOrEqual(t, b.run(6*time.Second), first, "pause %v, stamps %v, seed %d", pause, stamps, seed)
				b.pause, b.stall = ms, 0
				b.run(12 * time.Second)
				assert.Greater(t, b.ends[0].conn.LineRate(), 10*first, "pause %v, stamps %v, seed %d", pause, stamps, seed)
				fell = fell || newBusyMachine(seed, netcore.SimAddr, pause, stamps).run(6*time.Second) < first
			}
		}
	}
	assert.True(t, fell, "over a line it would fall")
}
