package messages

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// The events of a mod.
const (
	messageEvent = "onFleetMessage"
	askEvent     = "onFleetAsk"
	doneEvent    = "fleet.ask" // the function done
)

// Holder is the data of a mod that sends messages: the value of vm.Mod.Binding.
type Holder interface{ Messages() *Set }

// setOf returns the Set of a calling mod.
func setOf(a bind.Call) *Set { return a.Mod.Binding.(Holder).Messages() }

// Lib has the functions for messages between servers.
func Lib() vm.Lib {
	return bind.Chapter("Messages between servers", []bind.Row{
		bind.Def("fleet.send", "topic: string, value: any, [server: string]", vm.Server, "Sends a value to the same mod on all other servers of the fleet, or on one. It arrives at most once, and is lost if the server is not there. The value is one as for store:put, also nil, and has at most 16 KiB; a topic has 1 to 64 bytes. A mod sends 20 messages a second, and 100 at once. Nothing comes back to its sender, and a server without a fleet sends nothing.", sendMessage),
		bind.Def("fleet.ask", "server: string, topic: string, value: any, done: fun(reply: any, err: string?)", vm.Server, "Asks the same mod on another server: onFleetAsk answers there. done(reply) runs in a later tick, or done(nil, err): after 2 s without an answer, and at once if there is no such server. A question counts as a message.", askServer),
		bind.Def("function onFleetMessage(topic: string, value: any, from: string)", "", vm.Server, "Runs for each message of fleet.send of this mod on another server; from is the name of that server. Its operator runs other files, and can send any value: check the types.", nil),
		bind.Def("function onFleetAsk(topic: string, value: any, from: string) -> any", "", vm.Server, "Answers a question of fleet.ask of this mod on another server. The result is a value as for fleet.send. An error here is an error for the asker.", nil),
	})
}

func sendMessage(a bind.Call) int {
	s, to := setOf(a), a.OptString(3, "")
	note := noteOf(a, 1)
	s.out = append(s.out, outgoing{mod: a.Mod, to: to, Note: note})
	return 0
}

func askServer(a bind.Call) int {
	s, to, done := setOf(a), a.String(1), a.Function(4)
	note := noteOf(a, 2)
	q := &ask{mod: a.Mod, done: done, cause: a.Runtime().Peer(), to: to, until: a.Runtime().Now() + AskTime}
	s.newest++
	q.number = s.newest
	s.asks = append(s.asks, q)
	if err := s.reaches(to); err != nil {
		q.end(nil, err.Error())
		return 0
	}
	s.out = append(s.out, outgoing{mod: a.Mod, to: to, number: q.number, Note: note})
	return 0
}

// reaches returns why a server cannot be asked, or nil.
func (s *Set) reaches(server string) error {
	if s.cfg.Carrier == nil {
		return fmt.Errorf("there is no server %s: this server is in no fleet", bind.Quote(server))
	}
	return s.cfg.Carrier.Reaches(server)
}

// noteOf reads a topic and a value from the arguments from i on, and counts them as sent.
func noteOf(a bind.Call, i int) Note {
	n := Note{Mod: a.Mod.Name, Topic: a.String(i)}
	var v lua.LValue = lua.LNil
	if a.Has(i + 1) {
		v = a.Get(i + 1)
	}
	value, size, err := encode(v)
	a.Charge(256 + size)
	a.Check(err)
	n.Value = value
	if len(n.Topic) < 1 || len(n.Topic) > MaxTopic {
		a.Fail("a topic must have 1 to %d bytes, not %d", MaxTopic, len(n.Topic))
	}
	s := setOf(a)
	b := s.limits[n.Mod]
	if b == nil {
		b = &rate.Bucket{}
		s.limits[n.Mod] = b
	}
	if !b.Take(a.Runtime().Now(), Limit, 1) {
		a.Fail("a mod can send %g messages a second to other servers, and %g at once", Limit.PerSecond, Limit.Burst)
	}
	return n
}
