package event

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The connection's string table: a text crosses once, with a number; from then
// on the number stands for it (PROTOCOL.md, Strings). Each direction has its
// own table, kept by the sender.

// MaxTag is the length of a tagged string, in bytes.
const MaxTag = 1024

const (
	serverTags = 65536 // numbers of the table that a server sends
	clientTags = 1024  // and of the one a client sends
	tagPage    = 256   // numbers to a page of the receiver's table
)

// noSlot marks a string that found the table full: its text goes along inline.
const noSlot = ^uint32(0)

var errUnknownTag = errors.New("a string number that was never announced")

// tagState is the life of a string in the sender's table.
type tagState uint8

const (
	tagNew       tagState = iota
	tagWanted             // its announcement waits in channel 0
	tagAnnounced          // its announcement has a number in one channel, in which it may be used from there on
	tagKnown              // its announcement has been processed: it may be used everywhere
)

// tagUse is the place in which a string is to be named: an ordered channel, or
// (zero) anywhere else.
type tagUse struct {
	measure bool // this is Post, which only counts
	ordered bool
	channel uint8
}

// sentStrings is the sender's half of the table. Each queued and in-flight item
// holds the strings it names; only a string that nobody holds loses its number.
type sentStrings struct {
	slots []sentString
	index map[string]uint32
	max   int
	free  int // strings nobody holds, at most
	hand  int // where the search for one goes on
}

type sentString struct {
	text    string
	holds   int
	state   tagState
	channel uint8
}

// hold returns the number of text and keeps it from being given to another.
func (t *sentStrings) hold(text string) uint32 {
	slot, ok := t.index[text]
	if !ok {
		slot = t.room()
		if slot == noSlot {
			return noSlot
		}
		t.slots[slot] = sentString{text: text}
		t.index[text] = slot
		t.free++
	}
	s := &t.slots[slot]
	if s.holds == 0 {
		t.free--
	}
	s.holds++
	return slot
}

// release takes one hold back.
func (t *sentStrings) release(slot uint32) {
	if slot == noSlot {
		return
	}
	s := &t.slots[slot]
	if s.holds--; s.holds == 0 {
		t.free++
	}
}

// room finds a number for a new string: a fresh one, else, going round, that of
// the next string nobody holds.
func (t *sentStrings) room() uint32 {
	if len(t.slots) < t.max {
		if t.index == nil {
			t.index = make(map[string]uint32)
		}
		t.slots = append(t.slots, sentString{})
		return uint32(len(t.slots) - 1)
	}
	if t.free == 0 {
		return noSlot
	}
	for t.slots[t.hand].holds > 0 {
		t.hand = (t.hand + 1) % len(t.slots)
	}
	slot := t.hand
	t.hand = (t.hand + 1) % len(t.slots)
	delete(t.index, t.slots[slot].text)
	t.free--
	return uint32(slot)
}

// usable reports whether the number may stand for the text in that place.
func (t *sentStrings) usable(slot uint32, text string, use tagUse) bool {
	if slot == noSlot {
		return false
	}
	s := &t.slots[slot]
	if s.text != text {
		return false
	}
	return s.state == tagKnown || s.state == tagAnnounced && use.ordered && s.channel == use.channel
}

// receivedStrings is the receiver's half: pages that hold, sorted, the numbers
// that were announced, so that a number costs the same wherever it lies.
type receivedStrings struct {
	pages [serverTags / tagPage][]receivedString
	max   int
}

type receivedString struct {
	text string
	low  uint8 // of the number, within its page
}

// find returns the page of a number and where the number is there, or belongs.
func (t *receivedStrings) find(slot uint32) (page *[]receivedString, i int, found bool) {
	page = &t.pages[slot/tagPage]
	i, found = slices.BinarySearchFunc(*page, uint8(slot%tagPage), func(s receivedString, low uint8) int {
		return int(s.low) - int(low)
	})
	return page, i, found
}

func (t *receivedStrings) set(slot uint32, text string) error {
	if int(slot) >= t.max {
		return fmt.Errorf("string number %d, the highest is %d", slot, t.max-1)
	}
	page, i, found := t.find(slot)
	if !found {
		*page = slices.Insert(*page, i, receivedString{low: uint8(slot % tagPage)})
	}
	(*page)[i].text = text
	return nil
}

func (t *receivedStrings) text(slot uint32) (string, bool) {
	page, i, found := t.find(slot)
	if !found {
		return "", false
	}
	return (*page)[i].text, true
}

// slotWidths are the widths of a string number, chosen by 2 bits.
var slotWidths = [4]int{5, 8, 12, 16}

// serializeSlot describes a string number.
func serializeSlot(s *bitstream.Stream, slot *uint32) {
	class := uint32(0)
	for !s.Reading() && class < 3 && *slot>>slotWidths[class] != 0 {
		class++
	}
	s.Uint(&class, 2)
	s.Uint(slot, slotWidths[class])
}

// Tag is a tagged string: by its number where the peer knows it, else inline.
// The pointer must stay good until Process, before which Text is filled in.
func (s *Codec) Tag(v *TagRef) {
	if s.Reading() {
		s.readTag(v)
		return
	}
	slot := s.nextTag(v.Text)
	known := s.events.sent.usable(slot, v.Text, s.use)
	if s.Flag(&known) {
		serializeSlot(s.Stream, &slot)
		return
	}
	s.Text(&v.Text, MaxTag)
}

// nextTag returns the number that the event being written holds for its next
// string. Post fills the list, and packing goes through it in the same order.
func (s *Codec) nextTag(text string) uint32 {
	if s.use.measure {
		if len(text) > MaxTag {
			s.Fail(fmt.Errorf("a tag may have %d bytes, this one has %d", MaxTag, len(text)))
			return noSlot
		}
		s.tags = append(s.tags, s.events.sent.hold(text))
		return s.tags[len(s.tags)-1]
	}
	if s.tag >= len(s.tags) {
		return noSlot
	}
	s.tag++
	return s.tags[s.tag-1]
}

func (s *Codec) readTag(v *TagRef) {
	known := false
	v.Text, v.slot = "", 0
	if s.Flag(&known) {
		serializeSlot(s.Stream, &v.slot)
		s.refs = append(s.refs, v)
		return
	}
	s.Text(&v.Text, MaxTag)
}

// resolve fills in the texts of an event whose turn has come.
func (t *receivedStrings) resolve(refs []*TagRef) error {
	for _, v := range refs {
		text, ok := t.text(v.slot)
		if !ok {
			return errUnknownTag
		}
		v.Text = text
	}
	return nil
}

// announce is the event that gives a text its number. At the sender it holds
// the number itself.
type announce struct {
	slot uint32
	text string
}

func (a *announce) KindID() KindID { return kindAnnounce }

func (a *announce) Serialize(s *Codec) {
	serializeSlot(s.Stream, &a.slot)
	s.Text(&a.text, MaxTag)
}

func (a *announce) Process(*netcore.Conn) error { return nil }
