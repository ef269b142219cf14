package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/netcore/event"
)

// maxFormQueue is how many bytes of a mod's commands and forms can wait for a client before a
// further form is an error. It is below the limit of the queue, which then has room for all pieces
// of a form.
const maxFormQueue = 384 << 10

// Forms are the forms of a connection: on a server those that its client has open, on a client
// those that it shows.
type Forms struct {
	Stats FormStats

	conn  *Connection
	last  uint32 // number of the newest form
	open  []*openForm
	board form.Board
	desk  form.Desk
	binds Binds
	late  []lateEvent // of a server: what has found the lane of its mod full, in order

	elements elements

	shelf    picture.Shelf // of a server: the pictures for the client
	pictures pictureQueue
	album    picture.Album // of a client
}

// FormStats counts what comes of the forms of a client.
type FormStats struct {
	Opened  int // forms sent
	Answers int // that a mod got
	Old     int // answers to forms that are not open any more
	Refused int // answers that do not fit the rows of their form
}

// openForm is a form that a client has open.
type openForm struct {
	form.Form
	mod  string
	over bool // its mod has got the answer, or that there is none
}

// A FormAnswer is the end of a form: the pressed button and the values, or nothing.
type FormAnswer struct {
	Given  bool   // false: the form was closed, and the rest does not count
	Button string // the name of the pressed button; "" in a form without buttons
	Values []form.Entry
}

// Forms returns the forms of the connection.
func (c *Connection) Forms() *Forms {
	if c.forms == nil {
		c.forms = &Forms{conn: c, binds: Binds{conn: c}}
	}
	return c.forms
}

// Open shows a form to the client. The mod's open form of the same name ends, and the new one takes
// its place on the client. Scripts get the number before the mod can get an answer, by told.
func (s *Forms) Open(mod string, f form.Form, told func(number uint32)) error {
	c := s.conn
	switch err := f.Check(); {
	case err != nil:
		return err
	case !canServe || !c.inbound || c.spectator:
		return errors.New("only a player of this server has forms")
	case c.ended || c.over():
		return errors.New("the connection has ended")
	}
	if err := s.behind(mod); err != nil {
		return err
	}
	replaced := s.find(mod, f.Name)
	s.end(replaced)
	switch now := s.find(mod, f.Name); {
	case now != nil && now != replaced:
		return fmt.Errorf("the form %q was opened again while it was replaced", f.Name)
	case now == nil: // there was none, or the mod has closed it
		replaced = nil
		if err := s.makeRoom(mod); err != nil {
			return err
		}
	}
	if err := s.promise(mod, f.Rows, replaced, nil); err != nil {
		return err
	}
	s.last++
	f.Number = s.last
	s.Stats.Opened++
	told(f.Number)
	next, number := &openForm{Form: f, mod: mod}, uint32(0)
	if replaced == nil {
		s.open = append(s.open, next)
	} else {
		number = replaced.Number
		s.open[slices.Index(s.open, replaced)] = next
	}
	for _, p := range f.Split(number) {
		s.send(mod, &formEvent{use: formPiece, piece: p})
	}
	return nil
}

// find returns a mod's open form of a name, or nil.
func (s *Forms) find(mod, name string) *openForm {
	i := slices.IndexFunc(s.open, func(f *openForm) bool { return f.mod == mod && f.Name == name })
	if i < 0 {
		return nil
	}
	return s.open[i]
}

// end tells a mod that its form has no answer. The form stays in the list.
func (s *Forms) end(f *openForm) {
	if f != nil && !f.over {
		f.over = true
		s.conn.host.scripts.FormEnded(s.conn, f.Number, FormAnswer{})
	}
}

// makeRoom makes room for another form of a mod: the mod with the most forms, if it has more than
// this one would have, loses its oldest one.
func (s *Forms) makeRoom(mod string) error {
	if len(s.open) < form.MaxOpen {
		return nil
	}
	count := map[string]int{}
	for _, f := range s.open {
		count[f.mod]++
	}
	oldest := s.open[0]
	for _, f := range s.open {
		if count[f.mod] > count[oldest.mod] {
			oldest = f
		}
	}
	if count[oldest.mod] <= count[mod]+1 {
		return fmt.Errorf("the client has %d open forms: close one first", len(s.open))
	}
	s.remove(oldest)
	return s.conn.inbox.add(lostForm{oldest}) // its mod is told later: another one runs
}

// lostForm is a form that made room for one of another mod.
type lostForm struct{ *openForm }

func (f lostForm) run(c *Connection) { c.Forms().end(f.openForm) }

// remove takes a form away from the client.
func (s *Forms) remove(f *openForm) {
	if i := slices.Index(s.open, f); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
		s.send(f.mod, &formEvent{use: formClosed, number: f.Number})
	}
}

// A lateEvent waits for a place in the lane of its mod.
type lateEvent struct {
	mod string
	*formEvent
}

// send sends an event in the lane of the mod, behind its earlier ones. If a mod has filled its lane
// with commands, the event follows when there is a place.
func (s *Forms) send(mod string, e *formEvent) {
	if c := s.conn; c.bot || c.over() {
		return
	}
	if s.waits(mod) || !s.post(mod, e) {
		s.late = append(s.late, lateEvent{mod, e})
	}
}

// post reports whether the lane of a mod had a place for an event.
func (s *Forms) post(mod string, e event.Event) bool {
	return s.conn.events.Post(e, event.Post{Lane: s.conn.host.lanes.of(mod)}) == nil
}

// waits reports whether an event of a mod waits for a place.
func (s *Forms) waits(mod string) bool {
	return slices.ContainsFunc(s.late, func(l lateEvent) bool { return l.mod == mod })
}

// sendLate posts what has a place now. The events of a mod stay in order.
func (s *Forms) sendLate() {
	full := map[string]bool{}
	s.late = slices.DeleteFunc(s.late, func(l lateEvent) bool {
		full[l.mod] = full[l.mod] || !s.post(l.mod, l.formEvent)
		return !full[l.mod]
	})
}

// behind returns an error if the client is so far behind that a mod must not ask it for more.
func (s *Forms) behind(mod string) error {
	if bytes := s.conn.Commands.Queued(mod); bytes > maxFormQueue || s.waits(mod) {
		return fmt.Errorf("the client has not received %d bytes of this mod's commands and forms yet", bytes)
	}
	return nil
}

// Close closes a mod's form of a name, and reports whether it was open. The mod is told.
func (s *Forms) Close(mod, name string) bool {
	f := s.find(mod, name)
	if f == nil {
		return false
	}
	s.remove(f)
	s.end(f)
	return true
}

// CloseNumber closes the form with a number, if it is open. The mod is told.
func (s *Forms) CloseNumber(number uint32) {
	if i := slices.IndexFunc(s.open, func(f *openForm) bool { return f.Number == number }); i >= 0 {
		f := s.open[i]
		s.remove(f)
		s.end(f)
	}
}

// answered handles an answer of the client. One to a form that is not open is dropped: the form was
// closed or replaced meanwhile. One that does not fit the form counts as a refused command.
func (s *Forms) answered(a *form.Answer) {
	i := slices.IndexFunc(s.open, func(f *openForm) bool { return f.Number == a.Number })
	if i < 0 || s.open[i].over {
		s.Stats.Old++
		return
	}
	f := s.open[i]
	if a.Closed {
		s.open = slices.Delete(s.open, i, i+1)
		s.end(f)
		return
	}
	button, values, err := f.Read(a)
	if err != nil {
		s.Stats.Refused++
		s.conn.Commands.CountRefusal()
		s.conn.logPeer("form answer refused", "why", fmt.Sprintf("form %q of %s: %v", f.Name, f.mod, err))
		return
	}
	s.Stats.Answers++
	f.over = true
	s.conn.host.scripts.FormEnded(s.conn, f.Number, FormAnswer{true, button, values})
	s.remove(f) // unless the mod has replaced it
}

// endAll ends all forms and binds, when the connection has ended.
func (s *Forms) endAll() {
	if s == nil {
		return
	}
	s.binds.endAll()
	open := s.open
	s.open, s.late = nil, nil
	s.shelf, s.album = picture.Shelf{}, picture.Album{}
	for _, f := range open {
		s.end(f)
	}
	if len(s.board.Forms()) > 0 {
		s.board = form.Board{}
		s.changed()
	}
	s.clearElements()
}

// Shown returns the forms that this client shows, in the order in which they were opened. The
// caller must not change them.
func (s *Forms) Shown() []*form.Form { return s.board.Forms() }

// Answer sends the player's answer to a form. The error says what is wrong with it.
func (s *Forms) Answer(a form.Answer) error {
	c := s.conn
	if c.inbound || c.over() {
		return errors.New("the connection has ended")
	}
	if err := s.board.Answer(&a); err != nil {
		return err
	}
	s.changed()
	return c.events.Post(&formEvent{use: formAnswer, answer: &a}, event.Post{})
}

// receive takes a piece of a form.
func (s *Forms) receive(p *form.Piece) error {
	for i := range p.Rows {
		p.Rows[i].Picture = s.album.Find(p.Rows[i].Image)
	}
	err := s.board.Add(p)
	if err == nil {
		s.changed()
	}
	return err
}

// closed removes a form that the server has closed.
func (s *Forms) closed(number uint32) {
	if s.board.Remove(number) {
		s.changed()
	}
}

// Desk returns the newest form as a terminal shows it.
func (s *Forms) Desk() *form.Desk { return &s.desk }

// changed tells the program.
func (s *Forms) changed() {
	s.desk.Take(s.board.Forms())
	if f := s.conn.host.cfg.Forms; f != nil {
		f(s.conn, s.board.Forms())
	}
}
