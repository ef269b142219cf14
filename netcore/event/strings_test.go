package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tagged(n uint64, texts ...string) *note {
	v := &note{n: n}
	for _, s := range texts {
		v.tags = append(v.tags, TagRef{Text: s})
	}
	return v
}

// TestTextIsSentOnce counts the bytes of 1,000 sends of one text.
func TestTextIsSentOnce(t *testing.T) {
	text := strings.Repeat("Zq#7", 100) // Huffman coding does not shorten it
	cost := func(text string) int {
		r := newServerEventRig(t, 1)
		r.delay = time.Millisecond // no time for copies
		for i := range 1000 {
			r.post(r.a, tagged(uint64(i), text), Post{})
			r.step(time.Millisecond)
		}
		r.runUntilIdle(10 * time.Second)
		require.Len(t, r.got[0], 1000)
		for _, v := range r.got[0] {
			require.Equal(t, text, v.tags[0].Text)
		}
		return r.ab.bits
	}
	short := cost("")
	assert.InDelta(t, short+8*len(text), cost(text), 200)
}

// TestUnorderedWritesTheTextUntilItIsKnown checks that unordered events use a number only after its
// announcement was processed.
func TestUnorderedWritesTheTextUntilItIsKnown(t *testing.T) {
	r := newServerEventRig(t, 1)
	text := strings.Repeat("Zq#7", 50)
	r.post(r.a, tagged(1, text), Post{Guarantee: Unguaranteed})
	r.runUntilIdle(time.Second)
	first := r.ab.bits
	assert.Greater(t, first, 2*8*len(text), "the text, and its announcement")
	r.post(r.a, tagged(2, text), Post{Guarantee: Unguaranteed})
	r.runUntilIdle(time.Second)
	assert.Less(t, r.ab.bits-first, 100)
	for _, v := range r.got[0] {
		assert.Equal(t, text, v.tags[0].Text)
	}
}

// TestOtherChannelWritesTheText checks that an announcement in one channel does not count for the
// other, because order holds only within a channel.
func TestOtherChannelWritesTheText(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.post(r.a, tagged(1, "x"), Post{})
	r.post(r.a, tagged(2, "x"), Post{Channel: 1})
	r.pack(0, &r.ab)
	slot := r.a.sent.index["x"]
	assert.True(t, r.a.sent.usable(slot, "x", tagUse{ordered: true}))
	assert.False(t, r.a.sent.usable(slot, "x", tagUse{ordered: true, channel: 1}))
	assert.False(t, r.a.sent.usable(slot, "x", tagUse{}))
	r.runUntilIdle(time.Second)
	assert.True(t, r.a.sent.usable(slot, "x", tagUse{}))
	assert.Len(t, r.got[0], 2)
}

// TestNumbersAreReused uses more texts than the 1,024 numbers of a client's table. A new text gets
// a number that no event holds, and no event reads a wrong text.
func TestNumbersAreReused(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.every = 5 * time.Millisecond
	r.loss = 0.2
	for i := range 5000 {
		r.post(r.b, tagged(uint64(i), fmt.Sprint("text ", i%3000)), Post{Lane: uint16(i % 2)})
		if i%4 == 0 {
			r.step(time.Millisecond)
		}
	}
	r.runUntilIdle(10 * time.Second)
	require.Len(t, r.got[1], 5000)
	for _, v := range r.got[1] {
		require.Equal(t, fmt.Sprint("text ", v.n%3000), v.tags[0].Text)
	}
	assert.Len(t, r.b.sent.slots, clientTags)
	assert.Len(t, r.b.sent.index, clientTags)
}

// TestFullTable checks that texts go inline while every number is in use.
func TestFullTable(t *testing.T) {
	r := newServerEventRig(t, 1)
	for i := range clientTags + 500 {
		r.post(r.b, tagged(uint64(i), fmt.Sprint("text ", i)), Post{})
	}
	r.runUntilIdle(30 * time.Second)
	require.Len(t, r.got[1], clientTags+500)
	for i, v := range r.got[1] {
		require.Equal(t, fmt.Sprint("text ", i), v.tags[0].Text)
	}
}

func TestServerTable(t *testing.T) {
	s := sentStrings{max: serverTags}
	for i := range serverTags {
		require.Equal(t, uint32(i), s.hold(fmt.Sprint(i)))
	}
	require.Equal(t, uint32(noSlot), s.hold("one more"))
	s.release(77)
	require.Equal(t, uint32(77), s.hold("one more"))
	require.Equal(t, uint32(noSlot), s.hold("77"))
}

// TestLongTags sends tags of 1,024 bytes in the smallest packets, with every guarantee.
func TestLongTags(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.size, r.loss = 64, 0.1
	text := strings.Repeat("Zq#7", MaxTag/4)
	for i := range 4 {
		r.post(r.a, tagged(uint64(i), text, "short"), Post{Channel: uint8(i % 2)})
		r.post(r.a, tagged(uint64(10+i), text), Post{Guarantee: Guaranteed})
	}
	r.runUntilIdle(5 * time.Minute)
	require.Len(t, r.got[0], 8)
	for _, v := range r.got[0] {
		assert.Equal(t, text, v.tags[0].Text)
	}
}
