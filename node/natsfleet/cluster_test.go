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

// TestFiftyServers is F2: 50 connections, five batches a second each, on three nodes that sync each write.
func TestFiftyServers(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	const servers, perSecond, seconds, keys = 50, 5, 60, 4
	list := make([]*member, servers)
	for i := range list {
		list[i] = join(t, config(c), fmt.Sprint("arena-", i)).follow(coins)
	}
	reader := join(t, config(c), "reader").follow(coins)
	var mu sync.Mutex
	var acked, seen []time.Duration
	began := map[string]time.Time{}
	var stop atomic.Bool
	var all, reading sync.WaitGroup
	reading.Go(func() {
		for at := 0; !stop.Load(); testenv.Pause() {
			reader.take()
			now := time.Now()
			mu.Lock()
			for ; at < len(reader.news); at++ {
				if ch := reader.news[at].Changed; ch != nil && strings.HasSuffix(ch.Key, "-0") {
					seen = append(seen, now.Sub(began[ch.Key+string(ch.Data)]))
				}
			}
			mu.Unlock()
		}
	})
	for i, m := range list {
		all.Go(func() {
			rest := rand.N(time.Second / perSecond)
			time.Sleep(rest)
			every := time.NewTicker(time.Second / perSecond)
			defer every.Stop()
			revs := make([]bus.Revision, keys)
			for n := range perSecond * seconds {
				var writes []bus.Write
				for k := range keys {
					writes = append(writes, set(fmt.Sprint("s", i, "-", k), fmt.Sprint(n)+strings.Repeat("x", 124), revs[k]))
				}
				at := time.Now()
				mu.Lock()
				began[writes[0].Key+string(writes[0].Data)] = at
				mu.Unlock()
				out := m.outcome(m.commit(coins, writes...))
				assert.Empty(t, out.Err)
				revs = out.Revs
				mu.Lock()
				acked = append(acked, time.Since(at))
				mu.Unlock()
				<-every.C
			}
		})
	}
	all.Wait()
	stop.Store(true)
	reading.Wait()
	t.Logf("%d servers × %d batches/s of %d keys × 128 B, 3 nodes, always, %d s, load %s: put acknowledged n %d p50 %v p99 %v max %v; readable elsewhere n %d p50 %v p99 %v max %v",
		servers, perSecond, keys, seconds, load(), len(acked), quantile(acked, .5), quantile(acked, .99), quantile(acked, 1), len(seen), quantile(seen, .5), quantile(seen, .99), quantile(seen, 1))
	assert.Len(t, acked, servers*perSecond*seconds)
	assert.LessOrEqual(t, quantile(acked, .99), 60*time.Millisecond)
}

// A pair of counters that one batch writes, and what its writer knows of it.
type pair struct {
	n        int // newest acknowledged
	acked    int
	revs     [2]bus.Revision
	conflict int
}

// writePairs lets members count pairs until stop, and reports the longest time in which none was acknowledged.
func writePairs(t *testing.T, list []*member, stop *atomic.Bool, last *atomic.Int64) (pairs []pair, wait func()) {
	pairs = make([]pair, len(list))
	var all sync.WaitGroup
	for i, m := range list {
		all.Go(func() {
			p := &pairs[i]
			for !stop.Load() {
				v := strconv.Itoa(p.n + 1)
				out := m.outcome(m.commit(coins, set(m.name+"-a", v, p.revs[0]), set(m.name+"-b", v, p.revs[1])))
				if out.Err != "" {
					p.conflict++
					assert.Fail(t, "a batch was refused", "%s: %s", m.name, out.Err)
					return
				}
				p.n, p.revs = p.n+1, [2]bus.Revision(out.Revs)
				p.acked++
				last.Store(time.Now().UnixNano())
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	return pairs, all.Wait
}

// checkPairs compares what a new server reads with what was acknowledged.
func checkPairs(t *testing.T, c *natstest.Cluster, list []*member, pairs []pair) {
	t.Helper()
	fresh := join(t, config(c), "fresh").follow(coins)
	acked := 0
	for i, m := range list {
		want := strconv.Itoa(pairs[i].n)
		assert.Equal(t, []string{want, want}, []string{fresh.text(coins, m.name+"-a"), fresh.text(coins, m.name+"-b")}, m.name)
		acked += pairs[i].acked
	}
	t.Logf("%d acknowledged batches, 0 lost, 0 halves, 0 refused; load %s", acked, load())
}

// TestKillsUnderLoad is F3: kill -9 of a follower, the leader, two nodes and all three.
func TestKillsUnderLoad(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	var list []*member
	for i := range 20 {
		list = append(list, join(t, config(c), fmt.Sprint("arena-", i)).follow(coins))
	}
	var stop atomic.Bool
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	pairs, wait := writePairs(t, list, &stop, &last)
	kills := 0
	phase := func(name string, nodes ...*natstest.Node) {
		for _, n := range nodes {
			n.Kill()
			kills++
		}
		for _, after := range []time.Duration{2 * time.Second, 6 * time.Second} {
			silent, until := time.Duration(0), time.Now().Add(after)
			for time.Now().Before(until) {
				silent = max(silent, time.Since(time.Unix(0, last.Load())))
				time.Sleep(5 * time.Millisecond)
			}
			t.Logf("%s: longest silence %v", name, silent.Round(time.Millisecond))
			assert.Less(t, silent, 15*time.Second)
			for _, n := range nodes {
				if !n.Runs() {
					n.Start()
				}
			}
			name += ", started again"
		}
		for _, n := range c.Nodes {
			n.WaitHealthy()
		}
	}
	rounds := 20
	if text := os.Getenv("TORC_ROUNDS"); text != "" {
		rounds, _ = strconv.Atoi(text)
	}
	for round := range rounds {
		leader := c.Leader("KV_torc_shared")
		at := slices.Index(c.Nodes, leader)
		next, after := c.Nodes[(at+1)%3], c.Nodes[(at+2)%3]
		phase(fmt.Sprintf("round %d: follower", round), next)
		phase("leader", c.Leader("KV_torc_shared"))
		phase("two", next, after)
		phase("all three", c.Nodes...)
	}
	stop.Store(true)
	wait()
	checkPairs(t, c, list, pairs)
	t.Logf("%d kills", kills)
}

// TestAStoppedLeader is F4: SIGSTOP of the leader for 12 s.
func TestAStoppedLeader(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	var list []*member
	for i := range 5 {
		list = append(list, join(t, config(c), fmt.Sprint("arena-", i)).follow(coins))
	}
	var stop atomic.Bool
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	pairs, wait := writePairs(t, list, &stop, &last)
	for range 3 {
		leader := c.Leader("KV_torc_shared")
		leader.Signal(syscall.SIGSTOP)
		silent, until := time.Duration(0), time.Now().Add(12*time.Second)
		for time.Now().Before(until) {
			silent = max(silent, time.Since(time.Unix(0, last.Load())))
			time.Sleep(5 * time.Millisecond)
		}
		leader.Signal(syscall.SIGCONT)
		t.Logf("SIGSTOP of the leader for 12 s: longest silence %v", silent.Round(time.Millisecond))
		assert.Less(t, silent, 15*time.Second)
		leader.WaitHealthy()
	}
	stop.Store(true)
	wait()
	checkPairs(t, c, list, pairs)
}

// TestAFullDisk is F5 without max_file: NATS answers nothing any more, and the operator is told after 10 s.
// After a restart with more room, nothing that was acknowledged is missing.
func TestAFullDisk(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a small disk needs root on Linux")
	}
	dir := t.TempDir()
	require.NoError(t, exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", dir).Run())
	c := natstest.New(t, natstest.Options{Dir: dir, MaxFile: "1G"})
	t.Cleanup(func() {
		c.Nodes[0].Kill()
		assert.NoError(t, exec.Command("umount", dir).Run())
	})
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

// TestOneReplicaOfThree: a bucket that was made on one node has one replica. torc names the command.
func TestOneReplicaOfThree(t *testing.T) {
	long(t)
	c := natstest.New(t, natstest.Options{Nodes: 3})
	one := Config{URLs: c.URLs[:1]}
	join(t, one, "arena-1").follow(coins)
	join(t, config(c), "arena-2").warns("the bucket KV_torc_shared has 1 replica of 3: run nats stream edit KV_torc_shared --replicas 3")
}
