package event

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The string table of a connection (PROTOCOL.md, Strings). A text crosses the wire once, with a
// number. Afterwards the number stands for the text. Each direction has its own table, managed by
// the sender.

// MaxTag is the maximum length of a tagged string, in bytes.
const MaxTag = 1024

const (
	serverTags = 65536 // numbers in a server's table
	clientTags = 1024  // numbers in a client's table
	tagPage    = 256   // numbers per page of the receiver's table
)

// noSlot marks a string without a number because the table is full: events contain its text inline.
const noSlot = ^uint32(0)

var errUnknownTag = errors.New("unknown string number")

// tagState is the state of a string in the sender's table.
type tagState uint8

const (
	tagNew       tagState = iota
	tagWanted             // its announcement is queued for channel 0
	tagAnnounced          // announced in one channel; later events of that channel can use it
	tagKnown              // its announcement has been processed; all events can use it
)

// tagUse is the place of a string to be written: an ordered channel, or (zero) outside the
// channels.
type tagUse struct {
	measure bool // Post is only measuring
	ordered bool
	channel uint8
}

// sentStrings is the sender's half of the table. Each queued or in-flight item holds its strings.
// Only a string without holds can lose its number.
type sentStrings struct {
	slots  []sentString
	index  map[string]uint32
	max    int
	unheld int // number of strings without holds
	scan   int // where the search for a string without holds continues
}

type sentString struct {
	text    string
	holds   int
	state   tagState
	channel uint8
}

// hold returns the number of text. The number stays with text until release.
func (t *sentStrings) hold(text string) uint32 {
	slot, ok := t.index[text]
	if !ok {
		slot = t.assign()
		if slot == noSlot {
			return noSlot
		}
		t.slots[slot] = sentString{text: text}
		t.index[text] = slot
		t.unheld++
	}
	s := &t.slots[slot]
	if s.holds == 0 {
		t.unheld--
	}
	s.holds++
	return slot
}

// release removes one hold.
func (t *sentStrings) release(slot uint32) {
	if slot == noSlot {
		return
	}
	s := &t.slots[slot]
	if s.holds--; s.holds == 0 {
		t.unheld++
	}
}

// assign returns a number for a new string: an unused one, or else the next one without holds, in
// turn.
func (t *sentStrings) assign() uint32 {
	if len(t.slots) < t.max {
		if t.index == nil {
			t.index = make(map[string]uint32)
		}
		t.slots = append(t.slots, sentString{})
		return uint32(len(t.slots) - 1)
	}
	if t.unheld == 0 {
		return noSlot
	}
	for t.slots[t.scan].holds > 0 {
		t.scan = (t.scan + 1) % len(t.slots)
	}
	slot := t.scan
	t.scan = (t.scan + 1) % len(t.slots)
	delete(t.index, t.slots[slot].text)
	t.unheld--
	return uint32(slot)
}

// usable reports whether the number can stand for the text in that place.
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

// receivedStrings is the receiver's half of the table. Each page holds its announced numbers,
// sorted. So the memory does not depend on the size of the numbers.
type receivedStrings struct {
	pages [][]receivedString // at most serverTags / tagPage
	max   int
}

type receivedString struct {
	text string
	low  uint8 // of the number, within its page
}

// find returns the page of a number and its index there, or the index at which to insert it.
func (t *receivedStrings) find(slot uint32) (page *[]receivedString, i int, found bool) {
	page = &t.pages[slot/tagPage]
	i, found = slices.BinarySearchFunc(*page, uint8(slot%tagPage), func(s receivedString, low uint8) int {
		return int(s.low) - int(low)
	})
	return page, i, found
}

func (t *receivedStrings) set(slot uint32, text string) error {
	if int(slot) >= t.max {
		return fmt.Errorf("string number %d: must be at most %d", slot, t.max-1)
	}
	if need := int(slot/tagPage) + 1; need > len(t.pages) {
		t.pages = append(t.pages, make([][]receivedString, need-len(t.pages))...)
	}
	page, i, found := t.find(slot)
	if !found {
		*page = slices.Insert(*page, i, receivedString{low: uint8(slot % tagPage)})
	}
	(*page)[i].text = text
	return nil
}

func (t *receivedStrings) text(slot uint32) (string, bool) {
	if int(slot/tagPage) >= len(t.pages) {
		return "", false
	}
	page, i, found := t.find(slot)
	if !found {
		return "", false
	}
	return (*page)[i].text, true
}

// slotWidths are the widths of a string number in bits, chosen by 2 bits.
var slotWidths = [4]int{5, 8, 12, 16}

// serializeSlot is the wire form of a string number.
func serializeSlot(s *bitstream.Codec, slot *uint32) {
	class := uint32(0)
	for !s.Reading() && class < 3 && *slot>>slotWidths[class] != 0 {
		class++
	}
	s.Uint(&class, 2)
	s.Uint(slot, slotWidths[class])
}

// Tag encodes a tagged string: as its number if the peer knows the number, otherwise as text. v
// must stay valid until Process; Text is set before Process runs.
func (s *Codec) Tag(v *TagRef) {
	if s.Reading() {
		s.readTag(v)
		return
	}
	slot := s.nextTag(v.Text)
	known := s.events.sent.usable(slot, v.Text, s.use)
	if s.Flag(&known) {
		serializeSlot(s.Codec, &slot)
		return
	}
	s.Text(&v.Text, MaxTag)
}

// nextTag returns the number of the next string in the event being written. Post fills the list,
// and packing reads it in the same order.
func (s *Codec) nextTag(text string) uint32 {
	if s.use.measure {
		if len(text) > MaxTag {
			s.Fail(fmt.Errorf("a tag can have at most %d bytes, got %d", MaxTag, len(text)))
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
		serializeSlot(s.Codec, &v.slot)
		s.refs = append(s.refs, v)
		return
	}
	s.Text(&v.Text, MaxTag)
}

// resolve fills in the texts of an event before it is processed.
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

// announce is the event that gives a text its number. The sender's announce holds the number, too.
type announce struct {
	slot uint32
	text string
}

func (a *announce) KindID() KindID { return kindAnnounce }

func (a *announce) Serialize(s *Codec) {
	serializeSlot(s.Codec, &a.slot)
	s.Text(&a.text, MaxTag)
}

func (a *announce) Process(*netcore.Conn) error { return nil }
