package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/picture"
)

// The limits of elements.
const (
	MaxElements     = 16              // of a client, and of the spectators, at a time
	MaxElementRows  = 32              // rows of an element
	MaxElementBytes = 4 << 10         // bytes of its texts, and rowBytes for each row
	maxElementsKept = 2 * MaxElements // of a client: those of several mods can overtake the ends of others
)

// Scores is the name of an element with the scores of a game. Spectators and viewers of a demo see
// it only while they ask for the scores. To a player it is an element like any other.
const Scores = "scores"

// A Place is where on the screen an element is.
type Place uint8

// Places is the number of places. They count by lines, from the top left.
const Places = Place(9)

// PlaceNames are the names of the places in mods. The middle of a line, or of the screen, has one
// word.
var PlaceNames = [Places]string{"top left", "top", "top right", "left", "center", "right", "bottom left", "bottom", "bottom right"}

// String returns the name of a place.
func (p Place) String() string {
	if p >= Places {
		return "unknown"
	}
	return PlaceNames[p]
}

// An Element is a part of the HUD: rows that a player only sees, at a place of the screen.
type Element struct {
	Number uint32 // at its server; it names the element in changes
	Name   string // the mod's; not unique among the mods of a server
	At     Place
	Rows   []Row
}

// Check returns what is wrong with an element.
func (e *Element) Check() error {
	switch {
	case !validName(e.Name):
		return nameError("the element's name", e.Name)
	case e.At >= Places:
		return fmt.Errorf("the place must be one of %s", strings.Join(PlaceNames[:], ", "))
	case len(e.Rows) == 0 || len(e.Rows) > MaxElementRows:
		return fmt.Errorf("the element has %d rows: must be 1…%d", len(e.Rows), MaxElementRows)
	}
	bytes := 0
	for i := range e.Rows {
		r := &e.Rows[i]
		err := r.check()
		if err == nil && !r.Kind.Shown() {
			err = errors.New("an element is only seen: it has texts, tables, bars, looks and images")
		}
		if err == nil && r.Name != "" {
			err = errors.New("nothing in an element can be chosen, so it takes no name")
		}
		if err != nil {
			return fmt.Errorf("row %d, %s: %w", i+1, r.Kind.One(), err)
		}
		bytes += r.bytes()
	}
	if bytes > MaxElementBytes {
		return fmt.Errorf("the element has %d bytes of text, with %d for each row: must be at most %d", bytes, rowBytes, MaxElementBytes)
	}
	return nil
}

// Shown reports whether a row of the kind can be in an element.
func (k Kind) Shown() bool {
	return k == Text || k == Table || k == Bar || k == Look || k == Image
}

// Clean makes all texts of an element harmless for a terminal and readable for people. A cleaned
// text can be longer, so clean first and check then.
func (e *Element) Clean() {
	for i := range e.Rows {
		e.Rows[i].clean()
	}
}

// Lines returns the element as text, with two spaces between the columns of a table.
func (e *Element) Lines() (lines []string) {
	var d Desk
	for i := range e.Rows {
		r := &e.Rows[i]
		if r.Kind != Table {
			lines = append(lines, d.rowLines(i, r, "")...)
			continue
		}
		if r.Text != "" {
			lines = append(lines, strings.Split(r.Text, "\n")...)
		}
		for line := range slices.Chunk(append(slices.Clone(r.Choices), r.Cells...), len(r.Choices)) {
			lines = append(lines, strings.Join(line, "  "))
		}
	}
	return lines
}

// Elements are the elements that a client shows, by their numbers. The zero value has none.
type Elements struct{ list []*Element }

// List returns the elements, the oldest first. No element in it ever changes. The caller must not
// change them.
func (s *Elements) List() []*Element { return s.list }

// Take does what a server says about an element. A change of one that is not there is dropped,
// because its end can overtake it. An error means that the server has broken a rule.
func (s *Elements) Take(c *Change) error {
	i := slices.IndexFunc(s.list, func(e *Element) bool { return e.Number == c.Number })
	if c.Use == Gone {
		if i >= 0 {
			s.list = slices.Delete(slices.Clone(s.list), i, i+1)
		}
		return nil
	}
	next := c.Element
	if c.Use == Parts {
		if i < 0 {
			return nil
		}
		next = *s.list[i]
		next.Rows = slices.Clone(next.Rows)
		for k := range c.Parts {
			if err := c.Parts[k].apply(next.Rows); err != nil {
				return fmt.Errorf("element %d: %w", c.Number, err)
			}
		}
	}
	next.Number = c.Number
	next.Clean()
	if err := next.Check(); err != nil {
		return fmt.Errorf("element %d: %w", c.Number, err)
	}
	s.put(i, &next)
	return nil
}

// put puts an element in a place of the list, or behind the others if it is below 0.
func (s *Elements) put(i int, e *Element) {
	list := slices.Clone(s.list) // the program can still read the old one
	switch {
	case i >= 0:
		list[i] = e
	case len(list) >= maxElementsKept:
		list = append(list[1:], e)
	default:
		list = append(list, e)
	}
	s.list = list
}

// Hang gives a picture to the rows with its number, or takes it from them if it is nil. It reports
// whether there is such a row.
func (s *Elements) Hang(number uint32, p *picture.Picture) (found bool) {
	for i, e := range s.list {
		if !slices.ContainsFunc(e.Rows, func(r Row) bool { return r.Kind == Image && r.Image == number }) {
			continue
		}
		next := *e
		next.Rows = slices.Clone(e.Rows)
		found = hang(next.Rows, number, p) || found
		s.put(i, &next)
	}
	return found
}
