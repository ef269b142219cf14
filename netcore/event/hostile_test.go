package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// sectionWriter writes event sections by hand.
type sectionWriter struct{ *bitstream.Writer }

func (s sectionWriter) kind(id KindID) { s.WriteBits(uint64(id), noteKinds.equal.width) }

// event writes a note with only its number set.
func (s sectionWriter) event(id KindID, n uint64) {
	s.kind(id)
	v := note{n: n}
	v.Serialize(&Codec{Codec: &s.Codec, events: New(Config{Kinds: noteKinds})})
}

// at begins a run of channel 0 at a number, with a width of 8 bits.
func (s sectionWriter) at(n uint64) {
	s.WriteFlag(false) // nothing unordered
	s.WriteBits(1|farRun<<1, 5)
	s.WriteBits(n&255, 8)
}

func (s sectionWriter) announce(slot uint32, text string) {
	s.kind(kindAnnounce)
	serializeSlot(&s.Codec, &slot)
	s.Text(&text, MaxTag)
}

func (s sectionWriter) piece(parcel uint32, last bool, data []byte) {
	s.kind(kindFragment)
	f := fragment{parcel: parcel, last: last, data: data}
	f.Serialize(&Codec{Codec: &s.Codec})
}

// TestHostileSections checks that each broken rule ends the connection with its reason.
func TestHostileSections(t *testing.T) {
	for _, row := range []struct {
		name  string
		write func(s sectionWriter)
		says  string
	}{
		{"cut short", func(s sectionWriter) { s.WriteFlag(true); s.WriteBits(uint64(noteID), noteKinds.equal.width) }, "past the end"},
		{"kind out of range", func(s sectionWriter) { s.at(0); s.kind(7) }, "kind 7: must be below 6"},
		{"wrong direction", func(s sectionWriter) { s.at(0); s.event(orderID, 1) }, "event order in the wrong direction"},
		{"wrong phase", func(s sectionWriter) { s.at(0); s.event(lateID, 1) }, "event late is not allowed in phase 1"},
		{"announcement without order", func(s sectionWriter) { s.WriteFlag(true); s.announce(1, "x") }, "must be ordered"},
		{"announcement above the cap", func(s sectionWriter) { s.at(0); s.announce(clientTags, "x") }, "must be at most 1023"},
		{"piece in channel 0", func(s sectionWriter) { s.at(0); s.piece(0, false, []byte{1}) }, "outside channel 1"},
		{"unknown string", func(s sectionWriter) {
			s.at(0)
			s.kind(noteID)
			s.WriteBits(0, 5+5) // n and pad: 0
			s.WriteBits(1, 4)   // one tag
			s.WriteBits(1, 1)   // by number
			s.WriteBits(9<<2, 7)
			s.WriteBits(0, 5)
		}, "unknown string number"},
		{"claim on nothing", func(s sectionWriter) { s.at(0); s.kind(kindClaim); s.WriteFlag(false) }, "claim for an incomplete fragmented event"},
		{"before the first", func(s sectionWriter) { s.at(200); s.event(noteID, 1) }, "below the first"},
		{"bad width", func(s sectionWriter) { s.WriteFlag(false); s.WriteBits(127, 7) }, "invalid width"},
		{"beyond the window", func(s sectionWriter) {
			s.WriteFlag(false)
			s.WriteBits(1|farRun<<1|2<<3, 5)
			s.WriteBits(orderWindow, 16)
			s.event(noteID, 1)
		}, "the window ends before"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newEventRig(t, 1, Config{}, Config{Server: true, Phase: func() uint8 { return 1 }})
			w := sectionWriter{bitstream.NewWriter(make([]byte, 200))}
			row.write(w)
			require.NoError(t, w.Err())
			err := r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{})
			require.ErrorContains(t, err, row.says)
			assert.IsType(t, netcore.Reason{}, netcore.ReasonOf(err, netcore.Violation, "events"))
		})
	}
}

// TestDuplicatesAreDropped checks that a number seen before is dropped, whether its event waits or
// was processed. The following events continue.
func TestDuplicatesAreDropped(t *testing.T) {
	r := newServerEventRig(t, 1)
	for _, n := range []uint64{2, 2, 0, 0, 2, 1, 1, 0, 3, 2} {
		w := sectionWriter{bitstream.NewWriter(make([]byte, 200))}
		w.at(n)
		w.event(noteID, n)
		w.WriteBits(0, 2)
		require.NoError(t, r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{}))
	}
	assert.Equal(t, []uint64{0, 1, 2, 3}, numbers(r.got[0]))
	assert.Equal(t, uint64(6), r.b.Stats().Duplicates)
	assert.Zero(t, r.b.earlyBytes)
}

// TestEarlyEventsAreBounded checks the limits of early events: per connection, and for all
// connections together.
func TestEarlyEventsAreBounded(t *testing.T) {
	flood := func(budget *Budget) (waited int, err error) {
		r := newEventRig(t, 1, Config{}, Config{Server: true, Budget: budget})
		for n := uint64(1); n < orderWindow; n++ {
			w := sectionWriter{bitstream.NewWriter(make([]byte, 2000))}
			w.WriteFlag(false)
			w.WriteBits(1|farRun<<1|2<<3, 5)
			w.WriteBits(n, 16)
			w.kind(noteID)
			v := note{n: n, pad: make([]byte, 1000)}
			v.Serialize(&Codec{Codec: &w.Codec, events: r.a})
			w.WriteBits(0, 2)
			if err := r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{}); err != nil {
				waited := r.b.earlyBytes
				r.b.Closed(netcore.Reason{})
				return waited, err
			}
		}
		return 0, nil
	}
	waited, err := flood(nil)
	require.Error(t, err)
	assert.LessOrEqual(t, waited, maxEarlyBytes)
	budget := &Budget{Max: 10_000}
	waited, err = flood(budget)
	require.Error(t, err)
	assert.LessOrEqual(t, waited, 10_000)
	assert.Zero(t, budget.used, "a connection that ended gives back what it had")
}

// TestFragmentsGiveBackTheirBudget checks that the bytes of large events return to the shared
// budget when the events are processed, and when their connection ends before that.
func TestFragmentsGiveBackTheirBudget(t *testing.T) {
	const large = 20_000
	budget := &Budget{Max: large + large/2}
	r := newEventRig(t, 1, Config{Server: true}, Config{Budget: budget})
	for range 10 { // many times the budget
		r.post(r.a, &note{pad: make([]byte, large)}, Post{})
		r.runUntilIdle(time.Minute)
	}
	require.Len(t, r.got[0], 10)
	assert.Zero(t, budget.used)

	r.post(r.a, &note{pad: make([]byte, large)}, Post{})
	for range 300 {
		r.step(time.Millisecond)
	}
	require.Positive(t, budget.used, "pieces have arrived")
	r.b.Closed(netcore.Reason{})
	assert.Zero(t, budget.used)
}

// TestPiecesAreBounded checks that the receiver keeps no more bytes in pieces than the largest
// event has.
func TestPiecesAreBounded(t *testing.T) {
	for _, row := range []struct {
		receiver Config
		most     int
		says     string
	}{
		{Config{Server: true}, clientMaxBytes, "exceeds 64 KiB"},
		{Config{}, serverMaxBytes, "exceeds 256 KiB"},
	} {
		r := newEventRig(t, 1, Config{Server: !row.receiver.Server}, row.receiver)
		var err error
		for n := uint64(0); err == nil; n++ {
			w := sectionWriter{bitstream.NewWriter(make([]byte, 200))}
			w.WriteBits(0, 2)
			w.WriteBits(1|farRun<<1, 5)
			w.WriteBits(n&255, 8)
			w.piece(uint32(n%3), false, make([]byte, pieceBytes))
			w.WriteFlag(false)
			err = r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{})
			require.LessOrEqual(t, r.b.pieces.bytes, row.most+parcelSlack)
		}
		require.ErrorContains(t, err, row.says)
		require.Greater(t, r.b.pieces.bytes, row.most-pieceBytes)
	}
}

// FuzzEvents feeds arbitrary bytes to a stream in use.
func FuzzEvents(f *testing.F) {
	for i := range 4 {
		r := newServerEventRig(f, uint64(i))
		r.post(r.a, tagged(1, "x", "y"), Post{Guarantee: Guarantee(i % 3)})
		r.post(r.a, &note{pad: make([]byte, 3000)}, Post{Channel: uint8(i % 2)})
		w := bitstream.NewWriter(make([]byte, 500))
		r.a.Pack(w, netcore.Outgoing{Seq: 1})
		f.Add(w.Bytes(), w.Bytes())
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		r := newEventRig(t, 1, Config{Server: true}, Config{})
		for _, data := range [][]byte{a, b, a} {
			if err := r.b.Unpack(bitstream.NewReader(data), netcore.Incoming{}); err != nil {
				break
			}
			require.LessOrEqual(t, r.b.earlyBytes, maxEarlyBytes)
			require.LessOrEqual(t, r.b.pieces.bytes, serverMaxBytes+parcelSlack)
		}
		r.b.Closed(netcore.Reason{})
		require.Zero(t, r.b.earlyBytes)
	})
}

// TestEarlyEventsGiveBackTheirBudget checks that events that waited return their bytes to the
// shared budget when the missing event has arrived.
func TestEarlyEventsGiveBackTheirBudget(t *testing.T) {
	budget := &Budget{Max: 10_000}
	r := newEventRig(t, 1, Config{}, Config{Server: true, Budget: budget})
	for _, n := range []uint64{2, 1, 0} {
		w := sectionWriter{bitstream.NewWriter(make([]byte, 200))}
		w.at(n)
		w.event(noteID, n)
		w.WriteBits(0, 2)
		require.NoError(t, r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{}))
		assert.Equal(t, n > 0, budget.used > 0)
	}
	assert.Equal(t, []uint64{0, 1, 2}, numbers(r.got[0]))
}

// TestHostilePieces checks that a claim needs all pieces, and that a large event cannot hold pieces
// itself.
func TestHostilePieces(t *testing.T) {
	var inner sectionWriter
	inner.Writer = bitstream.NewWriter(make([]byte, pieceBytes))
	inner.piece(parcelBulk, false, []byte{1, 2, 3})
	require.NoError(t, inner.Err())
	for says, parcel := range map[string]uint32{
		"claim for an incomplete fragmented event":    parcelLane,
		"fragment or claim inside a fragmented event": parcelBulk,
	} {
		r := newEventRig(t, 1, Config{}, Config{Server: true})
		w := sectionWriter{bitstream.NewWriter(make([]byte, 200))}
		w.WriteFlag(false)          // nothing unordered
		w.WriteFlag(false)          // nothing in channel 0
		w.WriteBits(1|farRun<<1, 5) // channel 1 from number 0
		w.WriteBits(0, 8)
		w.piece(parcel, parcel == parcelBulk, inner.Bytes())
		w.WriteBits(0, 2)
		err := r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{})
		if parcel == parcelLane {
			require.NoError(t, err)
			w = sectionWriter{bitstream.NewWriter(make([]byte, 200))}
			w.at(0)
			w.kind(kindClaim)
			w.WriteFlag(false)
			w.WriteBits(0, 2)
			err = r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{})
		}
		require.ErrorContains(t, err, says)
	}
}
