package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
)

// claimer is a mod whose servers count one key, each while it holds the key.
const claimer = `
local try, left
local function later(ms) schedule(ms, function() try() end) end
local function work()
  if left == 0 then
    shared:release("k")
    echo "released"
    later(1000)                                          -- the others are first
    return
  end
  local n = (shared:get("k") or 0) + 1
  shared:put("k", n, function(ok, why)
    if not ok then
      echo("lost " .. why)
      later(50)
      return
    end
    echo("put " .. n)
    left = left - 1
    work()
  end)
end
try = function()
  shared:claim("k", function(ok)
    if not ok then later(50) return end
    echo("claimed " .. (shared:get("k") or 0))
    left = 10
    work()
  end)
end
schedule(0, try)
`

// A claimServer is a server that claims the key, and what it has said.
type claimServer struct {
	*process
	lines []*natstest.Line // to the nodes
	holds bool
	next  int // what it puts next, while it holds
	times int // it has claimed
	lost  int // puts that were refused
}

// claims are three servers that claim one key of a fleet on three nodes.
type claims struct {
	t       *testing.T
	nats    *natstest.Cluster
	servers []*claimServer
	put     []int // acknowledged, in the order in which this test heard of them
}

func newClaims(t *testing.T) *claims {
	mods := bankMod(t, claimer)
	x := &claims{t: t, nats: natstest.New(t, natstest.Options{Nodes: 3, Relays: true})}
	for i := range 3 {
		s := &claimServer{}
		var urls []string
		for _, n := range x.nats.Nodes {
			l := x.nats.Line(n)
			s.lines, urls = append(s.lines, l), append(urls, l.URL)
		}
		s.process, _, _ = serveIn(t, "", "--fleet", strings.Join(urls, ","), "--as", fmt.Sprint("arena-", i), "--mods", mods, "--mod", "bank")
		x.servers = append(x.servers, s)
	}
	return x
}

// until hears what the servers say until something holds.
func (x *claims) until(what string, holds func() bool) {
	x.t.Helper()
	for limit := testenv.Limit(x.t); !holds(); {
		s, said := x.servers[0], ""
		select {
		case said = <-x.servers[0].out:
		case said = <-x.servers[1].out:
			s = x.servers[1]
		case said = <-x.servers[2].out:
			s = x.servers[2]
		case <-limit:
			require.FailNow(x.t, "waited in vain", what)
		}
		x.hear(s, said)
	}
}

// hear takes a line of a server. While it holds the key, nobody else changes it: its puts follow
// each other.
func (x *claims) hear(s *claimServer, said string) {
	word, rest, _ := strings.Cut(said, " ")
	n, _ := strconv.Atoi(rest)
	switch word {
	case "claimed":
		s.holds, s.next = true, n+1
		s.times++
	case "put":
		assert.True(x.t, s.holds)
		assert.Equal(x.t, s.next, n, "another server has changed the key of a holder")
		s.next++
		x.put = append(x.put, n)
	case "lost":
		s.holds = false
		s.lost++
	case "released":
		s.holds = false
	}
}

// holder waits until a server holds the key and works, and returns it.
func (x *claims) holder() (holder *claimServer) {
	x.t.Helper()
	puts := len(x.put)
	x.until("a server holds the key", func() bool {
		at := slices.IndexFunc(x.servers, func(s *claimServer) bool { return s.holds })
		if at < 0 || len(x.put) == puts {
			return false
		}
		holder = x.servers[at]
		return true
	})
	return holder
}

// claim waits until some of the servers have claimed the key once more.
func (x *claims) claim(what string, servers ...*claimServer) {
	x.t.Helper()
	began := time.Now()
	before := map[*claimServer]int{}
	for _, s := range servers {
		before[s] = s.times
	}
	x.until("servers claim the key", func() bool {
		return !slices.ContainsFunc(servers, func(s *claimServer) bool { return s.times == before[s] })
	})
	x.t.Logf("%s: %d servers have claimed the key after %v", what, len(servers), time.Since(began).Round(time.Millisecond))
}

// others returns the servers but one.
func (x *claims) others(s *claimServer) []*claimServer {
	return slices.DeleteFunc(slices.Clone(x.servers), func(o *claimServer) bool { return o == s })
}

// check compares the puts that were acknowledged: each number was given once.
func (x *claims) check() {
	x.t.Helper()
	slices.Sort(x.put)
	for i, n := range x.put {
		require.Equal(x.t, i+1, n, "two servers have put the same number, or one was lost")
	}
	lost := 0
	for _, s := range x.servers {
		lost += s.lost
	}
	x.t.Logf("%d puts by holders, each number once; %d refused after a claim was lost", len(x.put), lost)
}

// TestAClaimHasOneHolder is F4: while NATS and servers are stopped and cut off, the puts of two
// servers that hold a claim never mix, and no number is put twice.
func TestAClaimHasOneHolder(t *testing.T) {
	if !testenv.Long() {
		t.Skip("TORC_LONG is not set")
	}
	t.Parallel()
	x := newClaims(t)
	x.claim("at the start", x.servers...)
	for range 2 {
		leader := x.nats.Leader("KV_torc_shared")
		leader.Signal(syscall.SIGSTOP)
		x.claim("the leader is stopped", x.servers...)
		leader.Signal(syscall.SIGCONT)
		x.claim("it goes on", x.servers...)

		leader = x.nats.Leader("KV_torc_shared")
		x.nats.Cut(leader, true)
		x.claim("the leader is cut off from the other nodes", x.servers...)
		x.nats.Cut(leader, false)
		x.claim("it is back", x.servers...)

		s := x.holder()
		s.signal(syscall.SIGSTOP)
		x.claim("a holder is stopped", x.others(s)...)
		s.signal(syscall.SIGCONT)
		x.claim("it goes on", s)

		s = x.holder()
		cut(s, true)
		x.claim("a holder is cut off from NATS", x.others(s)...)
		cut(s, false)
		x.claim("it is back", s)
	}
	x.check()
}

// cut separates a server from all nodes.
func cut(s *claimServer, cut bool) {
	for _, l := range s.lines {
		l.Cut(cut)
	}
}
