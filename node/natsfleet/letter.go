package natsfleet

import (
	"maps"
	"slices"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A stamp tells batches of all servers apart, also of two processes with one name.
type stamp struct {
	process uint64 // random
	number  uint64 // of the batch of this process, from 1
}

func encodeStamp(s stamp) []byte {
	e := encoder{version}
	e.number(s.process)
	e.number(s.number)
	return e
}

func decodeStamp(b []byte) (s stamp, err error) {
	d := decoder{rest: b}
	d.version()
	s.process, s.number = d.number(), d.number()
	return s, d.err
}

// A content is the message of a key.
type content struct {
	owner string // name of the server that wrote it; "" of another program that deleted it
	batch stamp
	more  bool   // the next message of the group belongs to the same batch
	data  []byte // nil: deleted
}

// Flags of a content.
const (
	flagData = 1 << iota
	flagMore
)

const maxValue = 512 << 10

func (c content) encode() []byte {
	var flags byte
	if c.data != nil {
		flags |= flagData
	}
	if c.more {
		flags |= flagMore
	}
	e := make(encoder, 0, 64+len(c.data))
	e.byte(version)
	e.byte(flags)
	e.text(c.owner)
	e.number(c.batch.process)
	e.number(c.batch.number)
	if c.data != nil {
		e.bytes(c.data)
	}
	return e
}

// decodeContent reads the message of a key. Programs like nats delete with a message of no bytes.
func decodeContent(b []byte) (c content, err error) {
	if len(b) == 0 {
		return c, nil
	}
	d := decoder{rest: b}
	d.version()
	flags := d.byte()
	c.owner = d.text(maxName)
	d.check(names.Server(c.owner))
	c.batch = stamp{process: d.number(), number: d.number()}
	c.more = flags&flagMore != 0
	if flags&flagData != 0 {
		c.data = d.bytes(maxValue)
	}
	if d.err != nil {
		return content{}, d.err
	}
	return c, nil
}

// A life is the record of the epoch.
type life struct {
	bus.Epoch
	restoring bool // the values come now
}

func (l life) encode() []byte {
	e := encoder{version, 0}
	if l.restoring {
		e[1] = 1
	}
	e.number(l.Count)
	e.number(l.ID)
	return e
}

func decodeLife(b []byte) (l life, err error) {
	d := decoder{rest: b}
	d.version()
	l.restoring = d.byte() != 0
	l.Count, l.ID = d.number(), d.number()
	d.check(l.Count > 0)
	return l, d.err
}

// A kind is what a letter is.
type kind byte

const (
	isMessage kind = 1 + iota
	isQuestion
	isAnswer
)

// A letter goes from one server to another, or to all.
type letter struct {
	kind   kind
	number uint64
	err    string // of an answer
	bus.Note
}

const (
	maxTopic  = 256
	maxError  = 512
	maxLetter = bus.MaxNote + maxTopic + maxError + 128
)

func (l letter) encode() []byte {
	e := encoder{version, byte(l.kind)}
	e.number(l.number)
	e.text(l.err)
	e.text(l.Mod)
	e.text(l.Topic)
	e.bytes(l.Value)
	return e
}

func decodeLetter(b []byte) (l letter, err error) {
	d := decoder{rest: b}
	d.check(len(b) <= maxLetter)
	d.version()
	l.kind = kind(d.byte())
	d.check(l.kind >= isMessage && l.kind <= isAnswer)
	l.number, l.err = d.number(), d.text(maxError)
	l.Mod, l.Topic = d.text(maxName), d.text(maxTopic)
	l.Value = d.bytes(bus.MaxNote)
	if d.err != nil {
		return letter{}, d.err
	}
	return l, nil
}

// fits says why a note cannot be sent; "" if it can.
func fits(n bus.Note) string {
	switch {
	case len(n.Value) > bus.MaxNote:
		return "the message is longer than 16 KiB"
	case len(n.Topic) > maxTopic || len(n.Mod) > maxName:
		return "the topic is longer than 256 bytes"
	}
	return ""
}

// A sign is what a server tells about itself.
type sign struct {
	process uint64 // random
	claim   bool   // only the name is taken: the server starts
	bus.Server
}

const (
	maxText   = 512 // bytes of a text about a server
	maxMods   = 256
	maxNumber = 1 << 20
)

func (s sign) encode() []byte {
	e := encoder{version, 0}
	if s.claim {
		e[1] |= 1
	}
	if s.Draining {
		e[1] |= 2
	}
	e.number(s.process)
	e.text(s.Name)
	e.bytes(s.Key[:])
	for _, t := range []string{s.Address, s.Web, s.Metrics, s.Title, s.Mission} {
		e.text(cut(t, maxText))
	}
	for _, n := range []int{s.Players, s.Bots, s.Max} {
		e.number(uint64(min(max(n, 0), maxNumber)))
	}
	mods := s.Mods[:min(len(s.Mods), maxMods)]
	e.number(uint64(len(mods)))
	for _, m := range mods {
		e.text(m)
	}
	own := slices.Sorted(maps.Keys(s.Own))
	own = own[:min(len(own), maxMods)]
	e.number(uint64(len(own)))
	for _, m := range own {
		e.text(m)
		e.bytes(s.Own[m])
	}
	return e
}

func decodeSign(name string, b []byte) (s sign, err error) {
	d := decoder{rest: b}
	d.check(len(b) <= maxSign)
	d.version()
	flags := d.byte()
	s.claim, s.Draining = flags&1 != 0, flags&2 != 0
	s.process, s.Name = d.number(), d.text(maxName)
	d.check(s.Name == name && names.Server(name))
	copy(s.Key[:], d.bytes(len(seal.Key{})))
	d.check(!s.Key.Zero())
	for _, t := range []*string{&s.Address, &s.Web, &s.Metrics, &s.Title, &s.Mission} {
		*t = d.text(maxText)
	}
	for _, n := range []*int{&s.Players, &s.Bots, &s.Max} {
		*n = d.count(maxNumber)
	}
	for range d.count(maxMods) {
		if s.Mods = append(s.Mods, d.text(maxName)); d.err != nil {
			return sign{}, d.err
		}
	}
	if n := d.count(maxMods); n > 0 {
		s.Own = map[string][]byte{}
		for range n {
			m := d.text(maxName)
			s.Own[m] = d.bytes(bus.MaxOwn)
		}
	}
	if d.err != nil {
		return sign{}, d.err
	}
	return s, nil
}
