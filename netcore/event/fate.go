package event

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// This file records the events in each packet and handles the packet's fate. The records are flat
// rings, split per packet.

// packetRecord is a packet with events.
type packetRecord struct {
	seq       netcore.Seq
	events    int
	spans     int
	unordered int
}

// span is consecutive events of a channel in one packet.
type span struct {
	first, end uint64 // the events first to end-1
	channel    uint8
}

// packetRing holds the packets in flight with their events.
type packetRing struct {
	carriers  ring.Queue[packetRecord]
	ordered   ring.Queue[span]
	unordered itemQueue
	building  packetRecord
}

func (r *packetRing) start(seq netcore.Seq) { r.building = packetRecord{seq: seq} }

// finish stores the packet's record if the packet carries any event.
func (r *packetRing) finish() bool {
	if r.building.events == 0 {
		return false
	}
	r.carriers.Push(r.building)
	return true
}

// carryOrdered records that the packet carries the events first to end-1 of a channel.
func (r *packetRing) carryOrdered(channel uint8, first, end uint64) {
	r.building.events += int(end - first)
	if r.building.spans > 0 {
		if last := r.ordered.At(r.ordered.Len() - 1); last.end == first && last.channel == channel {
			last.end = end
			return
		}
	}
	r.ordered.Push(span{first, end, channel})
	r.building.spans++
}

func (r *packetRing) carryUnordered(it *item) {
	moveItem(r.unordered.pushBack(), it)
	r.building.events++
	r.building.unordered++
}

// Notify handles the fate of a packet. An ordered event is delivered when one of the packets with
// it is delivered. It is lost when all of them are lost.
func (e *Stream) Notify(seq netcore.Seq, delivered bool) {
	if e.fates++; ring.TrimAfter(e.fates) {
		e.trim()
	}
	r := &e.packets
	if r.carriers.Len() == 0 || r.carriers.Front().seq != seq {
		return // it carried no events
	}
	packet := r.carriers.Pop()
	if delivered {
		e.stats.Delivered += uint64(packet.events)
	}
	for range packet.spans {
		e.orderedFates(r.ordered.Pop(), delivered)
	}
	if delivered {
		for range packet.unordered {
			e.complete(r.unordered.at(0), true)
			r.unordered.popFront()
		}
		for i := range e.channel {
			e.settle(&e.channel[i])
		}
		return
	}
	e.requeue(packet.unordered)
}

func (e *Stream) orderedFates(s span, delivered bool) {
	c := &e.channel[s.channel]
	for n := max(s.first, c.base); n < s.end && !e.ended; n++ {
		it := c.at(n)
		it.carriers--
		switch {
		case it.delivered:
		case delivered:
			it.delivered = true
			if it.kind >= ownKinds || it.kind == kindClaim {
				reportFirst(it)
			}
		case it.carriers == 0:
			c.markLost(n)
		}
	}
}

// reportFirst reports the fate of an event when the first copy has arrived. It drops the event,
// unless the event waits until the peer has processed it.
func reportFirst(it *item) {
	if f, ok := it.event.(fateHandler); ok {
		it.event = nil
		f.Fate(true)
	} else if _, waits := it.event.(processedHandler); !waits {
		it.event = nil
	}
}

// requeue puts the unordered events of a lost packet back, before events posted later. Unguaranteed
// events are not sent again.
func (e *Stream) requeue(n int) {
	lost := &e.packets.unordered
	for i := n - 1; i >= 0; i-- {
		if it := lost.at(i); it.guaranteed && !e.ended {
			moveItem(e.unordered[it.priority].pushFront(), it)
		}
	}
	for range n {
		if it := lost.at(0); it.event != nil {
			e.complete(it, false)
		}
		lost.popFront()
	}
}

// settle settles events: those that are delivered and have no undelivered event before them. The
// peer has processed them, so the strings in them can lose their numbers.
func (e *Stream) settle(c *sendChannel) {
	for c.base < c.next {
		it := c.at(c.base)
		if !it.delivered {
			return
		}
		c.base++
		e.inFlight -= it.cost
		ev := it.event
		e.complete(it, true)
		if ev != nil {
			e.processed(ev)
		}
		if it.kind == kindClaim {
			e.finishParcel(it.parcel)
		}
	}
}

// processed handles an event that the peer has processed with all events before it.
func (e *Stream) processed(ev Event) {
	if p, ok := postedEvent(ev).(processedHandler); ok {
		p.Processed()
	}
	switch ev := ev.(type) {
	case *announce:
		e.sent.slots[ev.slot].state = tagKnown
		e.free.announces = append(e.free.announces, ev)
	case *fragment:
		if ev.last && ev.parcel != parcelBulk {
			e.queueClaim(ev.parcel)
		}
		e.free.fragments = append(e.free.fragments, ev)
	}
}

// complete completes an item. It reports the event's fate if that is still to do, releases its
// strings and frees its share of the lane.
func (e *Stream) complete(it *item, delivered bool) {
	e.full = false
	if len(it.tags) > 0 {
		e.releaseTags(it.tags)
		it.tags = it.tags[:0]
	}
	if l := it.lane; l != nil {
		l.events--
		l.bytes -= it.bytes
		it.lane = nil
	}
	if ev := it.event; ev != nil {
		it.event = nil
		e.reportFate(ev, delivered)
	}
}

// forget drops all events.
func (e *Stream) forget() {
	e.inFlight, e.unannounced = 0, nil
	e.packets = packetRing{}
	e.parcels = parcels{}
	for i := range e.channel {
		e.channel[i] = sendChannel{id: uint8(i)}
	}
	for i := range e.unordered {
		e.unordered[i] = itemQueue{}
	}
	e.mortal = nil
	e.forgetReceived()
}
