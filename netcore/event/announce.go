package event

import "github.com/torc-engine/torc/netcore/bitstream"

// packAnnouncements announces the strings of e.unannounced. It returns false if some had no room.
func (e *Stream) packAnnouncements(w *bitstream.Writer, r *run) bool {
	done := 0
	for done < len(e.unannounced) && e.announceTags(w, r, e.unannounced[done:done+1]) {
		e.sent.release(e.unannounced[done])
		done++
	}
	e.unannounced = e.unannounced[:copy(e.unannounced, e.unannounced[done:])]
	return len(e.unannounced) == 0
}

// announceTags announces those of the strings that are not announced yet. It returns false if there
// is no room. Channel 1 has only small items, so it leaves long strings to channel 0. A string that
// no packet of this size can carry is not announced. Until a string is announced, events contain
// its text inline.
func (e *Stream) announceTags(w *bitstream.Writer, r *run, tags []uint32) bool {
	for i, slot := range tags {
		if slot == noSlot || e.sent.slots[slot].state > tagWanted {
			continue
		}
		if r.c.id == 1 && len(e.sent.slots[slot].text) > pieceBytes {
			e.queueAnnouncements(tags[i : i+1])
			continue
		}
		if !e.hasWindowRoom(r.c) {
			return false
		}
		if !e.announce(w, r, slot) {
			if r.open || w.Left() < pieceRoom {
				return false
			}
			e.sent.slots[slot].state = tagNew
		}
	}
	return true
}

// announce packs the announcement of a string under the next number.
func (e *Stream) announce(w *bitstream.Writer, r *run, slot uint32) bool {
	s := &e.sent.slots[slot]
	a := e.free.announce(slot, s.text)
	it := item{event: a, kind: kindAnnounce, cost: len(s.text) + 3}
	if !e.tryPack(w, r, r.c.next, &it) {
		e.free.announces = append(e.free.announces, a)
		return false
	}
	s.holds++
	s.state, s.channel = tagAnnounced, r.c.id
	e.addOwn(r, &it, slot)
	return true
}
