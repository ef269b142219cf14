package bench

import (
	"fmt"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// sequenceEvent is the test event: an event id and three 8-bit integers that hold a sequence
// number.
type sequenceEvent struct {
	id      event.KindID
	a, b, c uint32
	of      *counters
}

// counters allocates counters and reuses them, so that a steady state allocates nothing.
type counters struct {
	id    event.KindID
	spare []*sequenceEvent
	next  uint32 // next sequence number to post, or to expect
	done  func() // called after each received counter; can be nil
}

func (p *counters) kinds() *event.Kinds {
	k := event.NewKinds(event.Kind{Name: "counter", New: func() event.Event { return p.empty() }})
	p.id = k.ID("counter")
	return k
}

func (p *counters) empty() *sequenceEvent {
	n := len(p.spare) - 1
	if n < 0 {
		return &sequenceEvent{id: p.id, of: p}
	}
	v := p.spare[n]
	p.spare = p.spare[:n]
	return v
}

// post posts the next sequence number.
func (p *counters) post(e *event.Stream) error {
	v := p.empty()
	v.a, v.b, v.c = p.next&255, p.next>>8&255, p.next>>16&255
	if err := e.Post(v, event.Post{}); err != nil {
		p.spare = append(p.spare, v)
		return err
	}
	p.next++
	return nil
}

func (v *sequenceEvent) KindID() event.KindID { return v.id }

func (v *sequenceEvent) Serialize(s *event.Codec) {
	s.Uint(&v.a, 8)
	s.Uint(&v.b, 8)
	s.Uint(&v.c, 8)
}

// Process checks that no event is missing, duplicated or out of order.
func (v *sequenceEvent) Process(*netcore.Conn) error {
	if n := v.a | v.b<<8 | v.c<<16; n != v.of.next&0xffffff {
		return fmt.Errorf("got event %d, expected event %d", n, v.of.next&0xffffff)
	}
	v.of.next++
	if v.of.done != nil {
		v.of.done()
	}
	return nil
}

func (v *sequenceEvent) Release()  { v.of.spare = append(v.of.spare, v) }
func (v *sequenceEvent) Fate(bool) { v.of.spare = append(v.of.spare, v) }
