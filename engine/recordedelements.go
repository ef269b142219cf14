package engine

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
)

// recordedElement is the command of recordings that carries a change of an element. No mod has a
// command of this name.
const recordedElement = "\x00element"

// recordedElements are the elements that the recordings of a host have, each at the number that it
// has there, which is the same in all of them. So a recording needs few keys.
type recordedElements struct {
	at   [2 * form.MaxElements]*form.Element
	anew bool // a recording has begun, and has none yet
}

// update passes on how the recordings differ from a list. A change has all of its element, because
// a playback can begin with it.
func (s *recordedElements) update(list []*form.Element, keep func(key string, c *form.Change)) {
	tell := func(i int, e *form.Element) {
		c := gone(uint32(i + 1))
		if s.at[i] = e; e != nil {
			c = e.ChangeFrom(nil)
			c.Number = uint32(i + 1)
		}
		keep(fmt.Sprint("element ", i+1), c)
	}
	number := func(n uint32) func(*form.Element) bool {
		return func(e *form.Element) bool { return e != nil && e.Number == n }
	}
	for i, was := range s.at {
		if was == nil {
			continue
		}
		if k := slices.IndexFunc(list, number(was.Number)); k < 0 {
			tell(i, nil)
		} else if list[k] != was || s.anew {
			tell(i, list[k])
		}
	}
	for _, e := range list {
		if !slices.ContainsFunc(s.at[:], number(e.Number)) {
			tell(slices.Index(s.at[:], nil), e)
		}
	}
	s.anew = false
}

// ShowElement shows an element of the HUD to the spectators, and in the demo that this server
// records. The mod's element of the same name changes to this one. The owner can end all of its
// elements, and must be comparable.
func (d *Demos) ShowElement(owner any, mod string, e form.Element) error {
	if err := e.Check(); err != nil {
		return err
	}
	return d.elements.show(owner, mod, e, func(*openElement) {})
}

// HideElement removes a mod's element from the screens of the spectators, and reports whether it
// was there.
func (d *Demos) HideElement(mod, name string) bool {
	return d.elements.hide(mod, name, func(*openElement) {})
}

// EndElements removes the elements of an owner, or all if it is nil.
func (d *Demos) EndElements(owner any) { d.elements.endOf(owner, func(*openElement) {}) }

// recordElements records the elements of a server, or those that a client shows.
func (d *Demos) recordElements(list []*form.Element) {
	d.recorded.update(list, func(key string, c *form.Change) {
		args := []sim.Value{sim.String(string(c.Bytes()))}
		for _, r := range d.recorders {
			r.Keep(key, sim.String(recordedElement), args)
		}
		if !d.host.serves() {
			d.Keep(key, sim.String(recordedElement), args...)
		}
	})
}

// serverElements returns the elements for spectators.
func (d *Demos) serverElements() (list []*form.Element) {
	for _, o := range d.elements.list {
		list = append(list, o.Element)
	}
	return list
}

// playElement takes a change of a recording. One that nobody could have recorded is dropped.
func (w *Watching) playElement(args []sim.Value) {
	if len(args) != 1 {
		return
	}
	if c, err := form.ReadChange([]byte(args[0].Text())); err == nil {
		_ = w.conn.Forms().takeChange(c)
	}
}
