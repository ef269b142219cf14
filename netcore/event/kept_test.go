package event

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// smallKinds are events of few bits: one for each reason to keep the bits of Post, or not to.
var smallKinds = NewKinds(Kind{Name: "small", New: func() Event { return new(small) }})

// small is an event with optional parts.
type small struct {
	n              uint32
	bits           int
	name           TagRef
	text           string
	object         uint32
	tagged, worded bool
	refers         bool
}

func (v *small) KindID() KindID              { return smallKinds.ID("small") }
func (v *small) Process(*netcore.Conn) error { return nil }

func (v *small) Serialize(s *Codec) {
	s.Uint(&v.n, v.bits)
	if v.tagged {
		s.Tag(&v.name)
	}
	if v.worded {
		s.Text(&v.text, 20)
	}
	if v.refers {
		s.Object(&v.object)
	}
}

// movingRefs gives every object another number each time.
type movingRefs struct{ next uint32 }

func (r *movingRefs) ToWire(uint32) uint32      { r.next++; return r.next }
func (r *movingRefs) FromWire(id uint32) uint32 { return id }

// TestPostKeepsTheBitsOfSmallEvents checks which events keep the bits that Post has measured.
func TestPostKeepsTheBitsOfSmallEvents(t *testing.T) {
	refs := &movingRefs{}
	e := New(Config{Kinds: smallKinds, Server: true, Refs: refs})
	slot := e.sent.hold("known")
	e.sent.slots[slot].state = tagKnown
	for _, row := range []struct {
		name  string
		event small
		keeps bool
	}{
		{"number", small{n: 5, bits: 24}, true},
		{"number of a word", small{n: 5, bits: 32}, true},
		{"known string", small{tagged: true, name: TagRef{Text: "known"}}, true},
		{"new string", small{tagged: true, name: TagRef{Text: "new"}}, false},
		{"text", small{worded: true, text: "ab"}, false},
		{"empty text", small{worded: true}, false},
		{"reference", small{refers: true, object: 1}, false},
	} {
		require.NoError(t, e.Post(&row.event, Post{}), row.name)
		q := &e.channel[0].fair.lanes[0].queue
		assert.Equal(t, row.keeps, q.at(q.n-1).codeBits > 0, row.name)
	}
	checked := New(Config{Kinds: smallKinds, Server: true, Check: true})
	require.NoError(t, checked.Post(&small{n: 1, bits: 8}, Post{}))
	assert.Zero(t, checked.channel[0].fair.lanes[0].queue.at(0).codeBits, "a check mark follows each event")
	long := New(Config{Kinds: noteKinds, Server: true})
	require.NoError(t, long.Post(&note{pad: make([]byte, 20)}, Post{}))
	assert.Zero(t, long.channel[0].fair.lanes[0].queue.at(0).codeBits, "more bits than a word")
}

// TestKeptBitsAreTheGeneralBits packs the same events by their kept bits and by Serialize, with
// losses, gaps and packets of all fill levels. The packets must be equal.
func TestKeptBitsAreTheGeneralBits(t *testing.T) {
	for _, size := range []int{40, 41, 150, 1100} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			kept, general := &Stream{}, &Stream{}
			for _, e := range []**Stream{&kept, &general} {
				*e = New(Config{Kinds: smallKinds, Server: true, Refs: &movingRefs{}})
			}
			now := netcore.Time(0)
			for round := range netcore.Seq(300) {
				now += []netcore.Time{time.Millisecond, 40 * time.Millisecond}[round/30%2] // copies need 10 ms
				for _, e := range []*Stream{kept, general} {
					for i := range uint32(1 + round%7) {
						v := &small{n: uint32(round) & 7, bits: 3 + int(i*uint32(round))%29}
						v.tagged, v.name.Text = i%3 == 1, fmt.Sprint("name", i)
						v.worded, v.text, v.refers = i%5 == 4, "text", i%4 == 2
						require.NoError(t, e.Post(v, Post{Guarantee: Guarantee(i % 2), Lane: uint16(i % 3)}))
					}
				}
				for _, l := range general.channel[0].fair.lanes {
					for i := range l.queue.n {
						l.queue.at(i).codeBits = 0
					}
				}
				sections := [2][]byte{}
				for i, e := range []*Stream{kept, general} {
					w := bitstream.NewWriter(make([]byte, size))
					e.Pack(w, netcore.Outgoing{Seq: round, Now: now})
					require.NoError(t, w.Err())
					sections[i] = w.Bytes()
				}
				require.Equal(t, sections[1], sections[0], "packet %d", round)
				for _, e := range []*Stream{kept, general} {
					if round >= 5 {
						e.Notify(round-5, round%4 != 0)
					}
				}
			}
			require.NotZero(t, kept.Stats().Resent)
			require.NotZero(t, kept.Stats().Copies)
		})
	}
}
