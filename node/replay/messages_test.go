package replay_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/fleet/fakebus"
)

// talking lets the console of a server tell what it gets, and answer.
const talking = `function onFleetMessage(topic, value, from) echo("got", topic, value and (value.gold or #value), from) end
	function onFleetAsk(topic, value, from) if topic == "bad" then error("no") end return { topic, value, from } end`

// talks lets both servers talk, and returns when they know each other.
func (x *crossing) talks() {
	x.run(time.Millisecond)
	for i := range 2 {
		for _, line := range strings.Split(talking, "\n\t") {
			x.on(i, line)
		}
	}
	x.run(300 * time.Millisecond)
}

// TestReplayOfMessages: a mod talks to itself on another server, asks it, and hears that it is
// away. Both journals replay.
func TestReplayOfMessages(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.talks()
	x.on(0, `fleet.send("all", { gold = 7 }) fleet.send("one", "x\0\255", "arena-2") fleet.send("nobody", 1, "arena-9")`)
	ask := func(i int, to, topic string) {
		x.on(i, fmt.Sprintf(`fleet.ask(%q, %q, 5, function(v, why) echo("answer", v and v[1] .. v[2] .. v[3], why) end)`, to, topic))
	}
	ask(0, "arena-2", "good")
	ask(0, "arena-2", "bad")
	ask(0, "arena-9", "none")
	ask(0, "hub", "own")
	ask(1, "hub", "back")
	x.run(300 * time.Millisecond)
	assert.Equal(t, []string{"all\t7\thub", "one\t3\thub"}, x.told(1, "got"))
	assert.Empty(t, x.told(0, "got"), "nothing comes back to the sender")
	assert.Equal(t, []string{
		`nil	there is no server "arena-9" in the fleet`, `nil	hub is this server`, `good5hub	nil`, `nil	mod console has failed there`,
	}, x.told(0, "answer"))
	assert.Equal(t, []string{"back5arena-2\tnil"}, x.told(1, "answer"))

	x.world.Cut("arena-2")
	ask(0, "arena-2", "late")
	x.run(1900 * time.Millisecond)
	assert.Len(t, x.told(0, "answer"), 4, "2 s are not over")
	x.run(300 * time.Millisecond)
	require.Len(t, x.told(0, "answer"), 5)
	assert.Contains(t, x.told(0, "answer")[4], "nil\tarena-2 ")
	x.replayAll()
}

// TestMessagesWithoutFleet go nowhere.
func TestMessagesWithoutFleet(t *testing.T) {
	t.Parallel()
	x := newCrossing(t)
	x.run(time.Millisecond)
	x.on(0, `fleet.send("t", 1) fleet.ask("arena-2", "t", 1, function(v, why) echo("answer", v, why) end)`)
	x.run(100 * time.Millisecond)
	assert.Equal(t, []string{`nil	there is no server "arena-2": this server is in no fleet`}, x.told(0, "answer"))
}

// A member is a server of the fleet that the test plays.
type member struct {
	*fakebus.Member
	name string
}

// members adds servers to a fleet.
func (x *crossing) members(names ...string) (list []member) {
	for i, name := range names {
		m, err := x.world.Join(bus.Server{Name: name, Address: "192.0.2.1:28000", Key: [32]byte{byte(i), byte(i >> 8), 7}})
		require.NoError(x.t, err)
		list = append(list, member{m, name})
	}
	return list
}

// note is a message to the console of a server.
func note(topic string, value []byte) bus.Note {
	return bus.Note{Mod: "console", Topic: topic, Value: value}
}

// TestMessagesSurviveFloods: servers that send without end are held to their limits and named once,
// and every message of a server that sends little arrives. The journal has no more of the flood
// than the limits let in.
func TestMessagesSurviveFloods(t *testing.T) {
	t.Parallel()
	large := append([]byte{1, 's', 0xfc, 0x7f}, make([]byte, 16_380)...)
	for _, floods := range testenv.Every(2, testenv.Crowds) {
		x := newFleet(t)
		x.talks()
		x.on(0, `count = {} function onFleetMessage(topic, value, from) count[topic] = (count[topic] or 0) + 1 end`)
		var names []string
		for i := range floods {
			names = append(names, fmt.Sprint("flood-", i))
		}
		list := x.members(append(names, "honest")...)
		honest := list[floods]
		x.run(400 * time.Millisecond)
		for n := range 100 {
			for _, m := range list[:floods] {
				for range max(2, 100/floods) {
					m.Do(bus.Send{To: "hub", Note: note("flood", large)})
				}
			}
			if n%10 == 0 {
				honest.Do(bus.Send{To: "hub", Note: note("honest", nil)})
			}
			x.run(10 * time.Millisecond)
		}
		x.run(500 * time.Millisecond)
		x.on(0, `echo("count", count.honest, count.flood)`)
		got := strings.Split(x.told(0, "count")[0], "\t")
		assert.Equal(t, "10", got[0], "%d floods", floods)
		log := x.logs[0].String()
		for i := range floods {
			assert.Equal(t, 1, strings.Count(log, fmt.Sprintf("server=flood-%d mod=console", i)), "flood-%d of %d is named once", i, floods)
		}
		assert.Zero(t, strings.Count(log, "server=honest"))
		if floods == 1 {
			n, err := strconv.Atoi(got[1])
			require.NoError(t, err)
			assert.InDelta(t, 120, n, 2, "100 at once, and 20 in the second")
		}
		if floods == 1 || testenv.Long() { // the journals of the others have 64 MiB
			x.replayAll()
		}
	}
}

// TestStrangeMessagesInFleet: what no server can have sent, and what comes from nobody, reaches no
// mod.
func TestStrangeMessagesInFleet(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.talks()
	x.members("odd")
	x.run(400 * time.Millisecond)
	tell := func(from string, n bus.Note) {
		x.world.Tell("hub", bus.News{Message: &bus.Message{From: from, Note: n}})
	}
	tell("nobody", note("t", nil))
	tell("hub", note("t", nil))
	tell("", note("t", nil))
	tell("odd", note("", nil))
	tell("odd", note(strings.Repeat("t", 65), nil))
	tell("odd", note("t", []byte("\x01{\xff\xff\xff\x7f")))
	tell("odd", note("t", make([]byte, bus.MaxNote+1)))
	tell("odd", bus.Note{Mod: "no mod", Topic: "t"})
	x.world.Tell("hub", bus.News{Reply: &bus.Reply{Number: 77, Value: []byte("x")}})
	x.run(300 * time.Millisecond)
	assert.Empty(t, x.told(0, "got"))
	assert.Equal(t, 1, strings.Count(x.logs[0].String(), "messages of a server of the fleet are dropped: a topic must have 1 to 64 bytes, not 0"))
	metrics, err := x.servers[0].Console().Exec("metrics")
	require.NoError(t, err)
	assert.Contains(t, metrics, "torc_fleet_messages_dropped_total{server=\"hub\"} 7\n", "one for a mod that is not loaded is no mistake")
	tell("odd", note("\xff", nil))
	x.run(300 * time.Millisecond)
	assert.Equal(t, []string{"\xff\tnil\todd"}, x.told(0, "got"))
	x.replayAll()
}
