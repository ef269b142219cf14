package engine

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/netcore/event"
)

const (
	pictureLane  = 1<<16 - 2 // of the events: that of no mod
	pictureEvery = 2         // ticks between two pieces: the packets between them repeat lost commands
	pictureLeast = 64        // bytes of a piece on a full line
	pictureAhead = 16 << 10  // bytes on the way to a client: the window of events is for commands
)

// promise numbers the pictures of rows that are about to be shown in the place of a form or of an
// element. A bot has none.
func (s *Forms) promise(mod string, rows []form.Row, replaced *openForm, element *openElement) error {
	if s.conn.bot {
		return nil
	}
	open := func(number uint32) bool { return names(rows, number) || s.namedBut(number, replaced, element) }
	for i := range rows {
		r := &rows[i]
		if r.Kind != form.Image {
			continue
		}
		if r.Picture == nil {
			return fmt.Errorf("row %d, an image, has no picture", i+1)
		}
		var err error
		if r.Image, err = s.shelf.Name(mod, r.Picture, open); err != nil {
			return err
		}
	}
	return nil
}

// names reports whether a row names a picture.
func names(rows []form.Row, number uint32) bool {
	return slices.ContainsFunc(rows, func(r form.Row) bool { return r.Kind == form.Image && r.Image == number })
}

// named reports whether an open form or an element names a picture.
func (s *Forms) named(number uint32) bool { return s.namedBut(number, nil, nil) }

// namedBut is named without a form and an element that are about to be replaced.
func (s *Forms) namedBut(number uint32, replaced *openForm, changed *openElement) bool {
	return slices.ContainsFunc(s.open, func(o *openForm) bool { return o != replaced && names(o.Rows, number) }) ||
		slices.ContainsFunc(s.elements.list, func(o *openElement) bool { return o != changed && names(o.Rows, number) })
}

// spareRoom measures how much of a connection's rate the last ticks have left.
type spareRoom struct {
	sent uint64 // bytes of all packets at the last look
	own  int    // bytes of the piece since
}

// piece returns how large the next piece can be, in bytes, when ticks have passed since the last look.
// The packet that carries it has ghosts behind it. So it takes half of what a packet has left, or an
// eighth of what a tick has left: on a fast line the packets behind it leave at once.
func (r *spareRoom) piece(c *Connection, ticks int) int {
	sent, size := c.net.Stats().SentBytes, c.net.PacketSize()
	used := max(int(sent-r.sent)-r.own, 0) / ticks
	r.sent, r.own = sent, 0
	spare := int(c.net.Capacity()/8*TickTime.Seconds()) - used
	return max(pictureLeast, min(spare, size-used%size)/2, spare/8)
}

// sendPictures posts the next pieces of pictures. A piece waits until no other bulk does. On a full line
// a picture comes slowly, because ghosts and commands keep their room.
func (h *Host) sendPictures() {
	for _, c := range h.conns {
		if c.forms != nil && c.forms.shelf.Waits() && !c.over() {
			c.forms.sendPicture()
		}
	}
}

func (s *Forms) sendPicture() {
	c := s.conn
	if c.events.QueuedBulk() > 0 || s.imagesAhead >= pictureAhead {
		return
	}
	size := s.spare.piece(c, pictureEvery)
	for {
		p := s.shelf.Next(size, s.named)
		if p == nil {
			return
		}
		e := &imageEvent{formEvent{use: formImage, image: p}, s}
		if err := c.events.Post(e, event.Post{Channel: bulk, Lane: pictureLane}); err != nil {
			c.fail(err.Error())
			return
		}
		if p.Use != picture.Forgotten {
			s.imagesAhead += len(p.Data)
			s.spare.own = len(p.Data)
			return
		}
	}
}

// An imageEvent is a part of a picture at its sender.
type imageEvent struct {
	formEvent
	of *Forms
}

// Processed counts what has arrived.
func (e *imageEvent) Processed() { e.of.imagesAhead -= len(e.image.Data) }

// Picture returns the picture with a number that this client has, or nil.
func (s *Forms) Picture(number uint32) *picture.Picture { return s.album.Find(number) }

// receiveImage takes a part of a picture. The forms with a complete one are shown anew.
func (s *Forms) receiveImage(p *picture.Piece) error {
	changed, err := s.album.Add(p)
	if !changed {
		return err
	}
	found := s.album.Find(p.Number)
	if s.board.Hang(p.Number, found) {
		s.changed()
	}
	if s.elements.shown.Hang(p.Number, found) {
		s.changedElements()
	}
	return err
}
