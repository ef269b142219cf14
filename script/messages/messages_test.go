package messages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestSend: what a mod sends leaves at the end of the tick, with its name, and as a copy.
func TestSend(t *testing.T) {
	r := newRig(t)
	r.must(`local v = {1, {2, "x"}} fleet.send("all", v) v[1] = 9 fleet.send("one", nil, "arena") fleet.send("v", vec(1, 2, 3))`)
	assert.Empty(t, r.sent, "not before the end of the tick")
	_, sent := r.tick()
	assert.Equal(t, []string{`send "" m all {1, {2, "x"}}`, `send "arena" m one nil`, `send "" m v vec(1, 2, 3)`}, sent)
}

// TestSendRefuses: a mistake has a sentence, and sends nothing.
func TestSendRefuses(t *testing.T) {
	r := newRig(t)
	for code, why := range map[string]string{
		`fleet.send()`:                                              "fleet.send: argument 1",
		`fleet.send("", 1)`:                                         "a topic must have 1 to 64 bytes, not 0",
		`fleet.send(("x"):rep(65), 1)`:                              "a topic must have 1 to 64 bytes, not 65",
		`fleet.send("t", ("x"):rep(16384))`:                         "the value of a message can have at most 16384 bytes, not 16389",
		`fleet.send("t", {f = function() end})`:                     "a function cannot be stored, at .f",
		`fleet.send("t", 1, 2 == 2)`:                                "fleet.send: argument 3",
		`fleet.ask("arena", "t", 1)`:                                "fleet.ask: argument 4",
		`fleet.ask("arena", "t", ("x"):rep(99999), function() end)`: "at most 16384 bytes",
		`fleet.ask("arena", ("x"):rep(99), nil, function() end)`:    "a topic must have 1 to 64 bytes",
	} {
		assert.ErrorContains(t, r.lua(code), why, code)
	}
	_, sent := r.tick()
	assert.Empty(t, sent)
	assert.Empty(t, r.set.asks)
}

// TestRefusedValuesArePaid: a mod pays for a value that is too large, and sends nothing.
func TestRefusedValuesArePaid(t *testing.T) {
	r := newRig(t)
	r.must(`large, many = {}, {} for i = 1, 16385 do large[i] = i end for i = 1, 12000 do many[i] = i end`)
	for code, why := range map[string]string{ // any order
		`fleet.send("t", large)`: "more than 16384 table entries",
		`fleet.send("t", many)`:  "at most 16384 bytes",
	} {
		before := r.mod.Usage.Instructions
		require.ErrorContains(t, r.lua(code), why, code)
		assert.Greater(t, r.mod.Usage.Instructions-before, int64(16384), code)
	}
}

// TestSendRate: a mod sends 20 messages a second and 100 at once, questions included. The limit
// belongs to the mod: another one still sends.
func TestSendRate(t *testing.T) {
	r := newRig(t)
	other := r.run.NewMod("other", nil)
	r.must(`for i = 1, 99 do fleet.send("t", i) end fleet.ask("arena", "t", 1, function() end)`)
	for _, code := range []string{`fleet.send("t", 101)`, `fleet.ask("arena", "t", 1, function() end)`} {
		assert.ErrorContains(t, r.lua(code), "a mod can send 20 messages a second to other servers, and 100 at once", code)
	}
	fn, err := other.Compile("o.lua", `fleet.send("t", 1)`, false)
	require.NoError(t, err)
	_, err = r.run.Enter(other, fn)
	require.NoError(t, err)
	_, sent := r.tick()
	assert.Len(t, sent, 101)
	r.now = time.Second
	r.must(`for i = 1, 20 do fleet.send("t", i) end`)
	assert.Error(t, r.lua(`fleet.send("t", 1)`))
}

// TestAlone: without a fleet a message goes nowhere, and a question ends at once.
func TestAlone(t *testing.T) {
	r := newRig(t)
	r.set.cfg.Carrier = nil
	r.must(`fleet.send("t", 1) fleet.ask("arena", "t", 1, function(...) say(...) end)`)
	said, sent := r.tick()
	assert.Equal(t, []string{`nil "there is no server \"arena\": this server is in no fleet"`}, said)
	assert.Empty(t, sent)
}

// TestAsk: done gets the answer once, in a tick, and an error after 2 s of ticks, or at once for a
// server that is not there.
func TestAsk(t *testing.T) {
	r := newRig(t)
	ask := func(to, topic string) {
		r.must(fmt.Sprintf(`fleet.ask(%q, %q, {n = 1}, function(...) say(%q, ...) end)`, to, topic, topic))
	}
	ask("arena", "a")
	ask("arena", "b")
	ask("gone", "c")
	said, sent := r.tick()
	assert.Equal(t, []string{`"c" nil "there is no server \"gone\""`}, said)
	assert.Equal(t, []string{`ask arena 1 m a {n = 1}`, `ask arena 2 m b {n = 1}`}, sent)
	r.set.Reply(2, r.value(`{"yes"}`), "")
	r.set.Reply(2, nil, "again")
	r.set.Reply(7, nil, "of nobody")
	assert.Empty(t, r.said, "not before the next tick")
	said, _ = r.tick()
	assert.Equal(t, []string{`"b" {"yes"}`}, said)
	assert.Empty(t, r.ticks(AskTime-96*time.Millisecond), "2 s are not over")
	said, _ = r.tick()
	assert.Equal(t, []string{`"a" nil "arena has not answered within 2 s"`}, said)
	r.set.Reply(1, r.value("1"), "")
	assert.Empty(t, r.ticks(time.Second), "the answer came too late")
	assert.Empty(t, r.set.asks)
}

// TestAnswersOfAnybody: an answer that no server can have given is an error, and the reason of
// another server is one short line.
func TestAnswersOfAnybody(t *testing.T) {
	r := newRig(t)
	for n, c := range []struct {
		value []byte
		why   string
		says  string
	}{
		{[]byte{1}, "", `nil "the answer of arena is damaged"`},
		{make([]byte, MaxValue+1), "", `nil "the answer of arena is damaged"`},
		{[]byte{99, 1, 2}, "", `nil "the answer of arena is damaged"`},
		{nil, "", `nil`},
		{[]byte{1}, "a\x1b[31m\nb\xff  c", `nil "a [31m b c"`},
	} {
		r.must(`fleet.ask("arena", "t", 1, function(...) say(...) end)`)
		r.set.Reply(uint64(n+1), c.value, c.why)
		said, _ := r.tick()
		assert.Equal(t, []string{c.says}, said)
	}
	r.must(`fleet.ask("arena", "t", 1, function(_, why) say(#why) end)`)
	r.set.Reply(6, nil, strings.Repeat("x", 1<<20))
	said, _ := r.tick()
	assert.Equal(t, []string{"259"}, said)
}

// TestAnswer: the mod answers with the result of onFleetAsk, and the asker always learns something.
func TestAnswer(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ code, answer, fault string }{
		{``, `answer hub 4 nil mod m answers no questions there`, ``},
		{`function onFleetAsk(topic, value, from) return {topic, value, from} end`, `answer hub 4 {"t", 7, "hub"} `, ``},
		{`function onFleetAsk() end`, `answer hub 4 nil `, ``},
		{"\n\nfunction onFleetAsk() error('no') end", `answer hub 4 nil mod m has failed there`, `m m.lua:4 m.lua:4: no`},
		{"\nfunction onFleetAsk() return {onFleetAsk} end", `answer hub 4 nil mod m has failed there`, `m m.lua:3 m.lua:3: the result of the function: a function cannot be stored, at [1]`},
		{"\n\nfunction onFleetAsk() return ('x'):rep(20000) end", `answer hub 4 nil mod m has failed there`,
			`m m.lua:4 m.lua:4: the result of the function: the value of a message can have at most 16384 bytes, not 20005`},
	} {
		r.now += time.Minute // so each fault is reported
		r.must("onFleetAsk = nil\n" + c.code)
		r.faults = nil
		q := r.from("hub", "t", r.value("7"))
		q.Question, q.Number = true, 4
		require.True(t, r.set.Receive(q))
		_, sent := r.tick()
		assert.Equal(t, []string{c.answer}, sent, c.code)
		assert.Equal(t, c.fault, strings.Join(r.faults, ";"), c.code)
	}
}

// TestMessages: a message runs the handler in a tick, with what the sender gave, and a mistake of
// the handler costs one callback.
func TestMessages(t *testing.T) {
	r := newRig(t)
	r.must(`function onFleetMessage(topic, value, from) say(topic, value, from) if topic == "bad" then error("no") end end`)
	require.True(t, r.set.Receive(r.from("hub", "a", r.value(`{x = 1}`))))
	require.True(t, r.set.Receive(r.from("hub", "bad", nil)))
	require.True(t, r.set.Receive(r.from("hub", "b", r.value("true"))))
	assert.Empty(t, r.said, "not before the next tick")
	said, sent := r.tick()
	assert.Equal(t, []string{`"a" {x = 1} "hub"`, `"bad" nil "hub"`, `"b" true "hub"`}, said)
	assert.Len(t, r.faults, 1)
	assert.Empty(t, sent, "a message has no answer")
	assert.Empty(t, r.set.inboxes)
}

// TestStrangeMessages: what no server can have sent, and what is for no mod here, is not kept.
func TestStrangeMessages(t *testing.T) {
	r := newRig(t)
	for name, i := range map[string]Incoming{
		"another mod":  {From: "hub", Note: Note{Mod: "n", Topic: "t"}},
		"no topic":     {From: "hub", Note: Note{Mod: "m"}},
		"a long topic": r.from("hub", strings.Repeat("t", 65), nil),
		"a long value": r.from("hub", "t", make([]byte, MaxValue+1)),
		"damaged":      r.from("hub", "t", []byte{1, '{', 0xff, 0xff, 0xff, 0x7f}),
		"a later torc": r.from("hub", "t", []byte{2, 't'}),
	} {
		assert.False(t, r.set.Receive(i), name)
	}
	assert.Empty(t, r.set.inboxes)
}

// TestReload: the asks of the old instance end without a call, what it has not sent yet is not
// sent, and the new instance gets the messages that wait.
func TestReload(t *testing.T) {
	r := newRig(t)
	r.must(`fleet.ask("arena", "t", 1, function() say("old") end)`)
	r.tick()
	r.must(`fleet.send("t", 1) fleet.ask("arena", "u", 1, function() say("old") end)`)
	r.set.Receive(r.from("hub", "a", nil))
	r.set.Retire(r.mod)
	r.run.Remove(r.mod)
	r.mod = r.run.NewMod("m", nil)
	r.must(`function onFleetMessage(topic) say("new", topic) end`)
	r.set.Reply(1, nil, "")
	said, sent := r.tick()
	assert.Equal(t, []string{`"new" "a"`}, said)
	assert.Empty(t, sent)
	assert.Empty(t, r.ticks(3*time.Second))
	assert.Empty(t, r.set.asks)
	r.set.Receive(r.from("hub", "b", nil))
	r.run.Remove(r.mod)
	r.tick()
	assert.Empty(t, r.set.inboxes, "the mod is gone")
}

// TestInboxSurvivesFloods: servers that send without end lose their own messages, and those of a
// server that sends little arrive in the next tick in which the mod has time.
func TestInboxSurvivesFloods(t *testing.T) {
	for _, floods := range testenv.Crowds {
		for _, size := range []int{1, 16_000} {
			r := newRig(t)
			r.run.LimitsVar().Ticking /= 10
			r.must(`function onFleetMessage(topic, value, from) if from == "honest" then say(topic) end for i = 1, 2500 do end end`)
			value := r.value(fmt.Sprintf(`("x"):rep(%d)`, size))
			for range 3 * maxWaiting / floods {
				for f := range floods {
					r.set.Receive(r.from(fmt.Sprint("flood-", f), "t", value))
				}
			}
			assert.True(t, r.set.Receive(r.from("honest", "first", nil)))
			for f := range floods {
				r.set.Receive(r.from(fmt.Sprint("flood-", f), "t", value))
			}
			box := r.set.inboxes["m"]
			assert.LessOrEqual(t, box.count, maxWaiting)
			assert.LessOrEqual(t, box.bytes, maxWaitingBytes)
			assert.Positive(t, r.set.Lost())
			require.Len(t, r.warned, 1, "it is said once")
			ticks := 0
			for len(r.said) == 0 && ticks < 100 {
				r.now += 32 * time.Millisecond
				r.run.BeginTick()
				r.set.Begin()
				ticks++
			}
			assert.Equal(t, []string{`"first"`}, r.said)
			assert.LessOrEqual(t, ticks, 8, "%d floods of %d bytes", floods, size)
			r.must(`onFleetMessage = nil`)
			r.tick()
			assert.Empty(t, r.set.inboxes)
		}
	}
}

// TestMessagesWaitForTheMod: a tick handles no more than the mod has time for.
func TestMessagesWaitForTheMod(t *testing.T) {
	r := newRig(t)
	r.run.LimitsVar().Ticking /= 10
	r.must(`function onFleetMessage() say("x") for i = 1, 40000 do end end`)
	for range 10 {
		r.set.Receive(r.from("hub", "t", nil))
	}
	said, _ := r.tick()
	assert.Less(t, len(said), 10)
	assert.NotEmpty(t, said)
	assert.Equal(t, 10-len(said), count(r.ticks(time.Second), `"x"`))
}
