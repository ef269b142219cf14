package natsfleet

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// long skips a test that .ci/long runs.
func long(t *testing.T) {
	t.Helper()
	if !testenv.Long() {
		t.Skip("TORC_LONG is not set")
	}
}

// quantile returns a part of sorted durations.
func quantile(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))].Round(10 * time.Microsecond)
}

// load returns the load of the machine, for the figures.
func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	return strings.Join(strings.Fields(string(b))[:1], " ")
}

// TestFiftyServers is F2: 50 connections, five batches a second each, on three nodes that sync each
// write. First each server has values of its own mod, then all share those of one, so each change
// goes to all.
func TestFiftyServers(t *testing.T) {
	long(t)
	for _, shared := range []bool{false, true} {
		c := natstest.New(t, natstest.Options{Nodes: 3})
		r := &pace{reader: join(t, config(c), "reader"), began: map[string]time.Time{}}
		r.reader.pause = pauseLong
		for i := range 50 {
			m := join(t, config(c), fmt.Sprint("arena-", i))
			m.pause = pauseLong
			g := coins
			if !shared {
				g.Name = fmt.Sprint("mod_", i)
			}
			r.list, r.groups = append(r.list, m.follow(g)), append(r.groups, g)
		}
		r.reader.follow(r.groups[0])
		length, before := paceTime(), cpu(c)
		r.run(length)
		used := cpu(c)
		for i := range used {
			used[i] = 100 * (used[i] - before[i]) / length
		}
		assert.Len(t, r.acked, 50*int(length/(time.Second/5)))
		t.Logf("50 servers × 5 batches/s of 4 keys × 128 B, 3 nodes, always, %v, all in one group: %v, load %s: acknowledged p50 %v p99 %v max %v; readable elsewhere n %d p50 %v p99 %v max %v; %% of a core: test %d, nodes %d", length, shared, load(),
			quantile(r.acked, .5), quantile(r.acked, .99), quantile(r.acked, 1), len(r.seen), quantile(r.seen, .5), quantile(r.seen, .99), quantile(r.seen, 1), used[0], used[1:])
		for _, m := range append(r.list, r.reader) {
			_ = m.bus.Close(closeTime)
		}
	}
}

// paceTime is how long F2 takes: a minute, or TORC_SECONDS.
func paceTime() time.Duration {
	if n, err := strconv.Atoi(os.Getenv("TORC_SECONDS")); err == nil {
		return time.Duration(n) * time.Second
	}
	return time.Minute
}

// cpu returns the CPU time of this process and of each node.
func cpu(c *natstest.Cluster) (list []time.Duration) {
	list = append(list, natstest.CPU(os.Getpid()))
	for _, n := range c.Nodes {
		list = append(list, n.CPU())
	}
	return list
}

// pauseLong lets 50 members in one process look without taking a core.
func pauseLong() { time.Sleep(3 * time.Millisecond) }

// pace is members that write five batches a second each, and one that reads.
type pace struct {
	list   []*member
	groups []bus.Group
	reader *member

	mu          sync.Mutex
	acked, seen []time.Duration
	began       map[string]time.Time // by key and value
}

func (r *pace) run(length time.Duration) {
	var stop atomic.Bool
	var writing, reading sync.WaitGroup
	reading.Go(func() {
		for at := 0; !stop.Load(); r.reader.pause() {
			r.reader.take()
			at = r.note(at, time.Now())
		}
	})
	for i := range r.list {
		writing.Go(func() { r.write(i, length) })
	}
	writing.Wait()
	stop.Store(true)
	reading.Wait()
}

// note notes when the reader saw the first key of a batch.
func (r *pace) note(at int, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; at < len(r.reader.news); at++ {
		if ch := r.reader.news[at].Changed; ch != nil && strings.HasSuffix(ch.Key, "-0") {
			r.seen = append(r.seen, now.Sub(r.began[ch.Key+string(ch.Data)]))
		}
	}
	return at
}

func (r *pace) write(i int, length time.Duration) {
	m, every := r.list[i], time.Second/5
	tick := time.NewTicker(1 + rand.N(every))
	defer tick.Stop()
	<-tick.C
	tick.Reset(every)
	revs := make([]bus.Revision, 4)
	for n := range int(length / every) {
		var writes []bus.Write
		for k := range revs {
			writes = append(writes, set(fmt.Sprint("s", i, "-", k), fmt.Sprint(n)+strings.Repeat("x", 124), revs[k]))
		}
		began := time.Now()
		r.mu.Lock()
		r.began[writes[0].Key+string(writes[0].Data)] = began
		r.mu.Unlock()
		out := m.outcome(m.commit(r.groups[i], writes...))
		assert.Empty(m.t, out.Err)
		revs = out.Revs
		r.mu.Lock()
		r.acked = append(r.acked, time.Since(began))
		r.mu.Unlock()
		<-tick.C
	}
}

// sharedStream is the stream of the values.
const sharedStream = "KV_torc_shared"

// TestKillsUnderLoad is F3: kill -9 of a follower, the leader, two nodes and all three.
func TestKillsUnderLoad(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	l := loadOf(t, c, 20)
	kills := 0
	phase := func(name string, nodes ...*natstest.Node) {
		for _, n := range nodes {
			n.Kill()
			kills++
		}
		l.notices(len(nodes))
		for _, n := range nodes {
			n.Start()
		}
		l.goesOn(name)
	}
	rounds := 20
	if text := os.Getenv("TORC_ROUNDS"); text != "" {
		rounds, _ = strconv.Atoi(text)
	}
	for round := range rounds {
		at := slices.Index(c.Nodes, c.Leader(sharedStream))
		next, after := c.Nodes[(at+1)%3], c.Nodes[(at+2)%3]
		phase(fmt.Sprintf("round %d: follower", round), next)
		phase(fmt.Sprintf("round %d: leader", round), c.Leader(sharedStream))
		phase(fmt.Sprintf("round %d: two", round), next, after)
		phase(fmt.Sprintf("round %d: all three", round), c.Nodes...)
	}
	l.end()
	t.Logf("%d kills", kills)
}

// TestAStoppedLeader is F4: SIGSTOP of the leader for 12 s.
func TestAStoppedLeader(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	l := loadOf(t, c, 5)
	for range 3 {
		leader := c.Leader(sharedStream)
		leader.Signal(syscall.SIGSTOP)
		l.watch(12 * time.Second)
		leader.Signal(syscall.SIGCONT)
		l.goesOn("SIGSTOP of the leader for 12 s")
	}
	l.end()
}

// TestAPartition is F4, too: the network between a node and the other ones is cut, first that of
// the leader and then that of a follower. Servers reach all nodes, so each one must go to a node
// that has not lost the others.
func TestAPartition(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3, Relays: true})
	l := loadOf(t, c, 6)
	for range 2 {
		for from, name := range []string{"leader", "follower"} {
			n := c.Nodes[(slices.Index(c.Nodes, c.Leader(sharedStream))+from)%3]
			c.Cut(n, true)
			l.everybody()
			c.Cut(n, false)
			l.goesOn("a partition that separates the " + name)
		}
	}
	l.end()
}

// TestAFullDisk is F5 without max_file: NATS answers nothing any more, and the operator is told
// after 10 s. After a restart with more room, nothing that was acknowledged is missing.
func TestAFullDisk(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a small disk needs root on Linux")
	}
	dir := t.TempDir()
	require.NoError(t, exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", dir).Run())
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", dir).Run()) })
	c := natstest.New(t, natstest.Options{Dir: dir, MaxFile: "1G"})
	t.Cleanup(func() { c.Nodes[0].Kill() })
	a := join(t, config(c), "arena-1").follow(coins)
	big := strings.Repeat("x", 100<<10)
	kept := 0
	for full := false; !full; {
		n := a.commit(coins, set(strconv.Itoa(kept), big, 0))
		a.until("writes, or is told", func() bool {
			a.take()
			_, ended := a.outcomes[n]
			full = len(a.warned) > 0
			return ended || full
		})
		if !full {
			require.Empty(t, a.outcomes[n].Err)
			kept++
		}
	}
	t.Logf("%d values of 100 KiB in 32 MiB, then: %q; load %s", kept, a.warned, load())
	a.warns("the fleet stores nothing in torc_shared")
	require.NoError(t, exec.Command("mount", "-o", "remount,size=64m", dir).Run())
	c.Nodes[0].Kill()
	c.Nodes[0].Start()
	a.until("writes again", func() bool { a.take(); _, ended := a.outcomes[a.number]; return ended })
	require.Empty(t, a.outcomes[a.number].Err)
	late := join(t, config(c), "arena-2").follow(coins)
	assert.Len(t, late.values[coins], kept+1)
}

// TestOneReplicaOfThree: a bucket that was made on one node has one replica. torc names the
// command. NATS names its other nodes, but a server goes only to those of its operator.
func TestOneReplicaOfThree(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	one := Config{URLs: c.URLs[:1]}
	only := join(t, one, "arena-1").follow(coins)
	assert.Equal(t, one.URLs, only.bus.(*fleetBus).nc.Servers())
	join(t, config(c), "arena-2").follow(coins).warns("the bucket KV_torc_shared has 1 replica of 3: run nats stream edit KV_torc_shared --replicas 3")
}
