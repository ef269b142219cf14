package move

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// net.log 3 logs moves and answers, in the same way at both ends.
func TestEveryMoveIsLogged(t *testing.T) {
	x := newMoveRound(3, 0)
	var lines []string
	log := &netcore.Log{Level: netcore.LogItems, Print: func(line string) { lines = append(lines, line) }}
	ka, kb := netcoretest.Pairs(1)
	a := netcore.NewConn(0, netcore.ConnConfig{Addr: netcore.SimAddr(2), Keys: ka, Log: log, Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{x.sender} }})
	b := netcore.NewConn(0, netcore.ConnConfig{Addr: netcore.SimAddr(1), Keys: kb, Log: log, Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{x.receiver} }})
	now := netcore.Time(0)
	pass := func(from, to *netcore.Conn) []string {
		now += moveTick
		lines = nil
		from.Tick(now)
		from.Send(now, func(_ netcore.Addr, d []byte) { to.Receive(now, d) })
		var items []string
		for _, line := range lines {
			if !strings.Contains(line, " data ") {
				items = append(items, line)
			}
		}
		return items
	}
	both := func(there, here, what string) []string {
		return []string{there + " -> " + what, here + " <- " + what}
	}
	x.sender.Push(Move{}, 0)
	x.sender.Push(Move{}, 9)
	assert.ElementsMatch(t, both("sim:1", "sim:2", "moves 1 to 2: 30 bits"), pass(a, b))
	x.receiver.Next()
	assert.ElementsMatch(t, both("sim:2", "sim:1", "answer to move 1: 8 bits"), pass(b, a))
	x.receiver.Next()
	x.receiver.SetState(5, benchState[:], 40, false)
	assert.ElementsMatch(t, both("sim:2", "sim:1", "answer to move 2, control state of ghost 4 (40 bits): 65 bits"), pass(b, a))
	x.receiver.SetState(0, nil, 0, false)
	assert.ElementsMatch(t, both("sim:2", "sim:1", "answer to move 2, no control object: 25 bits"), pass(b, a))
	x.sender.SetView(false, 60)
	assert.ElementsMatch(t, both("sim:1", "sim:2", "view: 12 bits"), pass(a, b))

	log.Level = netcore.LogConnections
	x.sender.Push(Move{}, 0)
	assert.Empty(t, pass(a, b))
}
