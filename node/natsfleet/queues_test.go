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
		list := i.take()
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
	assert.Len(t, i.take(), maxLineReports+1)
	assert.Empty(t, i.take())
}

// TestValuesWaitForTheLoop: a watcher of a group stops while the loop takes nothing, and others go on.
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
	assert.Len(t, i.take(), maxGroupNews+1)
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
	for _, n := range b.in.take() {
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
		b.in.take()
	}
	assert.LessOrEqual(t, len(y.count), maxTallies+1)
	assert.LessOrEqual(t, len(b.line.said), maxTallies+1)
	y.tell()
	y.tell()
	assert.Empty(t, y.count)
	assert.Empty(t, b.line.said)
}
