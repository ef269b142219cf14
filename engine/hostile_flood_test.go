package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// evil is text that would move a cursor, reverse a line or start a new one.
const evil = "\x1b[2J\x07\u202eadmin\u200b\r\n\x00\xff\u009b31m"

// flood has the attacker send full packets of one event for one second at its rate. It returns the
// number of events sent.
func flood(t *testing.T, m *attacker, event func(h hand, i int)) (events int) {
	t.Helper()
	cost := uint64(0)
	for range 30 {
		sent := 0
		cost += m.say(orderedFrom(uint64(events), 4096, func(h hand, i int) { event(h, i); sent = i }))
		if events += sent; m.target() == nil {
			break
		}
		require.LessOrEqual(t, cost, allowed(m.count, m.bytes)+standing, "%d bytes in %d packets", m.bytes, m.count)
	}
	return events
}

// logged counts the lines of a server's log by message.
func logged(t *testing.T, out *bytes.Buffer) map[string]int {
	lines := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var record struct{ Msg string }
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		lines[record.Msg]++
	}
	return lines
}

func logTo(out *bytes.Buffer) func(*engine.Config) {
	return func(c *engine.Config) { c.Log = slog.New(slog.NewJSONHandler(out, nil)) }
}

// refused ends a connection that floods.
const refused = "too many of your commands were refused"

// TestFloods checks floods of permitted events. They are dropped or obeyed within the allowance,
// and logged in few lines. A flood of commands ends the connection.
func TestFloods(t *testing.T) {
	for _, f := range []struct {
		name  string
		ends  string
		event func(h hand, i int)
	}{
		{"unknown commands", refused, func(h hand, _ int) { h.command("Nobody") }},
		{"known commands", refused, func(h hand, _ int) { h.command("Spam") }},
		{"commands of nothing but kinds", refused, func(h hand, _ int) { h.commandOf("Spam", 20); h.WriteBits(0, 40); h.WriteBits(0, 40) }},
		{"commands of integers", "", func(h hand, _ int) {
			h.commandOf("Spam", 20)
			h.WriteBits(0x3333333333, 40)
			h.WriteBits(0x3333333333, 40)
			for range 20 {
				h.WriteFlag(false)
				h.Var(new(uint64))
			}
		}},
		{"answers to nothing", "", func(h hand, i int) { h.answer(uint64(i%2), uint64(i%5)) }},
		{"announcements of one number", "", func(h hand, _ int) { h.announce(7, "x") }},
		{"announcements of all numbers", "", func(h hand, i int) { h.announce(uint64(i*67%1024), "") }},
	} {
		t.Run(f.name, func(t *testing.T) {
			var out bytes.Buffer
			m := clientOf(t, enginetest.Options{Server: logTo(&out)})
			began, stats := m.victim.Now(), &m.target().Commands.Stats
			flood(t, m, f.event)
			seconds := float64(m.victim.Now()-began) / 1000
			assert.LessOrEqual(t, stats.Commands, 128+int(64*seconds)+1)
			m.lives(f.ends)
			for message, n := range logged(t, &out) {
				assert.LessOrEqual(t, n, 10+int(10*(seconds+1)), message)
			}
		})
	}
}

// TestFloodLogIsRateLimited checks the log of a client that floods for one second.
func TestFloodLogIsRateLimited(t *testing.T) {
	var out bytes.Buffer
	m := clientOf(t, enginetest.Options{Server: logTo(&out)})
	stats := &m.target().Commands.Stats
	flood(t, m, func(h hand, _ int) { h.command("Nobody") })
	lines := logged(t, &out)
	assert.NotZero(t, lines["unknown command"])
	assert.NotZero(t, lines["too many commands"])
	assert.NotZero(t, stats.UnknownCommands)
	for message, n := range lines {
		assert.LessOrEqual(t, n, 40, message)
	}
}

// TestFloodHidesNoOtherPeer checks that the log lines of one peer do not use up those of another.
func TestFloodHidesNoOtherPeer(t *testing.T) {
	var out bytes.Buffer
	r := enginetest.New(t, enginetest.Options{Clients: 2, Server: logTo(&out)})
	r.Join()
	const rounds = 9
	for range rounds {
		for i, calls := range []int{6, 1} {
			for range calls {
				require.NoError(t, r.Clients[i].Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Nobody"), nil))
			}
		}
		r.Run(100 * time.Millisecond)
	}
	r.Run(200 * time.Millisecond)
	lines := func(i int) int {
		return strings.Count(out.String(), fmt.Sprintf(`"unknown command","connection":%d,`, r.Peer(i).ID()))
	}
	assert.LessOrEqual(t, lines(0), 25)
	assert.Equal(t, rounds, lines(1))
}

// TestExpansionBombs checks tags that refer to each other and expand to long texts. The expansion
// is limited per call, and over all calls by the sender's allowance.
func TestExpansionBombs(t *testing.T) {
	m := client(t)
	longest, total := 0, 0
	m.victim.Handler = func(_ *engine.Connection, args []sim.Value) {
		call := 0
		for _, a := range args {
			longest = max(longest, len(a.Text()))
			call += len(a.Text())
		}
		assert.LessOrEqual(t, call, 8<<10)
		total += call
	}
	m.say(ordered(2, func(h hand, i int) {
		h.announce(uint64(i), []string{strings.Repeat("%1%2%3%4%5%6%7%8%9", 20), strings.Repeat("x", 200)}[i])
	}))
	for p := range 20 {
		m.say(orderedFrom(uint64(2+p*10), 10, func(h hand, _ int) {
			h.commandOf("Bomb", 20)
			h.WriteBits(0x6666666666, 40)
			h.WriteBits(0x6666666666, 40)
			for i := range 20 {
				h.more()
				h.slot(uint64(i / 19))
			}
		}))
	}
	stats := m.target().Commands.Stats
	assert.Equal(t, 1024, longest)
	assert.NotZero(t, stats.CutExpansions)
	assert.NotZero(t, stats.RefusedCommands)
	assert.LessOrEqual(t, total, 64<<10+16<<10+8<<10, "the allowance of bytes is for what tags become, too")
	m.lives("")
}

// TestPeerTextIsPrintable checks that names from a peer are printed as visible characters only, and
// that reasons, which people read, have nothing that a terminal obeys.
func TestPeerTextIsPrintable(t *testing.T) {
	var out bytes.Buffer
	r := enginetest.New(t, enginetest.Options{Server: logTo(&out)})
	var screen []string
	c := console.New(func(line string) { screen = append(screen, line) })
	require.NoError(t, r.Server.Bind(c))
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{Name: evil}))
	r.Run(3 * time.Second)
	for _, line := range []string{"players", "status"} {
		text, err := c.Exec(line)
		require.NoError(t, err)
		assert.Equal(t, console.CleanText(text), text)
		assert.NotContains(t, text, "\t")
	}
	text, err := c.Exec("players")
	require.NoError(t, err)
	assert.Len(t, strings.Split(text, "\n"), 1, "one player, one line")
	assert.Len(t, strings.Fields(text), 6, "six columns")

	require.NoError(t, r.Clients[0].Dialer.Disconnect(evil))
	r.Run(time.Second)
	last := r.Server.Lines[len(r.Server.Lines)-1]
	reason := last[strings.LastIndex(last, ": ")+2:]
	assert.Contains(t, reason, "admin")
	assert.Equal(t, console.Readable(reason), reason)

	r.Server.Refuse = evil
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(3 * time.Second)
	last = r.Clients[0].Lines[len(r.Clients[0].Lines)-1]
	assert.Contains(t, last, "admin")
	assert.Equal(t, console.Readable(last), last)
}

// TestReplaysAndForgeries checks that a sealed packet is read only once. Repeated, reordered,
// damaged or truncated packets change nothing.
func TestReplaysAndForgeries(t *testing.T) {
	m := client(t)
	said := 0
	m.victim.Handler = func(*engine.Connection, []sim.Value) { said++ }
	var packets [][]byte
	m.rig.Net.Watch = func(_ netcore.Time, from, _ netcore.Addr, d []byte) {
		if from == m.addr {
			packets = append(packets, append([]byte(nil), d...))
		}
	}
	for i := range 20 {
		m.raw.next = append(m.raw.next, writer(orderedFrom(uint64(i), 1, func(h hand, _ int) { h.command("Once") })))
		m.rig.Run(100 * time.Millisecond)
	}
	require.Equal(t, 20, said)
	now := m.rig.Net.Now()
	m.victim.Receive(now, m.addr, nil)
	cost := spent(func() {
		for _, d := range packets {
			m.victim.Receive(now, m.addr, d)
			for n := range d {
				m.victim.Receive(now, m.addr, d[:n])
				d[n] ^= 0x10
				m.victim.Receive(now, m.addr, d)
				m.victim.Receive(now, m.rig.Clients[0].Addr, d)
				d[n] ^= 0x10
			}
		}
	})
	assert.Less(t, cost, uint64(64<<10), "%d packets", len(packets))
	m.rig.Run(time.Second)
	assert.Equal(t, 20, said)
	m.lives("")
}
