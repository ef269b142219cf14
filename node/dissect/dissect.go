package dissect

import (
	"errors"
	"fmt"
	"io"

	"github.com/torc-engine/torc/netcore/capture"
)

// protocolVersion is the version of the wire format that this package reads.
const protocolVersion = 10

// Read reads a capture, and passes its packets to emit in their order. It stops at the first packet
// that its receiver read and that cannot be read here; emit gets that packet too. The error is one
// sentence. It is also an error if the capture is damaged: the packets before the damage are read.
// An error of emit ends Read.
func Read(r io.Reader, emit func(*Packet) error) error {
	c, err := capture.NewReader(r)
	if err != nil {
		return err
	}
	if c.Header.Protocol != protocolVersion {
		return fmt.Errorf("the capture is of protocol version %d: this program reads version %d", c.Header.Protocol, protocolVersion)
	}
	s, n := newSession(&c.Header, nil), 0
	for {
		keys, p, err := c.Next()
		if err != nil || keys != nil {
			s.open()
			if failed := s.emit(emit); failed != nil {
				return failed
			}
			s = newSession(&c.Header, keys)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case p != nil:
			n++
			s.datagrams = append(s.datagrams, &datagram{packet: n, time: p.Time, from: p.From, data: p.Data})
		}
	}
}

func newSession(h *capture.Header, keys *capture.Session) *session {
	s := &session{header: h, keys: keys, classes: newClasses(h.Classes), kinds: h.Kinds, flows: map[capture.Side]*flow{}}
	if keys != nil {
		s.number = keys.Number
	}
	return s
}

// emit reads the datagrams of the session, and passes them on.
func (s *session) emit(emit func(*Packet) error) error {
	for _, d := range s.datagrams {
		p := s.read(d)
		if err := emit(&p); err != nil {
			return err
		}
		if p.Error != "" && p.Fate != Lost {
			return fmt.Errorf("packet %d, %s %d of the %s: %s", p.Packet, p.Type, p.Number, p.From, p.Error)
		}
	}
	return nil
}
