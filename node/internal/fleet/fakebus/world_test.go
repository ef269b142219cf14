package fakebus

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

const ms = time.Millisecond

var coins = bus.Group{Bucket: bus.Shared, Name: "bank"}

// rig is a world of a, b and so on, whose delay is 1 ms.
type rig struct {
	*World
	t   *testing.T
	bus map[string]*Member
}

func newRig(t *testing.T, names ...string) *rig {
	r := &rig{New(ms), t, map[string]*Member{}}
	for i, name := range names {
		m, err := r.Join(bus.Server{Name: name, Key: seal.Key{byte(i + 1)}})
		require.NoError(t, err)
		r.bus[name] = m
	}
	r.run(10 * ms)
	for _, name := range names {
		r.bus[name].Take()
	}
	return r
}

// run advances the world; all servers are present.
func (r *rig) run(d time.Duration) {
	for end := r.now + d; r.now < end; {
		if r.now%bus.PresentEvery == 0 {
			for _, m := range r.members {
				m.Do(bus.Present{Server: m.self})
			}
		}
		r.Advance(r.now + ms)
	}
}

// heard describes the news of a server since the last call.
func (r *rig) heard(name string) (list []string) {
	for _, n := range r.bus[name].Take() {
		list = append(list, tellOf(n))
	}
	return list
}

func tellOf(n bus.News) string {
	switch {
	case n.Line != nil:
		return fmt.Sprint("line ", n.Line.Up, " ", n.Line.Warn)
	case n.Servers != nil:
		text := "servers"
		for _, s := range n.Servers.List {
			text += " " + s.Name
		}
		return text
	case n.Message != nil:
		return fmt.Sprintf("%s: %s %s", n.Message.From, n.Message.Topic, n.Message.Value)
	case n.Reply != nil:
		return fmt.Sprintf("reply %d %s%s", n.Reply.Number, n.Reply.Value, n.Reply.Err)
	case n.Loaded != nil:
		text := "loaded"
		for _, v := range n.Loaded.Values {
			text += fmt.Sprintf(" %s=%s@%d", v.Key, v.Data, v.Rev)
		}
		return text
	case n.Changed != nil:
		return fmt.Sprintf("%s=%s@%d of %s", n.Changed.Key, n.Changed.Data, n.Changed.Rev, n.Changed.Owner)
	}
	return fmt.Sprintf("outcome %d %v %v %s", n.Outcome.Number, n.Outcome.Revs, n.Outcome.Conflict, n.Outcome.Err)
}

// put orders a batch of one write.
func (r *rig) put(name string, number uint64, key, data string, base bus.Revision, chained ...bool) {
	r.bus[name].Do(bus.Commit{Batch: bus.Batch{
		Number: number, Epoch: r.Epoch(bus.Shared), Writes: []bus.Write{{Group: coins, Key: key, Data: []byte(data), Base: base, Chained: chained != nil}},
	}})
}

// TestPresence: a server is gone 6 s after its last word, at once after its end, and its name
// belongs to its key.
func TestPresence(t *testing.T) {
	r := newRig(t, "a", "b", "c")
	r.Kill("c")
	r.run(3900 * ms)
	assert.Empty(t, r.heard("a"), "4 s after its last word")
	_, err := r.Join(bus.Server{Name: "c", Key: seal.Key{9}})
	assert.EqualError(t, err, "the fleet has a server c already: it must have another name, or end first")
	r.run(2500 * ms)
	assert.Equal(t, []string{"servers b"}, r.heard("a"))
	_, err = r.Join(bus.Server{Name: "c", Key: seal.Key{9}})
	require.NoError(t, err)
	r.run(5 * ms)
	assert.Equal(t, []string{"servers b c"}, r.heard("a"))
	require.NoError(t, r.bus["b"].Close(time.Second))
	r.run(5 * ms)
	assert.Equal(t, []string{"servers c"}, r.heard("a"))
}

// TestRestartKeepsItsName: the same key can take its name back before its presence is old.
func TestRestartKeepsItsName(t *testing.T) {
	r := newRig(t, "a")
	r.Kill("a")
	_, err := r.Join(bus.Server{Name: "a", Key: seal.Key{1}})
	assert.NoError(t, err)
}

// TestMessagesAreLostWithTheLine: a message reaches those who have a line now. A question without
// an answer ends after 2 s.
func TestMessagesAreLostWithTheLine(t *testing.T) {
	r := newRig(t, "a", "b", "c")
	note := bus.Note{Mod: "bank", Topic: "hi", Value: []byte("1")}
	r.Cut("c")
	r.bus["a"].Do(bus.Send{Note: note})
	r.bus["a"].Do(bus.Send{To: "c", Note: note})
	r.bus["a"].Do(bus.Ask{To: "c", Number: 1, Note: note})
	r.bus["a"].Do(bus.Ask{To: "b", Number: 2, Note: note})
	r.bus["a"].Do(bus.Ask{To: "x", Number: 3, Note: note})
	r.run(5 * ms)
	assert.Equal(t, []string{"reply 3 the fleet has no server x"}, r.heard("a"))
	news := r.bus["b"].Take()
	require.Len(t, news, 2)
	assert.True(t, news[1].Message.Question)
	r.bus["b"].Do(bus.Answer{To: "a", Number: 2, Value: []byte("yes")})
	r.run(1900 * ms)
	assert.Equal(t, []string{"reply 2 yes"}, r.heard("a"))
	r.Heal("c")
	r.run(200 * ms)
	assert.Equal(t, []string{"reply 1 c does not answer"}, r.heard("a"))
	assert.Equal(t, []string{"line false the line to the fleet is cut", "line true ", "servers a b"}, r.heard("c"))
}

// TestRevisions: a write whose writer saw an older value fails, and one that is chained stands on
// the one before.
func TestRevisions(t *testing.T) {
	r := newRig(t, "a", "b")
	for _, name := range []string{"a", "b"} {
		r.bus[name].Do(bus.Follow{Group: coins})
	}
	r.run(5 * ms)
	r.put("a", 1, "gold", "5", 0)
	r.put("a", 2, "gold", "6", 0, true)
	r.put("b", 1, "gold", "9", 0)
	r.run(20 * ms)
	assert.Equal(t, []string{"loaded", "outcome 1 [1] false ", "gold=5@1 of a", "outcome 2 [2] false ", "gold=6@2 of a"}, r.heard("a"))
	assert.Equal(t, []string{"loaded", "gold=5@1 of a", "outcome 1 [] true another server has changed the value", "gold=6@2 of a"}, r.heard("b"))
	r.put("a", 3, "gold", "7", 1)
	r.put("a", 4, "gold", "8", 1, true)
	r.run(20 * ms)
	assert.Equal(t, []string{"outcome 3 [] true another server has changed the value", "outcome 4 [] true the change before it has failed"}, r.heard("a"))
	r.Early = true
	r.put("b", 2, "gold", "3", 2)
	r.run(20 * ms)
	assert.Equal(t, []string{"gold=3@3 of b", "outcome 2 [3] false "}, r.heard("b"))
}

// TestDeletedKey: a key that was deleted has a revision, and can be written as one that never was.
func TestDeletedKey(t *testing.T) {
	r := newRig(t, "a")
	r.Put(coins, "gold", []byte("1"), "x")
	r.Put(coins, "gold", nil, "x")
	r.put("a", 1, "gold", "2", 0)
	r.run(5 * ms)
	assert.Equal(t, []string{"outcome 1 [3] false "}, r.heard("a"))
	r.Put(coins, "gold", nil, "x")
	r.put("a", 2, "gold", "3", 4)
	r.run(5 * ms)
	assert.Equal(t, []string{"outcome 2 [5] false "}, r.heard("a"))
}

// TestBatchesAreWhole: all writes of a batch happen, or none.
func TestBatchesAreWhole(t *testing.T) {
	r := newRig(t, "a")
	r.Put(coins, "b", []byte("1"), "x")
	r.bus["a"].Do(bus.Commit{Batch: bus.Batch{Number: 1, Epoch: r.Epoch(bus.Shared), Writes: []bus.Write{
		{Group: coins, Key: "a", Data: []byte("1")}, {Group: coins, Key: "b", Data: []byte("2")},
	}}})
	r.run(5 * ms)
	assert.Zero(t, r.Value(coins, "a").Rev)
	assert.Equal(t, bus.Revision(1), r.Value(coins, "b").Rev)
	r.Refuses = "insufficient resources"
	r.put("a", 2, "c", "1", 0)
	r.run(5 * ms)
	assert.Equal(t, []string{"outcome 1 [] true another server has changed the value", "outcome 2 [] false insufficient resources"}, r.heard("a"))
}

// TestBatchWithoutAnswer: a batch lands once, whenever the line is lost: before it arrives, or
// before its answer does.
func TestBatchWithoutAnswer(t *testing.T) {
	for _, lost := range []time.Duration{0, ms, 2 * ms} {
		r := newRig(t, "a", "b")
		r.put("a", 1, "gold", "5", 0)
		r.Advance(r.now + lost)
		r.Cut("a")
		r.run(10 * ms)
		r.Heal("a")
		r.run(10 * ms)
		assert.Contains(t, r.heard("a"), "outcome 1 [1] false ", lost)
		assert.Equal(t, bus.Revision(1), r.Value(coins, "gold").Rev)
	}
}

// TestCentreDies: values outlive the centre, presence and followers come back, and a batch waits.
func TestCentreDies(t *testing.T) {
	r := newRig(t, "a", "b")
	r.bus["a"].Do(bus.Follow{Group: coins})
	r.Put(coins, "gold", []byte("1"), "x")
	r.run(10 * ms)
	r.Die()
	r.put("a", 1, "gold", "2", 1)
	late, err := r.Join(bus.Server{Name: "c", Key: seal.Key{9}})
	require.NoError(t, err, "it starts without a centre")
	assert.False(t, late.Take()[0].Line.Up)
	r.run(3000 * ms)
	r.bus["a"].Take()
	r.Revive()
	r.run(10 * ms)
	assert.Equal(t, []string{"line true ", "servers", "loaded gold=1@1", "outcome 1 [2] false ", "gold=2@2 of a"}, r.heard("a"))
	r.run(2000 * ms)
	assert.Contains(t, r.heard("a"), "servers b c")
}

// TestEpochs: a batch of another life of the bucket is a conflict.
func TestEpochs(t *testing.T) {
	r := newRig(t, "a")
	r.bus["a"].Do(bus.Follow{Group: coins})
	old := r.Epoch(bus.Shared)
	r.run(5 * ms)
	r.Wipe(bus.Shared, bus.Epoch{Count: 2, ID: 7})
	r.bus["a"].Do(bus.Commit{Batch: bus.Batch{Number: 1, Epoch: old, Writes: []bus.Write{{Group: coins, Key: "gold", Data: []byte("2")}}}})
	r.run(5 * ms)
	assert.Equal(t, []string{"loaded", "servers", "loaded", "outcome 1 [] true the values of the fleet were restored"}, r.heard("a"))
}

// TestClose: what is queued lands, and its outcomes can still be taken. Without a line it says that
// changes can be missing.
func TestClose(t *testing.T) {
	r := newRig(t, "a", "b")
	r.put("a", 1, "gold", "5", 0)
	require.NoError(t, r.bus["a"].Close(time.Second))
	assert.Equal(t, []string{"outcome 1 [1] false "}, r.heard("a"))
	r.Cut("b")
	r.put("b", 1, "gold", "6", 1)
	assert.EqualError(t, r.bus["b"].Close(time.Second), "the fleet does not answer: changes can be missing there")
}
