package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

const (
	pictureLane  = 1<<16 - 2 // of the events: that of no mod
	pictureEvery = 2         // ticks between two pieces in packets of a tick: those between repeat lost commands
	pictureLeast = 64        // bytes of a piece on a full line
	pictureAhead = 16 << 10  // bytes on the way to a client: the window of events is for commands
	pictureFirst = 600       // of these at first, and on a line where pieces wait in a queue
	pictureHead  = 32        // bytes of a piece besides its data, or more

	pictureSlack = 4 * time.Millisecond // between a piece and the next tick: the grid of send times
	pictureWait  = 3 * TickTime / 2     // of a piece, beyond a round trip: the peer acknowledges in its next tick
)

// promise numbers the pictures of rows that are about to be shown in the place of a form or of an
// element. A bot has none.
func (s *Forms) promise(mod string, rows []form.Row, replaced *openForm, element *openElement) error {
	if s.conn.bot {
		return nil
	}
	open := func(number uint32) bool { return namePicture(rows, number) || s.namedBut(number, replaced, element) }
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

// namePicture reports whether a row names a picture.
func namePicture(rows []form.Row, number uint32) bool {
	return slices.ContainsFunc(rows, func(r form.Row) bool { return r.Kind == form.Image && r.Image == number })
}

// named reports whether an open form or an element names a picture.
func (s *Forms) named(number uint32) bool { return s.namedBut(number, nil, nil) }

// namedBut is named without a form and an element that are about to be replaced.
func (s *Forms) namedBut(number uint32, replaced *openForm, changed *openElement) bool {
	return slices.ContainsFunc(s.open, func(o *openForm) bool { return o != replaced && namePicture(o.Rows, number) }) ||
		slices.ContainsFunc(s.elements.list, func(o *openElement) bool { return o != changed && namePicture(o.Rows, number) })
}

// Pictures use what all else leaves. Send passes on the packets of a tick first. Then a piece fills
// the rest of the line up to the next tick (fill). If there is no rest, because the line is full or
// the rate has a fixed number of packets, pieces go into the packets of ticks, in front of the
// ghosts (sendInPackets). So there they take half of what the last packets have left, or a sliver.

// pictureQueue is the room for pictures on a connection.
type pictureQueue struct {
	ahead  int    // bytes that the client is not known to have
	window int    // bytes of these at most, pictureFirst…pictureAhead; 0 is pictureFirst
	full   bool   // the line had no rest for a piece
	sent   uint64 // bytes of all packets at the last look of piece
	own    int    // bytes of pieces since
}

// piece returns how large the next piece in a packet of a tick can be, in bytes, when ticks have
// passed since the last look. The packet has ghosts behind it. So it takes half of what a packet
// has left, or an eighth of what a tick has left: on a fast line the packets behind it leave at
// once.
func (q *pictureQueue) piece(c *Connection, ticks int) int {
	sent, size := c.net.Stats().SentBytes, c.net.PacketSize()
	used := max(int(sent-q.sent)-q.own, 0) / ticks
	q.sent, q.own = sent, 0
	spare := int(c.net.Capacity()/8*TickTime.Seconds()) - used
	return max(pictureLeast, min(spare, size-used%size)/2, spare/8)
}

// fillWithPictures posts pieces for what the packets of a tick have left of the lines. It reports
// whether there are any.
func (l connections) fillWithPictures(now, tickedAt netcore.Time) (posted bool) {
	until := tickedAt + netcore.Time(TickTime-pictureSlack)
	for _, c := range l {
		if c.sendsPictures() {
			posted = c.forms.fill(now, until) || posted
		}
	}
	return posted
}

// sendPictures posts pieces for the packets of this tick, on connections without a rest of the
// line.
func (l connections) sendPictures() {
	for _, c := range l {
		if c.sendsPictures() {
			c.forms.sendInPackets()
		}
	}
}

func (c *Connection) sendsPictures() bool {
	return c.forms != nil && c.forms.shelf.Waits() && !c.over()
}

// fill posts a piece for what the line can carry until a time, besides all that has been posted.
func (s *Forms) fill(now, until netcore.Time) bool {
	if s.pieceWaits() {
		return false
	}
	size := min(s.conn.net.Spare(now, until)*15/16-pictureHead, s.room()) // events in pieces have heads
	s.pictures.full = size < pictureLeast
	return !s.pictures.full && s.postPiece(size)
}

func (s *Forms) sendInPackets() {
	size := s.pictures.piece(s.conn, pictureEvery)
	if s.pictures.full && !s.pieceWaits() {
		s.postPiece(size)
	}
}

// pieceWaits reports whether a piece must wait: for other bulk, or because as much as possible is
// on the way.
func (s *Forms) pieceWaits() bool { return s.conn.events.QueuedBulk() > 0 || s.room() < pictureLeast }

// room returns how many bytes more can be on the way.
func (s *Forms) room() int { return max(s.pictures.window, pictureFirst) - s.pictures.ahead }

// postPiece posts the next piece of at most size bytes, and what the client can forget. It reports
// whether it has posted a piece.
func (s *Forms) postPiece(size int) bool {
	for {
		p := s.shelf.Next(size, s.named)
		if p == nil {
			return false
		}
		e := &imageEvent{formEvent{use: formImage, image: p}, s, s.conn.host.now}
		if err := s.conn.events.Post(e, event.Post{Channel: bulk, Lane: pictureLane, NoCopies: true}); err != nil {
			s.conn.fail(err.Error())
			return false
		}
		if p.Use != picture.Forgotten {
			s.pictures.ahead += len(p.Data)
			s.pictures.own += len(p.Data)
			return true
		}
	}
}

// An imageEvent is a part of a picture at its sender.
type imageEvent struct {
	formEvent
	of     *Forms
	posted netcore.Time
}

// Processed counts what has arrived. A new connection guesses the rate of its line. So more can be
// on the way while pieces come without waiting in a queue, and half as much when they wait.
func (e *imageEvent) Processed() {
	q, net := &e.of.pictures, e.of.conn.net
	q.ahead -= len(e.image.Data)
	sending := netcore.Time(float64(8*len(e.image.Data)) / net.Capacity() * 1e9)
	if e.of.conn.host.now-e.posted > net.LeastRTT()+2*net.RTTVariation()+2*sending+pictureWait {
		q.window = max(q.window/2, pictureFirst)
	} else {
		q.window = min(max(q.window, pictureFirst)+len(e.image.Data), pictureAhead)
	}
}

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
