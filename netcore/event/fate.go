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
	ordered   int
	unordered int
}

// packetRing holds the packets in flight with their events.
type packetRing struct {
	carriers  ring.Queue[packetRecord]
	ordered   ring.Queue[uint64] // number << 1 | channel
	unordered itemQueue
	building  packetRecord
}

func (r *packetRing) start(seq netcore.Seq) { r.building = packetRecord{seq: seq} }

// finish stores the packet's record if the packet carries any event.
func (r *packetRing) finish() bool {
	if r.building.ordered+r.building.unordered == 0 {
		return false
	}
	r.carriers.Push(r.building)
	return true
}

func (r *packetRing) carryOrdered(channel uint8, n uint64) {
	r.ordered.Push(n<<1 | uint64(channel))
	r.building.ordered++
}

func (r *packetRing) carryUnordered(it *item) {
	moveItem(r.unordered.pushBack(), it)
	r.building.unordered++
}

// Notify handles the fate of a packet. An ordered event is delivered when one of the packets with
// it is delivered. It is lost when all of them are lost.
func (e *Stream) Notify(seq netcore.Seq, delivered bool) {
	r := &e.packets
	if r.carriers.Len() == 0 || r.carriers.Front().seq != seq {
		return // it carried no events
	}
	packet := r.carriers.Pop()
	if delivered {
		e.stats.Delivered += uint64(packet.ordered + packet.unordered)
	}
	for range packet.ordered {
		v := r.ordered.Pop()
		e.orderedFate(&e.channel[v&1], v>>1, delivered)
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

func (e *Stream) orderedFate(c *sendChannel, n uint64, delivered bool) {
	if n < c.base || e.ended {
		return
	}
	it := c.at(n)
	it.carriers--
	switch {
	case it.delivered:
	case delivered:
		it.delivered = true
		if it.kind >= ownKinds || it.kind == kindClaim {
			ev := it.event
			if _, waits := ev.(processedHandler); !waits {
				it.event = nil
			}
			e.reportFate(ev, true) // when the first copy has arrived
		}
	case it.carriers == 0:
		c.markLost(n)
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
		if it.kind == kindClaim {
			e.finishParcel(it.parcel)
		}
	}
}

// complete completes an item. It reports the event's fate if that is still to do, releases its strings
// and frees its share of the lane.
func (e *Stream) complete(it *item, delivered bool) {
	e.full = false
	e.releaseTags(it.tags)
	it.tags = it.tags[:0]
	if l := it.lane; l != nil {
		l.events--
		l.bytes -= it.bytes
		it.lane = nil
	}
	ev := it.event
	it.event = nil
	e.reportFate(ev, delivered)
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
	e.forgetReceived()
}
