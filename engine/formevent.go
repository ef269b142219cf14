package engine

import (
	"errors"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// formUse is what an event of the kind form is for.
type formUse int

const (
	formPiece   formUse = iota // from a server: a form, or more of its rows
	formClosed                 // from a server: the form with this number is over
	formAnswer                 // from a client
	formBind                   // from a server: a key that a mod asks for, or its end
	formImage                  // from a server: a part of a picture
	formElement                // from a server: a change of a part of the HUD
	formUses
)

// formEvent is a part of a form, its end, the answer to it, a key that a mod asks for, a part of a
// picture, or a change of the HUD. One kind has all of them, because an id of events then still has
// four bits.
//
//	ranged 0..5 use | 0: form.Piece | 1: var number | 2: form.Answer | 3: bindChange | 4: picture.Piece | 5: form.Change
type formEvent struct {
	use    formUse
	piece  *form.Piece
	answer *form.Answer
	bind   *bindChange
	image  *picture.Piece
	change *form.Change
	number uint32 // of formClosed
	size   int    // bytes on the wire, for the sender's rate limit
}

func (e *formEvent) KindID() event.KindID { return formID }

func (e *formEvent) Serialize(s *event.Codec) {
	start, use := s.Pos(), int(e.use)
	s.Int(&use, 0, int(formUses)-1)
	if s.Reading() {
		*e = formEvent{use: formUse(use), piece: new(form.Piece), answer: new(form.Answer), bind: new(bindChange), image: new(picture.Piece), change: new(form.Change)}
	}
	switch formUse(use) {
	case formPiece:
		e.piece.Serialize(s.Codec)
	case formClosed:
		form.Number(s.Codec, &e.number)
	case formAnswer:
		e.answer.Serialize(s.Codec)
	case formBind:
		e.bind.serialize(s)
	case formImage:
		e.image.Serialize(s.Codec)
	case formElement:
		e.change.Serialize(s.Codec)
	}
	if s.Reading() {
		e.size = (s.Pos() - start + 7) / 8
	}
}

// Process takes what a server says at once, because it changes no world. The answer of a client
// waits for the next tick like a command, and has the rate limit of commands.
func (e *formEvent) Process(n *netcore.Conn) error {
	c := owner(n)
	switch {
	case (e.use == formAnswer) != c.inbound:
		return errors.New("a form or a bind goes to a client, and an answer to the server")
	case e.use == formAnswer && !c.Commands.admits(e.size):
		return nil
	case e.use == formAnswer:
		return c.inbox.add(e)
	case e.use == formClosed:
		c.Forms().closed(e.number)
		return nil
	case e.use == formBind:
		return c.Binds().receive(e.bind)
	case e.use == formImage:
		return c.Forms().receiveImage(e.image)
	case e.use == formElement:
		return c.Forms().takeChange(e.change)
	}
	return c.Forms().receive(e.piece)
}

// run gives an answer to the mod.
func (e *formEvent) run(c *Connection) {
	c.Commands.Stats.Commands++
	c.Forms().answered(e.answer)
}
