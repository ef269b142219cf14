package natsfleet

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A pair of counters that one batch writes, and what its writer knows of it.
type pair struct {
	member *member
	n      int // newest acknowledged
	revs   [2]bus.Revision
	last   atomic.Int64 // when it was acknowledged
}

// A pairLoad is members that count pairs while a test breaks their NATS. It measures how long
// nothing is acknowledged.
type pairLoad struct {
	t     *testing.T
	c     *natstest.Cluster
	pairs []*pair
	stop  atomic.Bool
	all   sync.WaitGroup

	silent time.Duration // longest silence of this phase
	led    time.Duration // most of one silence in which the stream had a leader
	now    time.Duration // of this silence, the time in which the stream had a leader
	acked  int64         // at the last look, when the newest batch was acknowledged
	seen   time.Time     // the last look
	leader *natstest.Node
	since  time.Time     // of that leader
	answer time.Duration // longest from a new leader to the first batch
	waits  bool          // for that batch
}

// loadOf lets members count.
func loadOf(t *testing.T, c *natstest.Cluster, members int) *pairLoad {
	l := &pairLoad{t: t, c: c, seen: time.Now(), acked: time.Now().UnixNano()}
	for i := range members {
		p := &pair{member: join(t, config(c), fmt.Sprint("arena-", i)).follow(coins)}
		p.member.pause = p.member.live
		l.pairs = append(l.pairs, p)
		l.all.Go(func() { l.count(p) })
	}
	return l
}

func (l *pairLoad) count(p *pair) {
	m := p.member
	for !l.stop.Load() {
		v := strconv.Itoa(p.n + 1)
		out := m.outcome(m.commit(coins, set(m.name+"-a", v, p.revs[0]), set(m.name+"-b", v, p.revs[1])))
		if !assert.Empty(l.t, out.Err, "a batch of %s was refused", m.name) {
			return
		}
		p.n, p.revs = p.n+1, [2]bus.Revision(out.Revs)
		p.last.Store(time.Now().UnixNano())
		time.Sleep(5 * time.Millisecond)
	}
}

// newest returns when the newest batch of any member was acknowledged, and when that of the member
// was that waits longest.
func (l *pairLoad) newest() (newest, oldest int64) {
	for i, p := range l.pairs {
		at := p.last.Load()
		newest = max(newest, at)
		if oldest = min(oldest, at); i == 0 {
			oldest = at
		}
	}
	return newest, oldest
}

// watch measures silence for a time.
func (l *pairLoad) watch(length time.Duration) {
	for until := time.Now().Add(length); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		l.look()
	}
}

// lookTime is the most that counts between two looks: a test that gets no processor measures
// nothing.
const lookTime = 250 * time.Millisecond

// look looks once whether a batch was acknowledged, and who leads.
func (l *pairLoad) look() {
	now, leader := time.Now(), l.c.Led(sharedStream)
	newest, _ := l.newest()
	if leader != l.leader && leader != nil {
		l.since, l.waits = now, true
	}
	if newest > l.acked {
		if l.waits && newest > l.since.UnixNano() {
			l.answer, l.waits = max(l.answer, time.Duration(newest-l.since.UnixNano())), false
		}
		l.acked, l.now = newest, 0
	} else if leader != nil && l.leader != nil {
		l.now += min(now.Sub(l.seen), lookTime)
	}
	l.silent = max(l.silent, now.Sub(time.Unix(0, l.acked)))
	l.led = max(l.led, l.now)
	l.seen, l.leader = now, leader
}

// everybody waits until each member has had an answer from now on.
func (l *pairLoad) everybody() {
	l.t.Helper()
	limit, now := testenv.Limit(l.t), time.Now().UnixNano()
	for _, oldest := l.newest(); oldest < now; _, oldest = l.newest() {
		if testenv.Expired(limit) {
			require.FailNow(l.t, "a member has no answer")
		}
		l.look()
		testenv.Pause()
	}
}

// notices waits until the members notice that so many nodes have died: nobody has had an answer for
// a second. One node may be missed by nobody.
func (l *pairLoad) notices(nodes int) {
	l.t.Helper()
	limit, began := testenv.Limit(l.t), time.Now()
	for {
		newest, oldest := l.newest()
		if nodes == 1 && oldest > began.UnixNano() || time.Since(time.Unix(0, newest)) >= time.Second {
			return
		}
		require.False(l.t, testenv.Expired(limit), "members have answers without a majority of the nodes")
		l.look()
		testenv.Pause()
	}
}

// goesOn waits until all nodes are healthy and each member has had an answer since then, and judges
// the silence before it. A node is healthy before its streams have a leader, so without that wait
// the next fault would find an election, and begin another one.
//
// An election takes nats-server 4 to 9 s, and as long again if the candidate fails: on a busy
// machine 20 servers were silent for 6 to 11 s in each kind of kill but that of a follower, and 0.4
// to 2.2 s of that with a leader. So silence without a leader is told, and silence with one is
// judged.
func (l *pairLoad) goesOn(name string) {
	l.t.Helper()
	for _, n := range l.c.Nodes {
		for limit := testenv.Limit(l.t); !n.Healthy() && !testenv.Expired(limit); testenv.Pause() {
			l.look()
		}
		n.WaitHealthy()
	}
	l.everybody()
	l.t.Logf("%s: longest silence %v, %v of it with a leader; first batch of a new leader after %v; load %s", name,
		l.silent.Round(time.Millisecond), l.led.Round(time.Millisecond), l.answer.Round(time.Millisecond), load())
	assert.Less(l.t, l.led, 15*time.Second, "the stream had a leader, and nothing was acknowledged")
	l.silent, l.led, l.answer = 0, 0, 0
}

// end ends the load and compares what a new server reads with what was acknowledged.
func (l *pairLoad) end() {
	l.t.Helper()
	l.stop.Store(true)
	l.all.Wait()
	fresh := join(l.t, config(l.c), "fresh").follow(coins)
	acked := 0
	for _, p := range l.pairs {
		name, want := p.member.name, strconv.Itoa(p.n)
		assert.Equal(l.t, []string{want, want}, []string{fresh.text(coins, name+"-a"), fresh.text(coins, name+"-b")}, name)
		acked += p.n
	}
	l.t.Logf("%d acknowledged batches, 0 lost, 0 halves, 0 refused; load %s", acked, load())
}
