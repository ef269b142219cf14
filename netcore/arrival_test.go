package netcore_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// lateEnd is an end whose owner is busy: it takes the datagrams, and sends, only every 40 ms.
type lateEnd struct {
	*lineEnd
	waiting []arrival
	next    netcore.Time
	stamped bool // a datagram's time is that of its arrival
}

type arrival struct {
	at   netcore.Time
	from netcore.Addr
	data []byte
}

func (e *lateEnd) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	e.waiting = append(e.waiting, arrival{now, from, bytes.Clone(d)})
}

func (e *lateEnd) Due(netcore.Time) netcore.Time { return netcore.Never }

func (e *lateEnd) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	if now < e.next {
		return
	}
	e.next = now + 40*ms
	for _, a := range e.waiting {
		if !e.stamped {
			a.at = now
		}
		e.lineEnd.Receive(a.at, a.from, a.data)
	}
	e.waiting = e.waiting[:0]
	e.lineEnd.Send(now, out)
}

// TestBusyOwner: an owner that takes its datagrams up to 40 ms late, in bursts, would look like a
// line with a queue. Datagrams have the time of their arrival, so both ends measure the line alone,
// and the peer keeps its rate.
func TestBusyOwner(t *testing.T) {
	const rate, delay = 256e3, 25 * ms
	const nobody, receiver, sender = 0, 1, 2
	run := func(greedy bool, late int, stamped bool) lineUse {
		l := newLine(1, rate, 100*ms, delay)
		l.add(0).stream.greedy = greedy
		switch late {
		case receiver:
			l.net.Attach(netcore.SimAddr(200), &lateEnd{lineEnd: l.clients[0], stamped: stamped})
		case sender:
			l.net.Attach(l.from[0], &lateEnd{lineEnd: l.servers[0], stamped: stamped})
		}
		l.use(3 * time.Second)
		return l.use(13 * time.Second)
	}
	punctual := run(true, nobody, true)
	assert.Greater(t, run(true, receiver, true).used, punctual.used-.02)
	assert.Less(t, run(true, receiver, false).used, punctual.used-.05, "without times of arrival")

	punctual = run(false, nobody, true)
	for _, late := range []int{receiver, sender} {
		assert.InDelta(t, float64(punctual.rtt), float64(run(false, late, true).rtt), float64(2*ms))
		assert.Greater(t, run(false, late, false).rtt, punctual.rtt+15*ms, "without times of arrival")
	}
}
