package script_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/messages"
)

// A carrier notes what goes to other servers.
type carrier struct{ sent []string }

func (c *carrier) Reaches(string) error { return nil }
func (c *carrier) Send(to string, n messages.Note) {
	c.sent = append(c.sent, fmt.Sprintf("send %s %s %s", to, n.Mod, n.Topic))
}
func (c *carrier) Ask(to string, number uint64, n messages.Note) {
	c.sent = append(c.sent, fmt.Sprintf("ask %s %d %s %s", to, number, n.Mod, n.Topic))
}
func (c *carrier) Answer(to string, number uint64, _ []byte, why string) {
	c.sent = append(c.sent, fmt.Sprintf("answer %s %d %s", to, number, why))
}

// TestReloadAndMessages: a reload ends the questions of the old instance, the new one gets the
// messages, and an instance that does not load has sent nothing.
func TestReloadAndMessages(t *testing.T) {
	out := &carrier{}
	folder := files(map[string]string{"m/server/init.lua": `
		fleet.send("hello", 1)
		fleet.ask("arena", "who", 1, function(v, err) echo("old", v, err) end)
		function onFleetMessage(topic, value, from) echo("first", topic, value, from) end`}).(fstest.MapFS)
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) { s.Carrier = out }, folder).load("m")
	h.ticks(1)
	assert.Equal(t, []string{"send  m hello", "ask arena 1 m who"}, out.sent)

	out.sent = nil
	folder["m/server/init.lua"].Data = []byte(`fleet.send("wrong", 1) error "no"`)
	h.line("mod.reload m")
	h.ticks(2)
	assert.Empty(t, out.sent)

	folder["m/server/init.lua"].Data = []byte(`function onFleetMessage(topic, value, from) echo("second", topic, value, from) end`)
	h.out = nil
	h.scripts.Messages().Receive(messages.Incoming{From: "arena", Note: messages.Note{Mod: "m", Topic: "t"}})
	h.line("mod.reload m")
	h.scripts.Messages().Reply(1, nil, "")
	h.ticks(100)
	assert.Contains(t, h.out, "second\tt\tnil\tarena")
	for _, line := range h.out {
		assert.NotContains(t, line, "old")
	}
}

// TestOnlyServersSendMessages: a mod cannot pretend to another mod that a server has sent
// something.
func TestOnlyServersSendMessages(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		for _, name in ipairs { "onFleetMessage", "onFleetAsk" } do echo(pcall(broadcast, name)) end`})).load("m")
	for _, name := range []string{"onFleetMessage", "onFleetAsk"} {
		assert.Contains(t, fmt.Sprint(h.out), name+" cannot be broadcast: only the engine calls it")
	}
}
