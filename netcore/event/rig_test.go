package event

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// note is the event of these tests: a number, padding, tags and an object.
type note struct {
	n      uint64
	pad    []byte
	tags   []TagRef
	object uint32
	bad    bool // reads less than it writes

	fates []bool
	fate  func(delivered bool)
	run   func(*note) error
}

var noteKinds = NewKinds(
	Kind{Name: "note", New: func() Event { return new(note) }},
	Kind{Name: "order", Dir: ToClient, New: func() Event { return new(order) }},
	Kind{Name: "late", Phases: 1 << 2, New: func() Event { return new(late) }},
)

func (v *note) KindID() KindID { return noteID }

var noteID, orderID, lateID = noteKinds.ID("note"), noteKinds.ID("order"), noteKinds.ID("late")

func (v *note) Serialize(s *Codec) {
	n := len(v.tags)
	s.Var(&v.n)
	s.Bytes(&v.pad, 300<<10)
	s.Int(&n, 0, 15)
	if s.Reading() && s.Err() == nil {
		v.tags = make([]TagRef, n)
	}
	for i := range v.tags {
		s.Tag(&v.tags[i])
	}
	s.Object(&v.object)
	if v.bad && !s.Reading() {
		s.Flag(&v.bad)
	}
}

// onProcess collects the events that both ends of a rig process; Process has no Conn here.
var onProcess func(*note) error

func (v *note) Process(*netcore.Conn) error { return onProcess(v) }

func (v *note) Fate(delivered bool) {
	v.fates = append(v.fates, delivered)
	if v.fate != nil {
		v.fate(delivered)
	}
}

type order struct{ note }

func (v *order) KindID() KindID { return orderID }

type late struct{ note }

func (v *late) KindID() KindID { return lateID }

// rigDirection is one direction of a rig: packets in flight and their fates on the way back.
type rigDirection struct {
	from, to *Stream
	seq      netcore.Seq
	inFlight []rigPacket
	fates    []rigPacket
	bits     int // of the sections with data
	packets  int
}

type rigPacket struct {
	seq  netcore.Seq
	at   netcore.Time
	data []byte
	lost bool
}

// eventRig is two event streams on a simulated network. The network loses packets but keeps their
// order. It reports their fates exactly, as a Conn does.
type eventRig struct {
	t       testing.TB
	rng     *rand.Rand
	now     netcore.Time
	size    int // size of a packet in bytes
	loss    float64
	delay   netcore.Time // one way
	every   netcore.Time // least time between two packets
	a, b    *Stream
	ab, ba  rigDirection
	got     [2][]*note // processed at b, at a
	sent    [2]netcore.Time
	current int
}

func newEventRig(t testing.TB, seed uint64, a, b Config) *eventRig {
	a.Kinds, b.Kinds = noteKinds, noteKinds
	r := &eventRig{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), size: 1100,
		delay: 50 * time.Millisecond, every: 32 * time.Millisecond,
		a: New(a), b: New(b),
	}
	r.ab, r.ba = rigDirection{from: r.a, to: r.b}, rigDirection{from: r.b, to: r.a}
	r.sent = [2]netcore.Time{-time.Hour, -time.Hour}
	onProcess = func(v *note) error {
		r.got[r.current] = append(r.got[r.current], v)
		if v.run != nil {
			return v.run(v)
		}
		return nil
	}
	return r
}

func newServerEventRig(t testing.TB, seed uint64) *eventRig {
	return newEventRig(t, seed, Config{Server: true}, Config{})
}

// step advances the time and does everything that is due.
func (r *eventRig) step(d netcore.Time) {
	r.now += d
	for i, w := range []*rigDirection{&r.ab, &r.ba} {
		for len(w.inFlight) > 0 && w.inFlight[0].at <= r.now {
			f := w.inFlight[0]
			w.inFlight = w.inFlight[1:]
			if !f.lost {
				r.current = i
				in := bitstream.NewReader(f.data)
				r.fine(w.to.Unpack(in, netcore.Incoming{Seq: f.seq, Now: r.now}))
				if in.Left() >= 8 {
					require.Less(r.t, in.Left(), 8, "the section was not read to its end")
				}
			}
			f.at = r.now + r.delay
			w.fates = append(w.fates, f)
		}
		for len(w.fates) > 0 && w.fates[0].at <= r.now {
			f := w.fates[0]
			w.fates = w.fates[1:]
			w.from.Notify(f.seq, !f.lost)
		}
		if r.now-r.sent[i] >= r.every && w.from.Due(r.now) <= r.now && len(w.inFlight)+len(w.fates) < netcore.Window {
			r.pack(i, w)
		}
	}
}

// pack sends one packet, if it is worth one.
func (r *eventRig) pack(i int, w *rigDirection) bool {
	out := bitstream.NewWriter(make([]byte, r.size))
	wrote := w.from.Pack(out, netcore.Outgoing{Seq: w.seq + 1, Now: r.now})
	w.from.Sent()
	r.fine(out.Err())
	if !wrote {
		return false
	}
	r.sent[i] = r.now
	w.seq++
	w.packets++
	w.bits += out.Pos()
	w.inFlight = append(w.inFlight, rigPacket{w.seq, r.now + r.delay, out.Bytes(), r.rng.Float64() < r.loss})
	return true
}

// fine requires that there is no error. It is called for each packet, and the functions of require
// look for their callers first.
func (r *eventRig) fine(err error) {
	if err != nil {
		require.NoError(r.t, err)
	}
}

// runUntilIdle runs until both ends are idle. It fails after limit.
func (r *eventRig) runUntilIdle(limit netcore.Time) {
	r.t.Helper()
	for end := r.now + limit; r.now < end; r.step(time.Millisecond) {
		if r.a.Idle() && r.b.Idle() && len(r.ab.inFlight)+len(r.ab.fates)+len(r.ba.inFlight)+len(r.ba.fates) == 0 {
			return
		}
	}
	r.t.Fatalf("not settled: a queues %d, b %d", r.a.Queued(), r.b.Queued())
}

func (r *eventRig) post(e *Stream, v Event, p Post) {
	r.fine(e.Post(v, p))
}

// numbers returns the numbers of notes.
func numbers(notes []*note) []uint64 {
	ns := make([]uint64, len(notes))
	for i, v := range notes {
		ns[i] = v.n
	}
	return ns
}
