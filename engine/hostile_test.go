package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// attack is a series of packets from a peer with the right keys.
type attack struct {
	name  string
	write []func(h hand)
	ends  string // part of the victim's reason; "" means it lives on
}

func one(name, ends string, write func(h hand)) attack {
	return attack{name, []func(h hand){write}, ends}
}

// ordered writes as many events as fit, from number 0 of channel 0.
func ordered(n int, event func(h hand, i int)) func(h hand) { return orderedFrom(0, n, event) }

func orderedFrom(from uint64, n int, event func(h hand, i int)) func(h hand) {
	return func(h hand) {
		h.run(0, from)
		for i := range n {
			mark := h.Mark()
			if i > 0 {
				h.more()
			}
			event(h, i)
			if h.Err() != nil || h.Left() < 8 {
				h.Rewind(mark)
				break
			}
		}
		h.end(0)
	}
}

// toServer lists the attacks of a malicious client.
var toServer = []attack{
	one("nothing at all", "", func(h hand) { h.WriteBits(0, 3) }),
	one("all ones", "event voiceState in the wrong direction", func(h hand) {
		for h.Left() > 0 {
			h.WriteFlag(true)
		}
	}),
	one("unknown command", "", ordered(1, func(h hand, _ int) { h.command("Nobody") })),
	one("nameless command", "", ordered(1, func(h hand, _ int) { h.command("") })),
	one("21 arguments", "command", ordered(1, func(h hand, _ int) { h.commandOf("X", 21) })),
	one("arguments that are not there", "command", ordered(1, func(h hand, _ int) { h.commandOf("X", 20) })),
	one("unknown kind of argument", "command", ordered(1, func(h hand, _ int) { h.commandOf("X", 1); h.WriteBits(15, 4) })),
	one("name too long", "command", ordered(1, func(h hand, _ int) {
		h.command(strings.Repeat("x", 1025))
	})),
	one("string said to be huge", "command", ordered(1, func(h hand, _ int) {
		h.commandOf("X", 1)
		h.WriteBits(5, 4)
		h.WriteBits(0, 2)
		n := uint64(math.MaxUint64)
		h.Var(&n)
	})),
	one("integer beyond 2^53", "2^53", ordered(1, func(h hand, _ int) {
		h.commandOf("X", 1)
		h.WriteBits(3, 4)
		h.WriteFlag(false)
		n := uint64(math.MaxUint64)
		h.Var(&n)
	})),
	one("NaN, infinities, far objects and blocks", "", ordered(1, func(h hand, _ int) {
		h.commandOf("X", 6)
		h.WriteBits(0xa94444, 24)
		for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
			h.Float64(&f)
		}
		n := uint64(math.MaxUint64)
		h.Var(&n)
		h.Var(&n)
	})),
	one("datablock to a server", "event description in the wrong direction", ordered(1, func(h hand, _ int) { h.block(nil) })),
	one("hello to a server", "event hello in the wrong direction", ordered(1, func(h hand, _ int) { h.kind("hello") })),
	one("camera to a server", "event camera in the wrong direction", ordered(1, func(h hand, _ int) { h.kind("camera") })),
	one("pace to a server", "event pace in the wrong direction", ordered(1, func(h hand, _ int) { h.kind("pace") })),
	one("voice to a server", "event voice in the wrong direction", ordered(1, func(h hand, _ int) { h.kind("voice") })),
	one("a frame without a length", "event speech", func(h hand) { h.more(); h.speech(0, 161) }),
	one("a frame that is not there", "event speech", func(h hand) { h.more(); h.kind("speech"); h.WriteBits(0, 12); h.WriteFlag(true); h.WriteBits(159, 8) }),
	one("a frame of voice while it is off", "", func(h hand) { h.more(); h.speech(0, 3); h.WriteBits(0, 3) }),
	{"a thousand frames of voice", forever(40, func(h hand, i int) {
		for k := range 25 {
			h.more()
			h.speech(uint64(25*i+k), 20)
		}
		h.WriteBits(0, 3)
	}), ""},
	one("recording to a server", "event recording in the wrong direction", ordered(1, func(h hand, _ int) { h.kind("recording") })),
	one("phase step to a server", "event phaseStep in the wrong direction", ordered(1, func(h hand, _ int) { h.step(4, 1) })),
	one("datablocks never sent are answered", "", ordered(1, func(h hand, _ int) { h.answer(0, 77) })),
	one("ghosts never sent are answered", "", ordered(1, func(h hand, _ int) { h.answer(1, 0) })),
	one("tag never announced", "unknown string number", ordered(1, func(h hand, _ int) {
		h.kind("command")
		h.more()
		h.slot(9)
		h.WriteBits(0, 5)
	})),
	one("tag beyond the table", "must be at most 1023", ordered(1, func(h hand, _ int) { h.announce(1024, "x") })),
	one("tag too long", "announce", ordered(1, func(h hand, _ int) { h.announce(1, strings.Repeat("y", 1025)) })),
	one("piece among commands", "outside channel 1", ordered(1, func(h hand, _ int) { h.piece(0, true, []byte{1}) })),
	one("claim on nothing", "claim for an incomplete fragmented event", ordered(1, func(h hand, _ int) { h.WriteBits(2, kindBits); h.WriteFlag(false) })),
	one("fourth parcel", "fragment of an unknown or complete event", func(h hand) { h.run(1, 0); h.piece(3, false, []byte{1}); h.end(1) }),
	one("pieces of pieces", "inside a fragmented event", func(h hand) { h.run(1, 0); h.piece(0, true, []byte{1, 0, 0}); h.end(1) }),
	one("number before the first", "below the first", func(h hand) { h.run(0, 0xffff); h.command("X"); h.end(0) }),
	one("number beyond the window", "window", func(h hand) { h.run(0, 4096); h.command("X"); h.end(0) }),
	one("announcement without order", "must be ordered", func(h hand) { h.more(); h.announce(1, "x") }),
	one("twice the same number", "", func(h hand) {
		h.WriteFlag(false)
		h.WriteBits(1|3<<1|3<<3|2<<5, 7)
		for range 20 {
			h.WriteBits(0, 16)
			h.command("Once")
			h.WriteBits(2, 2)
		}
		h.WriteBits(0, 16)
		h.command("Once")
		h.WriteBits(0, 3)
	}),
	{"pieces without an end", forever(2500, func(h hand, i int) {
		h.run(1, uint64(i*30))
		for k := range 30 {
			if k > 0 {
				h.more()
			}
			h.piece(0, false, make([]byte, 32))
		}
		h.end(1)
	}), "64 KiB"},
	{"gaps that are never filled", forever(200, func(h hand, i int) {
		orderedFrom(1+uint64(i), 1, func(h hand, _ int) {
			h.commandOf("X", 1)
			h.WriteBits(5, 4)
			text := strings.Repeat("\x01", 1000)
			h.Text(&text, 1<<20)
		})(h)
	}), "too many bytes of events wait"},
}

func forever(n int, write func(h hand, i int)) (all []func(h hand)) {
	for i := range n {
		all = append(all, func(h hand) { write(h, i) })
	}
	return all
}

// toClient lists the attacks of a malicious server.
var toClient = []attack{
	one("phase answer to a client", "event phaseAnswer in the wrong direction", ordered(1, func(h hand, _ int) { h.answer(0, 1) })),
	one("unknown field of view", "event camera: bitstream: value out of range", ordered(1, func(h hand, _ int) { h.kind("camera"); h.WriteBits(1|179<<1, 9) })),
	one("unknown pace", "event pace: bitstream: value out of range", ordered(1, func(h hand, _ int) { h.kind("pace"); h.WriteBits(401, 9) })),
	one("unknown step", "event phaseStep: bitstream: value out of range", ordered(1, func(h hand, _ int) { h.step(6, 1) })),
	one("a recording for a player", "a recording for a player", ordered(1, func(h hand, _ int) { h.kind("recording"); h.Var(new(uint64)) })),
	one("in the game at once, often", "", ordered(50, func(h hand, _ int) { h.step(5, 1) })),
	one("an empty datablock", "bad datablock", ordered(1, func(h hand, _ int) { h.block(nil) })),
	one("a datablock of no class", "bad datablock", ordered(1, func(h hand, _ int) { h.block(blockOf(1023, 0, 1, func(h hand) { h.WriteBits(0, 1) })) })),
	one("a datablock of a plain class", "bad datablock", ordered(1, func(h hand, _ int) { h.block(blockOf(7, 0, 1, func(h hand) { h.WriteBits(0, 1) })) })),
	one("a datablock from a base that is not here", "unknown base", ordered(1, func(h hand, _ int) {
		h.block(blockOf(toolClass, 0, 1, func(h hand) { h.more(); h.WriteBits(5, 14); h.WriteBits(0, 9) }))
	})),
	one("a nameless datablock", "without a name", ordered(1, func(h hand, _ int) { h.block(blockOf(toolClass, 0, 1, tool("", 0))) })),
	one("a datablock said to be huge", "past the end", ordered(1, func(h hand, _ int) {
		h.kind("description")
		h.WriteFlag(false)
		n := uint64(200 << 10)
		h.Var(&n)
	})),
	one("a datablock at the last index", "", ordered(1, func(h hand, _ int) { h.block(blockOf(toolClass, 16383, 1, tool("Far", 0))) })),
	one("a datablock with the last of all keys", "key above the maximum", ordered(1, func(h hand, _ int) {
		h.block(blockOf(toolClass, 0, math.MaxUint64, tool("Last", 0)))
	})),
	one("blocks with the greatest keys", "", ordered(30, func(h hand, i int) {
		h.block(blockOf(toolClass, uint64(i%4), 1<<48-uint64(i%3), tool(fmt.Sprint("Late", i), 0)))
	})),
	one("blocks that take each other's names", "", ordered(30, func(h hand, i int) {
		h.block(blockOf(toolClass, uint64(i%4), uint64(i%5), tool(fmt.Sprint("Same", i%3), 0)))
	})),
	one("hello without end", "hello", ordered(1, func(h hand, _ int) {
		h.kind("hello")
		name, tick := "evil", uint64(0)
		h.Text(&name, 256)
		h.Var(&tick)
		h.WriteBits(256, 9)
	})),
	one("tags at sparse numbers", "", ordered(256, func(h hand, i int) { h.announce(uint64(i*256), "") })),
}

// toolClass is the wire id of ToolData.
var toolClass = wireID("ToolData")

func wireID(class string) (id uint64) {
	classes := enginetest.Classes(&testing.B{})
	for classes.ByWire(int(id)).Name != class {
		id++
	}
	return id
}

// tool writes the rest of a ToolData's description.
func tool(name string, text int) func(h hand) {
	return func(h hand) {
		h.WriteFlag(false)
		h.Text(&name, 1<<20)
		h.WriteFlag(false)
		h.WriteFlag(true)
		h.WriteFlag(text == 0)
		if text > 0 {
			s := strings.Repeat("t", text)
			h.Text(&s, 1<<20)
		}
	}
}

func run(t *testing.T, m *attacker, a attack) {
	cost := uint64(0)
	for _, write := range a.write {
		cost += m.say(write)
		assert.LessOrEqual(t, cost, allowed(m.count, m.bytes), "%d bytes in %d packets", m.bytes, m.count)
		if m.target() == nil || t.Failed() {
			break
		}
	}
	m.lives(a.ends)
}

func TestHostileClient(t *testing.T) {
	for _, a := range toServer {
		t.Run(a.name, func(t *testing.T) {
			m := client(t)
			m.t = t
			run(t, m, a)
		})
	}
}

func TestHostileServer(t *testing.T) {
	for _, a := range toClient {
		t.Run(a.name, func(t *testing.T) {
			m := server(t)
			m.t = t
			run(t, m, a)
		})
	}
}

var _ = rand.New
var _ = time.Second
var _ = bitstream.ErrShort
var _ = enginetest.New
var _ = engine.TickMs
var _ = require.NoError
