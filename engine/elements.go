package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/form"
)

// elements are the parts of the HUD that mods show to somebody: to the client of a connection, or
// to the spectators. On a client they are those that it shows.
type elements struct {
	list  []*openElement // of a server, the oldest first
	ended []*openElement // those whose end the client does not know yet
	last  uint32         // number of the newest one
	shown form.Elements  // of a client
}

// An openElement is an element of a mod.
type openElement struct {
	*form.Element // as the mod wants it; it never changes

	mod   string
	owner any
	told  *form.Element // as the client has been told; nil: it has not
	ahead bool          // a change is on its way: the next one waits, so that only the newest follows
}

// show puts an element into the list. The mod's element of the same name changes. lose takes away
// one that makes room.
func (s *elements) show(owner any, mod string, e form.Element, lose func(*openElement)) error {
	o := s.find(mod, e.Name)
	if o == nil {
		if err := s.makeRoom(mod, lose); err != nil {
			return err
		}
		s.last++
		o = &openElement{mod: mod}
		e.Number = s.last
		s.list = append(s.list, o)
	} else {
		e.Number = o.Number
	}
	o.Element, o.owner = &e, owner
	return nil
}

// find returns a mod's element of a name, or nil.
func (s *elements) find(mod, name string) *openElement {
	for _, o := range s.list {
		if o.mod == mod && o.Name == name {
			return o
		}
	}
	return nil
}

// makeRoom makes room for another element of a mod: the mod with the most elements, if it has more
// than this one would have, loses its oldest one.
func (s *elements) makeRoom(mod string, lose func(*openElement)) error {
	if len(s.list) < form.MaxElements {
		return nil
	}
	count := map[string]int{}
	for _, o := range s.list {
		count[o.mod]++
	}
	oldest := s.list[0]
	for _, o := range s.list {
		if count[o.mod] > count[oldest.mod] {
			oldest = o
		}
	}
	if count[oldest.mod] <= count[mod]+1 {
		return fmt.Errorf("there are %d HUD elements: close one first", len(s.list))
	}
	s.remove(oldest, lose)
	return nil
}

func (s *elements) remove(o *openElement, lose func(*openElement)) {
	s.list = slices.DeleteFunc(s.list, func(other *openElement) bool { return other == o })
	lose(o)
}

// hide removes a mod's element of a name, and reports whether it was there.
func (s *elements) hide(mod, name string, lose func(*openElement)) bool {
	o := s.find(mod, name)
	if o != nil {
		s.remove(o, lose)
	}
	return o != nil
}

// endOf removes the elements of an owner, or all if it is nil.
func (s *elements) endOf(owner any, lose func(*openElement)) {
	for _, o := range slices.Clone(s.list) {
		if owner == nil || o.owner == owner {
			s.remove(o, lose)
		}
	}
}

func gone(number uint32) *form.Change {
	return &form.Change{Element: form.Element{Number: number}, Use: form.Gone}
}

// ShowElement shows an element of the HUD to the client. The mod's element of the same name changes
// to this one. The owner can end all of its elements, and must be comparable. A bot is told of
// none.
func (s *Forms) ShowElement(owner any, mod string, e form.Element) error {
	c := s.conn
	switch err := e.Check(); {
	case err != nil:
		return err
	case !canServe || !c.inbound || c.spectator:
		return errors.New("only a player of this server has a HUD")
	case c.ended || c.over():
		return errors.New("the connection has ended")
	}
	if err := s.promise(mod, e.Rows, nil, s.elements.find(mod, e.Name)); err != nil {
		return err
	}
	return s.elements.show(owner, mod, e, s.lose)
}

// HideElement removes a mod's element of a name, and reports whether it was there.
func (s *Forms) HideElement(mod, name string) bool { return s.elements.hide(mod, name, s.lose) }

// EndElements removes the elements of an owner, or all if it is nil.
func (s *Forms) EndElements(owner any) { s.elements.endOf(owner, s.lose) }

// lose takes an element away from the client, at the end of the tick.
func (s *Forms) lose(o *openElement) {
	if o.told != nil {
		s.elements.ended = append(s.elements.ended, o)
	}
}

// sendElements posts what has ended or changed.
func (l connections) sendElements() {
	if !canServe {
		return
	}
	for _, c := range l {
		if c.forms != nil && !c.bot && !c.over() {
			c.forms.sendElements()
		}
	}
}

// sendElements posts what has a place in the lane of its mod, and before that the forms and binds
// that have waited for one. The rest waits for the next tick, so a mod that fills its lane with
// commands delays its own elements and loses none.
func (s *Forms) sendElements() {
	s.sendLate()
	s.elements.ended = slices.DeleteFunc(s.elements.ended, func(o *openElement) bool { return s.tell(o, gone(o.Number)) })
	for _, o := range s.elements.list {
		if o.told == o.Element || o.ahead {
			continue
		}
		c := o.ChangeFrom(o.told)
		if c == nil || s.tell(o, c) {
			o.told, o.ahead = o.Element, c != nil
		}
	}
}

// tell posts a change of an element. It reports whether the lane had a place for it.
func (s *Forms) tell(o *openElement, c *form.Change) bool {
	e := &elementEvent{formEvent{use: formElement, change: c}, o}
	return s.post(o.mod, e)
}

// An elementEvent is a change at its sender.
type elementEvent struct {
	formEvent
	of *openElement
}

// Processed lets the next change of the element follow.
func (e *elementEvent) Processed() { e.of.ahead = false }

// Elements returns the parts of the HUD that this client shows, the oldest first. The caller must
// not change them.
func (s *Forms) Elements() []*form.Element { return s.elements.shown.List() }

// takeChange takes what a server, or a recording, says about an element.
func (s *Forms) takeChange(c *form.Change) error {
	for i := range c.Rows {
		c.Rows[i].Picture = s.album.Find(c.Rows[i].Image)
	}
	for i := range c.Parts {
		c.Parts[i].New.Picture = s.album.Find(c.Parts[i].New.Image)
	}
	err := s.elements.shown.Take(c)
	if err == nil {
		s.changedElements()
	}
	return err
}

// changedElements tells the program.
func (s *Forms) changedElements() {
	if f := s.conn.host.cfg.Elements; f != nil {
		f(s.conn, s.Elements())
	}
}

// clearElements removes everything, at the end of the connection or before another part of a
// recording.
func (s *Forms) clearElements() {
	had := len(s.Elements()) > 0
	if s.elements = (elements{last: s.elements.last}); had {
		s.changedElements()
	}
}
