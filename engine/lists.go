package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
)

// A client whose program has other classes or kinds of events than its server takes over the
// server's numbers. In its introduction it says what it has, by fingerprints. The welcome gives it
// the server's kinds. The server's classes follow as the first descriptions: those that it lacks in
// full (sim.Classes.PackListed). The server sends no event of a kind that it lacks.

// lists are the classes and kinds of events of a host, as its peers see them.
type lists struct {
	host  *Host
	parts []uint32 // made at the first peer with others, before a server's numbers come
}

// foreign is the part of a connection whose peer has other lists.
type foreign struct {
	parts []uint32 // on the server: what the client has
	left  int      // classes of the server that the client is not known to have; on the client, that are still to come
}

var (
	errWelcome = errors.New("bad list of the server's events")
	errServes  = errors.New("the server has other classes, and this host is a server itself: both need the same program")
)

// fingerprints returns the fingerprints of everything that this host has.
func (l *lists) fingerprints() []uint32 {
	if l.parts == nil {
		l.parts = append(l.host.world.Classes().Fingerprints(), l.host.kinds.Fingerprints()...)
	}
	return l.parts
}

// needed are the kinds of events without which no client can join.
var needed = []event.KindID{commandID, descriptionID, helloID, phaseAnswerID, phaseStepID}

// refuse returns why a client lacks too much to join, or "".
func (l *lists) refuse(r *netcore.ConnectRequest) string {
	if !r.Other {
		return ""
	}
	if c := l.host.world.Classes().Lacking(r.Parts); c != nil {
		return fmt.Sprintf("your program lacks the server's class %s, or has another one: players' moves depend on it, so use the server's own client", c.Name)
	}
	wire := l.host.kinds.For(r.Parts)
	for _, id := range needed {
		if !wire.Has(id) {
			return fmt.Sprintf("your program lacks the server's event %s, or has another one: use the server's own client", l.host.kinds.Name(id))
		}
	}
	return ""
}

// welcome returns what a client with other lists must know before the first packet.
func (l *lists) welcome() []byte {
	w := bitstream.NewWriter(make([]byte, 1000))
	n, kinds := len(l.host.world.Classes().Fingerprints()), l.host.kinds.Fingerprints()
	serializeWelcome(&w.Codec, &n, &kinds)
	if w.Err() != nil {
		panic("BUG: too many kinds of events: " + w.Err().Error())
	}
	return w.Bytes()
}

// serializeWelcome codes the number of the server's classes and the fingerprints of its kinds.
func serializeWelcome(s *bitstream.Codec, classes *int, kinds *[]uint32) {
	n := len(*kinds)
	s.Int(classes, 0, 1<<10)
	s.Int(&n, 0, event.MaxWire)
	for i := 0; i < n && s.Err() == nil; i++ {
		if s.Reading() {
			*kinds = append(*kinds, 0)
		}
		s.Uint(&(*kinds)[i], 32)
	}
}

// give sends a client with other lists the list of this host. It comes before everything that needs
// a class.
func (l *lists) give(c *Connection) {
	f := c.foreign()
	if f == nil {
		return
	}
	h := l.host
	c.events.Translate(h.kinds.For(f.parts))
	classes := h.world.Classes()
	prints := classes.Fingerprints()
	order, known := classes.ListOrder(func(print uint32) bool { return slices.Contains(f.parts, print) })
	for i, class := range order {
		w := bitstream.NewWriter(h.described.buffer())
		classes.PackListed(w, class, prints[classes.WireID(class)], i < known)
		if w.Err() != nil {
			panic("BUG: class " + class.Name + " cannot be described")
		}
		f.left++
		c.post(&declaration{class: true, listed: true, data: slices.Clone(w.Bytes()), to: c}, bulk)
	}
}

// take takes over the numbers of a server that has other lists. welcome is empty if it has the
// same.
func (l *lists) take(c *Connection, welcome []byte) error {
	if len(welcome) == 0 {
		return nil
	}
	if l.host.serves() {
		return errServes
	}
	var n int
	var kinds []uint32
	r := bitstream.NewReader(welcome)
	serializeWelcome(&r.Codec, &n, &kinds)
	if r.Err() != nil || r.Left() >= 8 {
		return errWelcome
	}
	wire, err := l.host.kinds.As(kinds)
	if err == nil {
		l.fingerprints()
		err = l.host.world.Classes().Adopt(n)
	}
	if err != nil {
		return err
	}
	c.events.Translate(wire)
	c.setRare(func(r *rare) { r.foreign = &foreign{left: n} })
	return nil
}

// list reads a class of the server's list, if some are still to come.
func (c *Connection) list(r *bitstream.Reader, classes *sim.Classes) (isListed bool, err error) {
	f := c.foreign()
	if f == nil || f.left == 0 {
		return false, nil
	}
	f.left--
	return true, classes.UnpackListed(r)
}
