package sim

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// A recording has the list of classes that its numbers belong to, so that a program with other
// classes can show it. Each class follows its parent:
//
//	classes var │ each: bytes var │ fingerprint 32 │ by hand 1 │ as described in foreign.go, with known 0
//
// A viewer takes each class with a fingerprint of its own from itself, and the others from their
// descriptions. It computes no moves, so it can do without the code of a control object. It needs
// the code of a class that codes groups by hand.

const (
	maxListed = 256 << 10 // bytes of a class
	// MaxRecordedList is the most bytes of the list of a recording.
	MaxRecordedList = 1 << 20
)

var errRecordedList = errors.New("the list of classes is damaged")

// A LackError says that no description replaces a class: this side lacks its code, or has a class
// of the same name whose code others rely on.
type LackError struct{ Class string }

func (e *LackError) Error() string {
	return fmt.Sprintf("the class %s is missing, or another one", e.Class)
}

// PackList returns the list of the registered net and block classes for a recording, nil if it is
// longer than MaxRecordedList. The list of a server, if there is one, must be complete.
func (cs *Classes) PackList() []byte {
	order, _ := cs.ListOrder(func(uint32) bool { return false })
	prints, room := cs.Fingerprints(), make([]byte, maxListed)
	b := binary.AppendUvarint(nil, uint64(len(order)))
	for _, c := range order {
		w := bitstream.NewWriter(room)
		w.WriteBits(uint64(prints[cs.WireID(c)]), printBits)
		w.WriteFlag(len(c.Coders) > 0)
		cs.PackListed(w, c, 0, false)
		b = append(binary.AppendUvarint(b, uint64(len(w.Bytes()))), w.Bytes()...)
		if w.Err() != nil || len(b) > MaxRecordedList {
			return nil
		}
	}
	return b
}

// TakeList takes over the numbers of a recording, as Adopt and UnpackListed do those of a server.
// The error is a LackError if this side cannot show a class. An error changes nothing.
func (cs *Classes) TakeList(list []byte) error {
	parts, err := splitList(list)
	if err != nil {
		return err
	}
	if err := cs.Adopt(len(parts)); err != nil {
		return err
	}
	if err := cs.takeRecorded(parts); err != nil {
		cs.Revert()
		return err
	}
	return nil
}

// splitList returns the classes of a list.
func splitList(b []byte) (parts [][]byte, err error) {
	number := func(most int) int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(most) {
			err = errRecordedList
			return 0
		}
		b = b[n:]
		return int(v)
	}
	for left := number(1 << classBits); left > 0 && err == nil; left-- {
		if n := number(maxListed); n <= len(b) {
			parts, b = append(parts, b[:n]), b[n:]
		} else {
			err = errRecordedList
		}
	}
	return parts, err
}

// takeRecorded takes the classes that this side has, and then the descriptions of the others.
func (cs *Classes) takeRecorded(parts [][]byte) error {
	var others []int
	var r bitstream.Reader
	for i, part := range parts {
		r.Reset(part)
		head := openRecorded(&r)
		switch {
		case r.Err() != nil || head.id >= len(parts) || cs.wire[head.id] != nil:
			return errRecordedList
		case cs.foreign.prints[head.print] == nil:
			others = append(others, i)
			continue
		}
		if err := cs.takeKnown(head.print, head.id); err != nil {
			return err
		}
	}
	for _, i := range others {
		r.Reset(parts[i])
		head := openRecorded(&r)
		if cs.wire[head.id] != nil {
			return errRecordedList
		}
		if err := cs.takeOther(&r, head); err != nil {
			return err
		}
	}
	return nil
}

// takeOther takes a class from its description.
func (cs *Classes) takeOther(r *bitstream.Reader, head recordedHead) error {
	var d listed
	name := *r
	if d.code(&name.Codec); name.Err() != nil {
		return errRecordedList
	}
	if old := cs.Lookup(d.name); head.byHand || old != nil && !cs.foreign.yields(old) {
		return &LackError{String(d.name).Text()}
	}
	return cs.takeDescribed(r, head.id)
}

// recordedHead is what precedes a description.
type recordedHead struct {
	print  uint32
	byHand bool // it codes groups by hand
	id     int
}

func openRecorded(r *bitstream.Reader) recordedHead {
	h := recordedHead{print: uint32(r.ReadBits(printBits)), byHand: r.ReadFlag(), id: int(r.ReadBits(classBits))}
	r.ReadFlag() // that of PackListed
	return h
}
