package natsfleet

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestMessagesThatNobodyTakes: the inbox is bounded, and who sends most loses first.
func TestMessagesThatNobodyTakes(t *testing.T) {
	for _, flooders := range testenv.Crowds {
		i := newInbox()
		for n := range maxSenderNews + 5 {
			for f := range flooders {
				i.message(fmt.Sprint("flood-", f), bus.Message{Number: uint64(n)})
			}
		}
		lost, dropped := i.message("honest", bus.Message{From: "honest"})
		assert.NotEqual(t, "honest", lost)
		assert.Equal(t, flooders*maxSenderNews > maxMessages, dropped, "%d", flooders)
		list := i.take(false)
		assert.LessOrEqual(t, len(list), maxMessages)
		assert.Equal(t, "honest", list[len(list)-1].Message.From)
		last := map[string]uint64{}
		for _, n := range list[:len(list)-1] {
			assert.Less(t, n.Message.Number, uint64(maxSenderNews), "the newest are dropped")
			last[n.Message.From] = n.Message.Number
		}
	}
}

// TestReportsThatNobodyTakes: a line that comes and goes fills nothing.
func TestReportsThatNobodyTakes(t *testing.T) {
	i := newInbox()
	for range 10 * maxLineReports {
		i.line(bus.Line{})
		i.known(bus.Servers{})
	}
	assert.Len(t, i.take(false), maxLineReports+1)
	assert.Empty(t, i.take(false))
}

// TestValuesWaitForTheLoop: a watcher of a group stops while the loop takes nothing, and others go
// on.
func TestValuesWaitForTheLoop(t *testing.T) {
	i := newInbox()
	ended, end := context.WithCancel(context.Background())
	end()
	value := bus.News{Changed: &bus.Changed{}}
	for range maxGroupNews {
		assert.True(t, i.value(ended, coins, 100, value))
	}
	assert.False(t, i.value(ended, coins, 100, value))
	other := bus.Group{Bucket: bus.Lists, Name: "bans"}
	assert.True(t, i.value(ended, other, maxGroupBytes*3, value), "what is alone has room")
	assert.False(t, i.value(ended, other, 1, value))

	went := make(chan bool)
	go func() { went <- i.value(context.Background(), coins, 100, value) }()
	assert.Len(t, i.take(false), takeValues+1)
	assert.True(t, <-went)
}

// TestBatchesThatWait: a mod that writes much is refused before others are.
func TestBatchesThatWait(t *testing.T) {
	batch := func(mod string, n int) bus.Batch {
		b := bus.Batch{}
		for range n {
			b.Writes = append(b.Writes, bus.Write{Group: bus.Group{Bucket: bus.Shared, Name: mod}, Key: "k", Data: []byte("v")})
		}
		return b
	}
	o := newOutbox()
	for range maxModWrites / 512 {
		assert.Empty(t, o.add(batch("greedy", 512)))
	}
	assert.Equal(t, "too many changes wait for the fleet", o.add(batch("greedy", 1)))
	assert.Empty(t, o.add(batch("honest", 512)))
	both := batch("honest", 1)
	both.Writes = append(both.Writes, batch("greedy", 1).Writes...)
	assert.NotEmpty(t, o.add(both))
	for range maxModWrites/512 + 1 {
		b, ok := o.next(context.Background())
		assert.True(t, ok)
		o.ended(bus.Outcome{Number: b.Number, Err: "x"})
	}
	assert.Empty(t, o.mods)
	assert.Equal(t, share{}, o.total)

	big := batch("greedy", 8)
	for i := range big.Writes {
		big.Writes[i].Data = make([]byte, maxValue)
	}
	n := 0
	for o.add(big) == "" {
		n++
	}
	assert.Equal(t, maxModBytes/(8*(maxValue+128)), n)
	o.taken(0)
	assert.Empty(t, o.links)
	assert.Empty(t, o.places)
	o.close()
	assert.Equal(t, "the server ends", o.add(batch("honest", 1)))
}

// TestOrdersThatWait: letters that NATS does not take are bounded by mod, and so are questions.
func TestOrdersThatWait(t *testing.T) {
	b := &fleetBus{in: newInbox()}
	b.line = newLine(b)
	b.line.up = true
	b.tally = newTally(b)
	k := newTalk(b)
	b.talk = k
	for range 3 * maxOfMod {
		k.send(bus.Send{Note: bus.Note{Mod: "greedy"}})
	}
	assert.Len(t, k.queue, maxOfMod)
	k.send(bus.Send{Note: bus.Note{Mod: "honest"}})
	assert.Len(t, k.next(), maxOfMod+1)
	for n := range uint64(2 * maxAsked) {
		k.ask(bus.Ask{To: "a", Number: n, Note: bus.Note{Mod: "greedy"}})
		k.next()
	}
	assert.Len(t, k.pending, maxAsked)
	for m := range 10 {
		for n := range uint64(maxAsked) {
			k.ask(bus.Ask{To: "a", Number: uint64(m+2)*1000 + n, Note: bus.Note{Mod: fmt.Sprint("m", m)}})
			k.next()
		}
	}
	assert.Len(t, k.pending, maxPending)
	var refused int
	for _, n := range b.in.take(false) {
		if n.Reply != nil {
			assert.Equal(t, "too many questions wait for an answer", n.Reply.Err)
			refused++
		}
	}
	assert.Equal(t, 2*maxAsked+10*maxAsked-maxPending, refused)
}

// TestTallyIsBounded: names that a stranger makes up fill nothing, and each is told once.
func TestTallyIsBounded(t *testing.T) {
	b := &fleetBus{in: newInbox()}
	b.line = newLine(b)
	y := newTally(b)
	for round := range 5 {
		for n := range 4 * maxTallies {
			y.add(fmt.Sprint("things of ", n))
		}
		if round < 2 {
			y.tell()
		}
		b.in.take(false)
	}
	assert.LessOrEqual(t, len(y.count), maxTallies+1)
	assert.LessOrEqual(t, len(b.line.said), maxTallies+1)
	y.tell()
	y.tell()
	assert.Empty(t, y.count)
	assert.Empty(t, b.line.said)
}

// TestGroupsTakeTurns: groups that are flooded delay neither the loop nor the values of another
// one. The news of each stay in order, batches stay whole, nothing is lost, and an outcome comes
// behind the values before it.
func TestGroupsTakeTurns(t *testing.T) {
	const all = 1804 // values of a flood
	for _, floods := range testenv.Crowds {
		i := newInbox()
		for f := range floods {
			g, n := bus.Group{Bucket: bus.Shared, Name: fmt.Sprint("flood_", f)}, 0
			for _, batch := range []int{1, 999, 400, 400, 1, 1, 1, 1} {
				bytes := batch
				var list []bus.News
				for range batch {
					n++
					list = append(list, valueOfRevision(g, n))
				}
				if n == all {
					bytes = 2 * takeBytes
				}
				assert.True(t, i.value(t.Context(), g, bytes, list...))
			}
			i.outcome(g, bus.Outcome{Number: uint64(n)})
		}
		assert.True(t, i.value(t.Context(), coins, 1, valueOfRevision(coins, 1)))
		i.outcome(coins, bus.Outcome{Number: 1})
		newest, outcomes := map[string]bus.Revision{}, map[uint64]int{}
		for takes := 0; len(i.groups) > 0; takes++ {
			values, large := 0, map[string]int{}
			for _, n := range i.take(false) {
				if o := n.Outcome; o != nil {
					outcomes[o.Number]++
					assert.LessOrEqual(t, outcomes[o.Number], has(newest, bus.Revision(o.Number)), "the values of the group come before")
					continue
				}
				c := n.Changed
				if newest[c.Name]++; newest[c.Name] != c.Rev {
					assert.Fail(t, "out of order", "%s: %d", c.Name, c.Rev)
				}
				if c.Rev > 1 && c.Rev <= 1000 || c.Rev == all {
					large[c.Name]++
				} else {
					values++
				}
			}
			assert.LessOrEqual(t, values, takeValues)
			assert.LessOrEqual(t, len(large), 1, "one that is larger is taken besides")
			for _, n := range large { // any order: each is judged alone
				assert.Contains(t, []int{1, 999}, n, "a batch is whole")
			}
			assert.True(t, takes > 0 || newest[coins.Name] == 1, "%d floods", floods)
		}
		assert.Equal(t, map[uint64]int{1: 1, all: floods}, outcomes)
		assert.Equal(t, floods, has(newest, all))
		assert.Nil(t, i.take(false))
		assert.Empty(t, i.turns[bus.Shared])
	}
}

func valueOfRevision(g bus.Group, n int) bus.News {
	return bus.News{Changed: &bus.Changed{Group: g, Value: bus.Value{Rev: bus.Revision(n)}}}
}

// has returns how many groups have come to a revision.
func has(newest map[string]bus.Revision, rev bus.Revision) (n int) {
	for _, r := range newest { // any order: it is a sum
		if r >= rev {
			n++
		}
	}
	return n
}

// TestEndTakesEverything: the end of a server waits for no turn.
func TestEndTakesEverything(t *testing.T) {
	i := newInbox()
	for range 3 * takeValues {
		i.value(t.Context(), coins, 1, bus.News{Changed: &bus.Changed{}})
	}
	i.outcome(coins, bus.Outcome{Number: 7})
	list := i.take(true)
	assert.Len(t, list, 3*takeValues+1)
	assert.Equal(t, uint64(7), list[len(list)-1].Outcome.Number)
}
