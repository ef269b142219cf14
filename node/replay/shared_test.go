package replay_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// coins is a mod that counts what all servers share.
const coins = `
	good, bad = 0, 0
	function note(what) return function(ok, err) echo(what, ok, err) end end
	local function counted(ok) if ok then good = good + 1 else bad = bad + 1 end end
	function add() shared:put("n", (shared:get("n") or 0) + 1, counted) end
	function update() shared:update("n", function(old) return (old or 0) + 1 end, counted) end
	function have() local t = {} for k, v in shared:each() do t[#t + 1] = k .. "=" .. tostring(v) end return table.concat(t, " ") end
	function onShared(k, v) echo("onShared", k, v) end
	export("run", function(code) return eval(code) end)
`

// sharing returns two servers of a fleet with the mod coins. A server with a folder keeps a copy
// there.
func sharing(t *testing.T, folders [2]string, change ...func(i int, c *node.Config)) *crossing {
	mods := modInMemory("coins", "", coins)
	return newFleet(t, append([]func(int, *node.Config){func(i int, c *node.Config) {
		c.Mods, c.Server.Load, c.Scripts, c.Data = append(c.Mods, mods), []string{"coins"}, nil, folders[i]
	}}, change...)...)
}

// in runs code in the mod coins of a server, and returns the result.
func (x *crossing) in(i int, code string) string {
	x.t.Helper()
	out, err := x.servers[i].Console().Exec("import(\"coins\").run[==[" + code + "]==]")
	require.NoError(x.t, err, code)
	return out
}

// count returns a number of the mod coins.
func (x *crossing) count(i int, code string) int {
	x.t.Helper()
	n, err := strconv.Atoi(x.in(i, "return "+code))
	require.NoError(x.t, err)
	return n
}

// heard returns the lines of a server since line from of its output, without those that have no
// tab.
func (x *crossing) heard(i, from int) string {
	var list []string
	for _, line := range x.said[i][from:] {
		if strings.Contains(line, "\t") {
			list = append(list, strings.ReplaceAll(line, "\t", " "))
		}
	}
	return strings.Join(list, "; ")
}

// TestReplayOfSharedValues counts on two servers with put and with update, while lines break, the
// fleet dies, and comes back. Each acknowledged change is in the value, both servers have it, and
// both journals replay.
func TestReplayOfSharedValues(t *testing.T) {
	t.Parallel()
	for seed := range testenv.Seeds(t, 2, 12) {
		r := rand.New(rand.NewPCG(138, seed))
		x := sharing(t, [2]string{})
		x.world.Part = int(seed % 2)
		x.run(time.Second)
		for range 60 {
			i := r.IntN(2)
			switch r.IntN(10) {
			case 0:
				x.world.Cut(peerNames[i])
			case 1:
				x.world.Heal(peerNames[i])
			case 2:
				x.world.Die()
			case 3:
				x.world.Revive()
			case 4, 5:
				x.in(i, "add()")
			case 6:
				x.in(i, `shared:claim("boss", note "claim")`)
			case 7:
				x.in(i, `shared:release("boss")`)
			default:
				x.in(i, "update()")
			}
			x.run(time.Duration(r.IntN(100)) * time.Millisecond)
		}
		x.world.Revive()
		x.world.Heal(peerNames[0])
		x.world.Heal(peerNames[1])
		x.run(20 * time.Second)
		good := x.count(0, "good") + x.count(1, "good")
		assert.NotZero(t, good)
		assert.Equal(t, good, x.count(0, `shared:get("n") or 0`), "seed %d", seed)
		assert.Equal(t, x.in(0, "return have()"), x.in(1, "return have()"))
		x.replayAll()
	}
}

// TestValuesInPartsReplay: a server that reads many values shows none before it has all, and its
// journal replays.
func TestValuesInPartsReplay(t *testing.T) {
	t.Parallel()
	x := sharing(t, [2]string{})
	x.run(time.Second)
	x.world.Part = 7
	x.world.Cut("arena-2")
	x.in(0, `for i = 1, 100 do shared:put("k" .. i, i) end`)
	x.run(time.Second)
	from := len(x.said[1])
	x.world.Heal("arena-2")
	x.run(200 * time.Millisecond)
	assert.Equal(t, `""`, x.in(1, "return have()"))
	x.run(time.Second)
	assert.Equal(t, x.in(0, "return have()"), x.in(1, "return have()"))
	assert.Equal(t, 100, strings.Count(x.heard(1, from), "onShared"))
	x.replayAll()
}

// TestValueReachesTheOtherServer within 100 ms: the line has 1 ms, and each server looks once a
// tick.
func TestValueReachesTheOtherServer(t *testing.T) {
	t.Parallel()
	x := sharing(t, [2]string{})
	x.run(time.Second)
	x.in(0, `shared:put("coins", 5, note "put")`)
	x.run(100 * time.Millisecond)
	assert.Equal(t, "put true nil", x.heard(0, 0))
	assert.Contains(t, x.heard(1, 0), "onShared coins 5")
	assert.Equal(t, "5", x.in(1, `return shared:get("coins")`))
}

// TestClaimsOfDeadServers: another server takes a claim over 6 s after the last word of the holder,
// not before. A server that was away itself does not take it from a holder who lives.
func TestClaimsOfDeadServers(t *testing.T) {
	t.Parallel()
	x := sharing(t, [2]string{})
	x.run(time.Second)
	x.in(0, `shared:claim("boss", note "claim")`)
	x.run(time.Second)
	assert.Contains(t, x.heard(0, 0), "claim true hub")
	x.in(1, `shared:put("boss", 1, note "put") shared:claim("boss", note "claim")`)
	x.run(time.Second)
	assert.Contains(t, x.heard(1, 0), "put false claimed by hub; claim false hub")

	x.world.Cut("arena-2")
	x.run(20 * time.Second)
	x.world.Heal("arena-2")
	from := len(x.said[1])
	for range 100 {
		x.in(1, `shared:claim("boss", note "claim")`)
		x.run(100 * time.Millisecond)
	}
	assert.NotContains(t, x.heard(1, from), "claim true")

	x.world.Cut("hub")
	from = len(x.said[1])
	x.run(3900 * time.Millisecond)
	x.in(1, `shared:claim("boss", note "early")`)
	x.run(2200 * time.Millisecond)
	assert.Contains(t, x.heard(1, from), "early false hub")
	x.in(1, `shared:claim("boss", note "late") shared:put("boss", 2, note "put")`)
	x.run(300 * time.Millisecond)
	assert.Contains(t, x.heard(1, from), "late true arena-2; put true")
	x.in(0, `shared:put("boss", 3, note "late put")`)
	x.run(time.Second)
	x.world.Heal("hub")
	x.run(time.Second)
	assert.Contains(t, x.heard(0, 0), "late put false claimed by arena-2")
	assert.Equal(t, "2", x.in(0, `return shared:get("boss")`))
	x.replayAll()
}

// next starts a server again, with the same folder.
func next(t *testing.T, x *crossing, folders [2]string, live bool) *crossing {
	t.Helper()
	for i, s := range x.servers {
		if !x.dead[i] {
			require.NoError(t, s.Close())
		}
		x.dead[i] = true
	}
	world := x.world
	y := sharing(t, folders)
	y.world = world
	if !live {
		world.Die()
	}
	y.now = x.now
	return y
}

// TestServerStartsFromItsCopy: without its fleet a server has the values of its last run, and what
// that one could not send. Both count when the fleet is back.
func TestServerStartsFromItsCopy(t *testing.T) {
	t.Parallel()
	folders := [2]string{t.TempDir(), t.TempDir()}
	x := sharing(t, folders)
	x.run(time.Second)
	x.in(0, `shared:put("a", 1) shared:put("b", "two") shared:claim("boss")`)
	x.run(time.Second)
	x.world.Die()
	x.run(100 * time.Millisecond)
	x.in(0, `shared:put("a", 5) shared:put("c", 3)`)
	x.run(time.Second)
	x = next(t, x, folders, false)
	x.run(time.Second)
	assert.Equal(t, `"a=5 b=two c=3"`, x.in(0, "return have()"))
	assert.Equal(t, `"a=1 b=two"`, x.in(1, "return have()"))
	x.world.Revive()
	x.run(3 * time.Second)
	for i := range 2 {
		assert.Equal(t, `"a=5 b=two c=3"`, x.in(i, "return have()"))
	}
	from := len(x.said[1])
	x.in(1, `shared:claim("boss", note "claim")`)
	x.run(time.Second)
	assert.Contains(t, x.heard(1, from), "claim true arena-2", "the former run of hub holds nothing")
	x.replayAll()
}

// TestBucketsThatDoNotCount: an empty bucket and an older copy are refused and said once, also
// after a new start. Changes wait. A bucket with a higher epoch is taken whole, and what waited
// ends as a conflict.
func TestBucketsThatDoNotCount(t *testing.T) {
	t.Parallel()
	folders := [2]string{t.TempDir(), t.TempDir()}
	x := sharing(t, folders)
	x.run(time.Second)
	x.in(0, `for i = 1, 5 do shared:put("k" .. i, i) end`)
	x.run(6 * time.Second)
	epoch := x.world.Epoch(bus.Shared)
	for _, e := range []bus.Epoch{epoch, {Count: epoch.Count, ID: epoch.ID + 1}, {Count: epoch.Count - 1, ID: 1}} {
		x.world.Wipe(bus.Shared, e)
		x.run(time.Second)
		x.in(0, fmt.Sprintf(`shared:put("waits%d", 1, note "put")`, e.ID))
		x.run(time.Second)
		assert.Equal(t, "5", x.in(0, `return shared:get("k5")`))
		assert.NotContains(t, x.heard(0, 0), "put")
		assert.Equal(t, 1, strings.Count(x.logs[0].String(), "torc fleet restore"), x.logs[0].String())
	}
	x = next(t, x, folders, true)
	x.run(time.Second)
	assert.Equal(t, "5", x.in(1, `return shared:get("k5")`))
	assert.Equal(t, 1, strings.Count(x.logs[1].String(), "torc fleet restore"))
	group := bus.Group{Bucket: bus.Shared, Name: "coins"}
	x.world.Wipe(bus.Shared, bus.Epoch{Count: epoch.Count + 1, ID: 7})
	x.world.Put(group, "k1", []byte{1, 'i', 20}, "restored")
	x.run(time.Second)
	for i := range 2 {
		assert.Equal(t, `"k1=10"`, x.in(i, "return have()"))
	}
	from := len(x.said[0])
	x.in(0, `shared:put("k1", 11, note "put")`)
	x.run(time.Second)
	assert.Contains(t, x.heard(0, from), "put true")
	x.replayAll()
}

// TestUnsoundValuesOfOthers: what no server can have written is no value, and the mod can write the
// key.
func TestUnsoundValuesOfOthers(t *testing.T) {
	t.Parallel()
	x := sharing(t, [2]string{})
	group := bus.Group{Bucket: bus.Shared, Name: "coins"}
	x.world.Put(group, "early", []byte{1, 'x', 9}, "stranger")
	x.run(time.Second)
	x.world.Put(group, "late", []byte{1, 'x', 9}, "stranger")
	x.world.Put(group, "good", []byte{1, 'i', 20}, "stranger")
	x.run(time.Second)
	assert.Equal(t, `"good=10"`, x.in(0, "return have()"))
	assert.Equal(t, 1, strings.Count(x.logs[0].String(), "is damaged, and is ignored"))
	x.in(0, `shared:put("early", 1, note "put") shared:put("late", 2, note "put")`)
	x.run(time.Second)
	assert.Equal(t, `"early=1 good=10 late=2"`, x.in(1, "return have()"))
	x.replayAll()
}

// TestStoreOfModOfToday: fleet.shareStore shares the store of a mod that knows nothing of it.
func TestStoreOfModOfToday(t *testing.T) {
	t.Parallel()
	x := sharing(t, [2]string{}, func(_ int, c *node.Config) {
		c.Vars = append(c.Vars, node.Var{Name: "fleet.shareStore", Value: "coins"})
	})
	x.run(time.Second)
	x.in(0, `store:put("visits", 1)`)
	x.run(200 * time.Millisecond)
	assert.Equal(t, "1", x.in(1, `return store:get("visits")`))
	assert.NotNil(t, x.world.Value(bus.Group{Bucket: bus.Shared, Name: "coins-store"}, "visits").Data)
	x.replayAll()
}
