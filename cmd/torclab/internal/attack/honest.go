package attack

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/bots"
)

// The flood limit is 8 lines in 10 s. With chatTicks, a delay of up to a second does not exceed it.
const (
	honestCount = 16
	chatTicks   = 44   // ticks between two chat lines of an honest client: 9 lines take 11 s
	leastShare  = 0.75 // least share of an honest client's ticks that bring a packet of the server
	joinMost    = 2 * time.Second
	answerMost  = 3 * time.Second // to wait for the answers that are still on their way
)

// honest is a client that plays and measures.
type honest struct {
	*client
	number int
	wander *bots.Wander

	base     uint64 // packets received before the row
	last     uint64 // packets received at the last tick
	silent   int    // ticks without a packet since the last one
	worst    int    // longest silence of the row, in ticks
	since    int    // ticks before the row
	quiet    bool   // it does not chat: the row is over
	asked    int    // chat lines of the row
	answered int    // own chat lines of the row that came back
	at       map[string]netcore.Time
	slowest  netcore.Time // slowest round trip of a chat line
	heard    map[string]int
}

// crowd is the honest clients of a server.
type crowd struct {
	*crew
	all []*honest
}

// crowdMost is the longest time for the honest clients to join. Tests have longer ones.
var crowdMost = 15 * time.Second

// newCrowd lets the honest clients join. It returns an error if one does not get in.
func newCrowd(s *site) (*crowd, error) {
	c := &crowd{crew: newCrew(s.to, s.key)}
	for i := range honestCount {
		h := &honest{number: i, wander: bots.NewWander(uint64(i)), at: map[string]netcore.Time{}, heard: map[string]int{}}
		one, err := c.add(clientSpec{
			name: fmt.Sprint("honest", i+1), password: s.password, from: netip.AddrFrom4([4]byte{127, 0, 1, byte(i + 1)}),
			tick: func(*client) { h.tick() }, hear: func(_ *client, kind, text string) { h.hears(text) },
		})
		if err != nil {
			c.close()
			return nil, err
		}
		c.do(func() { h.client = one; c.all = append(c.all, h) })
	}
	in := func() bool { return count(c.crew.all, (*client).playing) == honestCount }
	if !c.until(crowdMost, in) {
		defer c.close()
		return nil, fmt.Errorf("only %d of %d honest clients could join: %q", count(c.crew.all, (*client).playing), honestCount, reasons(c.crew.all))
	}
	return c, nil
}

// tick moves, chats and measures.
func (h *honest) tick() {
	if h.client == nil || !h.playing() {
		return
	}
	h.wander.Tick(h.host)
	if got := h.received(); got != h.last {
		h.last, h.silent = got, 0
	} else if h.silent++; h.silent > h.worst {
		h.worst = h.silent
	}
	if !h.quiet && (h.ticks+h.number*chatTicks/honestCount)%chatTicks == 0 {
		h.asked++
		line := fmt.Sprintf("tick %d of %s", h.ticks, h.name)
		h.at[line] = clock()
		h.say("%s", line)
	}
}

// received returns the number of packets from the server.
func (h *honest) received() uint64 {
	s := h.host.Server()
	if s == nil || s.Net() == nil {
		return h.last
	}
	seen := s.Net().Stats()
	return seen.Received + seen.ControlReceived
}

// hears takes a line of the chat.
func (h *honest) hears(text string) {
	h.heard[text]++
	_, line, _ := strings.Cut(text, ": ")
	if sent, own := h.at[line]; own {
		delete(h.at, line)
		h.answered++
		h.slowest = max(h.slowest, clock()-sent)
	}
}

// begin starts the measurement of a row.
func (c *crowd) begin() {
	c.do(func() {
		for _, h := range c.all {
			h.base, h.since = h.received(), h.ticks
			h.worst, h.silent, h.asked, h.answered, h.slowest = 0, 0, 0, 0, 0
			h.quiet = false
			clear(h.at)
			clear(h.heard)
		}
	})
}

// judge ends the measurement of a row.
func (c *crowd) judge(r *round) {
	c.do(func() {
		for _, h := range c.all {
			h.quiet = true
		}
	})
	c.until(answerMost, func() bool {
		for _, h := range c.all {
			if h.playing() && len(h.at) > 0 {
				return false
			}
		}
		return true
	})
	c.do(func() {
		share, silence, asked, answered, slowest := 1e9, 0, 0, 0, netcore.Time(0)
		for _, h := range c.all {
			asked, answered = asked+h.asked, answered+h.answered
			silence, slowest = max(silence, h.worst), max(slowest, h.slowest)
			if ran := h.ticks - h.since; ran > 0 {
				share = min(share, float64(h.received()-h.base)/float64(ran))
			}
		}
		out := len(c.all) - count(c.crew.all, (*client).playing)
		r.note("honest: %d lost, packets per tick ≥ %.2f, silence ≤ %d ticks, %d of %d lines answered, slowest %d ms",
			out, share, silence, answered, asked, slowest.Milliseconds())
		r.fail(out > 0, "honest clients were lost: %q", reasons(c.crew.all))
		r.fail(share < leastShare && !r.busy, "packets per tick < %.2f", leastShare)
		r.fail(answered < asked, "lines without an answer")
	})
}
