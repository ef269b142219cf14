package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
)

// counter comes behind the code of the mod coins of examples/network. A server earns coins in a
// purse of all servers, or in a purse of its own, one after the other, and says what the fleet has
// acknowledged.
const counter = `
local PURSES = 4

local function earn(key, left, done)
  if left == 0 then return done() end
  coins.earn(key, 1, function(ok, why)
    if ok then echo("acknowledged " .. coins.of(key)) elseif why ~= "another server has changed the value" then echo("failed " .. why) end
    earn(key, ok and left - 1 or left, done)
  end)
end

-- Each of three at once.
addCommand { name = "race", run = function(_, n)
  local left = 3
  for _ = 1, 3 do earn("all", n / 3, function() left = left - 1 if left == 0 then echo "ready" end end) end
end }

local function give()
  local from, to = math.random(PURSES), math.random(PURSES)
  coins.give("purse " .. from, "purse " .. to, 1, function() schedule(20, give) end)
end

addCommand { name = "work", run = function()
  earn("of " .. fleet.name, math.huge, function() end)
  give()
end }

addCommand { name = "mint", run = function()
  for i = 1, PURSES do coins.earn("purse " .. i, 100, function(ok) echo("minted " .. tostring(ok)) end) end
end }

addCommand { name = "all", run = function() return coins.of "all" end }
addCommand { name = "own", run = function(_, name) return coins.of("of " .. name) end }
addCommand { name = "sum", run = function()
  local sum = 0
  for i = 1, PURSES do sum = sum + coins.of("purse " .. i) end
  return sum
end }
`

// pursesMods makes a folder with the mod coins, and counter in it.
func pursesMods(t *testing.T) string {
	t.Helper()
	mods := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(mods, "coins"), os.DirFS(filepath.Join(networkDir, "mods", "coins"))))
	file := filepath.Join(mods, "coins", "server", "init.lua")
	code, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(code, counter...), 0o600))
	return mods
}

// A bank is a server with purses, which can die and start again.
type bank struct {
	*process
	name string
	args []string

	newest int  // coins of its own purse that the fleet has acknowledged
	fresh  bool // it has acknowledged nothing since it started
	late   string
}

// newBank starts a server of a fleet. It has a journal.
func newBank(t *testing.T, name, mods string, c *natstest.Cluster) *bank {
	t.Helper()
	dir := t.TempDir()
	b := &bank{name: name, args: []string{
		"--data", dir, "--journal", filepath.Join(dir, "journals"), "--mods", mods, "--mod", "coins", "--fleet", strings.Join(c.URLs, ","), "--as", name,
	}}
	b.run(t)
	return b
}

func (b *bank) run(t *testing.T) {
	b.process, _, _ = serveIn(t, "", b.args...)
	b.fresh = true
}

// replays runs all journals of the server again. One of a process that was killed is cut off, and
// does not differ up to there.
func (b *bank) replays() {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.args[3], "*.torcj"))
	require.NoError(b.t, err)
	require.NotEmpty(b.t, files)
	for _, file := range files {
		out, err := replays(b.t, "", file)
		require.NoError(b.t, err, out)
		assert.Contains(b.t, out, "\nno difference\n", file)
	}
}

// TestFleetCountsOneKey is F1: two servers earn coins in one purse at the same time. The purse has
// what both were told, and the journals of both replay.
func TestFleetCountsOneKey(t *testing.T) {
	t.Parallel()
	c, mods := natstest.New(t, natstest.Options{}), pursesMods(t)
	list := []*bank{newBank(t, "arena-1", mods, c), newBank(t, "arena-2", mods, c)}
	for _, b := range list {
		b.say("race 45")
	}
	acked := 0
	for _, b := range list {
		for line := b.line(); line != "ready"; line = b.line() {
			require.Regexp(t, `^acknowledged \d+$`, line)
			acked++
		}
	}
	assert.Equal(t, 2*45, acked)
	for _, b := range list {
		b.until("all", fmt.Sprint(acked))
	}
	for _, b := range list {
		b.quits()
		b.replays()
	}
}

// takes reads a line of a server, and reports whether the fleet has acknowledged a coin. A purse of
// which only this server earns grows by one each time. If the process was killed, one more coin can
// be there, whose answer was lost.
func (b *bank) takes(line string) bool {
	b.t.Helper()
	if late, found := strings.CutPrefix(line, lateTicks); found {
		b.late = late
	}
	text, found := strings.CutPrefix(line, "acknowledged ")
	require.NotContains(b.t, line, "failed")
	if !found {
		return false
	}
	n, err := strconv.Atoi(text)
	require.NoError(b.t, err)
	if !b.fresh || n != b.newest+2 {
		require.Equal(b.t, b.newest+1, n, "%s: a coin is lost, or there twice", b.name)
	}
	b.newest, b.fresh = n, false
	return true
}

// goesOn waits until the fleet has acknowledged n more coins.
func (b *bank) goesOn(n int) {
	b.t.Helper()
	for n > 0 {
		if b.takes(b.line()) {
			n--
		}
	}
}

// dies kills the process, and reads what it has said before.
func (b *bank) dies() {
	b.t.Helper()
	b.kill()
	for line := range b.out {
		b.takes(line)
	}
	b.wait()
}

// TestFleetOfKilledProcesses is F3 with servers: kill -9 of a follower, the leader, servers, two
// nodes, and all of them, in turns. Each server earns coins in its own purse, and all move coins
// between other purses. No acknowledged coin is lost, none is there twice, and no gift is there by
// half. Journals replay up to the kills. With TORC_QUIET=1, no tick of the last lives is late.
func TestFleetOfKilledProcesses(t *testing.T) {
	t.Parallel()
	if !testenv.Long() {
		t.Skip("kills processes for minutes: TORC_LONG=1")
	}
	c, mods := natstest.New(t, natstest.Options{Nodes: 3}), pursesMods(t)
	list := []*bank{newBank(t, "arena-1", mods, c), newBank(t, "arena-2", mods, c)}
	list[0].say("mint")
	for range 4 {
		list[0].expect("minted true")
	}
	list[1].until("sum", "400")
	for _, b := range list {
		b.say("work")
		b.goesOn(5)
	}
	kills, longest := 0, time.Duration(0)
	phase := func(nodes []*natstest.Node, banks ...*bank) {
		for _, b := range banks {
			b.dies()
		}
		for _, n := range nodes {
			n.Kill()
		}
		kills += len(nodes) + len(banks)
		began := time.Now()
		if len(nodes) > 1 {
			for _, n := range nodes {
				n.Start()
			}
		}
		for _, b := range banks {
			b.run(t)
			b.say("work")
		}
		for _, b := range list {
			b.goesOn(10)
		}
		longest = max(longest, time.Since(began))
		for _, n := range c.Nodes {
			if !n.Runs() {
				n.Start()
			}
			n.WaitHealthy()
		}
	}
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("TORC_ROUNDS"), "5"))
	require.NoError(t, err)
	for range rounds {
		leader := c.Leader("KV_torc_shared")
		at := slices.Index(c.Nodes, leader)
		phase([]*natstest.Node{c.Nodes[(at+1)%3]})
		phase(nil, list[0])
		phase([]*natstest.Node{c.Leader("KV_torc_shared")}, list[1])
		phase([]*natstest.Node{c.Nodes[at], c.Nodes[(at+2)%3]})
		phase(nil, list...)
		phase(c.Nodes, list[0])
	}
	for _, b := range list {
		b.say("metrics")
		for b.late == "" {
			b.takes(b.line())
		}
		b.dies() // so that nothing is on its way
	}
	t.Logf("%d kills, 10 coins of each server took %v at most", kills, longest.Round(time.Millisecond))
	fresh := newBank(t, "arena-3", mods, c)
	fresh.until("sum", "400")
	for _, b := range list {
		fresh.say("own " + b.name)
		n, err := strconv.Atoi(fresh.line())
		require.NoError(t, err)
		assert.Contains(t, []int{b.newest, b.newest + 1}, n, "%s: the last answer can be lost", b.name)
		t.Logf("%s: %d coins acknowledged; late ticks of its last life%s", b.name, b.newest, b.late)
		assert.True(t, os.Getenv("TORC_QUIET") == "" || strings.HasSuffix(b.late, " 0"), "late ticks%s", b.late)
	}
	fresh.quits()
	for _, b := range append(list, fresh) {
		b.replays()
	}
}

// TestFleetBeginsWithoutNATS is F6 with a server: it starts from its copy while NATS is absent.
// Coins of that time are there at once, and the fleet has it when NATS comes.
func TestFleetBeginsWithoutNATS(t *testing.T) {
	t.Parallel()
	c, mods := natstest.New(t, natstest.Options{}), pursesMods(t)
	a := newBank(t, "arena-1", mods, c)
	a.say("race 3")
	a.expect("ready")
	a.quits()
	c.Nodes[0].Kill()
	a.run(t)
	a.say("all", "race 3", "all")
	a.lines("3", "6")
	b := newBank(t, "arena-2", mods, c)
	b.say("all")
	b.lines("0")
	c.Nodes[0].Start()
	a.expect("ready")
	b.until("all", "6")
	for _, x := range []*bank{a, b} {
		x.quits()
		x.replays()
	}
}
