package form

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// NoButton is the Button of an answer without a pressed button.
const NoButton = -1

// An Answer is what a player does with a form: presses a button of it, sends it, or closes it.
type Answer struct {
	Number uint32  // of the form
	Closed bool    // the player has closed the form; the rest does not count
	Button int     // the row of the pressed button from 0, or NoButton
	Values []Value // of some rows, each at most once
}

// A Value is the value of a row in an answer: a text, or a number.
type Value struct {
	Row    int  // from 0
	IsText bool // Text counts, not Number
	Text   string
	Number float64
}

// Serialize codes an answer.
//
//	var number | flag closed; if not: flag pressed, [ranged 0..255 row]
//	ranged 0..256 values | for each ranged 0..255 row, flag text: text(1,024) or number
func (a *Answer) Serialize(s *bitstream.Codec) {
	Number(s, &a.Number)
	if s.Flag(&a.Closed) {
		a.Button = NoButton
		return
	}
	pressed := a.Button >= 0
	if s.Flag(&pressed) {
		s.Int(&a.Button, 0, MaxRows-1)
	} else {
		a.Button = NoButton
	}
	n := len(a.Values)
	s.Int(&n, 0, MaxRows)
	c := &coder{s, MaxBytes}
	if !s.Reading() {
		for i := range a.Values {
			c.value(&a.Values[i])
		}
		return
	}
	for range n {
		var v Value
		if c.value(&v); s.Err() != nil {
			return
		}
		a.Values = append(a.Values, v)
	}
}

func (c *coder) value(v *Value) {
	c.Int(&v.Row, 0, MaxRows-1)
	if c.Flag(&v.IsText) {
		c.text(&v.Text, MaxInput)
		return
	}
	c.number(&v.Number)
}

// An Entry is a value of an answer as a mod gets it.
type Entry struct {
	Name   string
	IsText bool // Text counts, not Number
	Text   string
	Number float64
}

var (
	errNoRow    = errors.New("the form has no such row")
	errNoButton = errors.New("no button of the form was pressed")
)

// Read checks an answer to a form, and returns the name of the pressed button, "" for none, and the
// values of all rows that have one, in order. A row that the answer does not have keeps its first
// value. The error says what is wrong with the answer.
func (f *Form) Read(a *Answer) (button string, entries []Entry, err error) {
	if button, err = f.pressed(a.Button); err != nil {
		return "", nil, err
	}
	given := make([]*Value, len(f.Rows))
	for i := range a.Values {
		v := &a.Values[i]
		switch {
		case v.Row < 0 || v.Row >= len(f.Rows) || !f.Rows[v.Row].Answers():
			return "", nil, errNoRow
		case given[v.Row] != nil:
			return "", nil, fmt.Errorf("two values for row %d", v.Row+1)
		}
		given[v.Row] = v
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		if !r.Answers() {
			continue
		}
		v := r.first()
		if given[i] != nil {
			if v, err = r.accept(*given[i]); err != nil {
				return "", nil, fmt.Errorf("row %d, %s: %w", i+1, r.Kind.One(), err)
			}
		}
		if (r.Kind == Choice || r.Kind == Table) && v.Number == 0 {
			continue // nothing is chosen
		}
		entries = append(entries, Entry{r.Name, v.IsText, v.Text, v.Number})
	}
	return button, entries, nil
}

// pressed returns the name of a button. An answer without one is only for a form without buttons.
func (f *Form) pressed(row int) (string, error) {
	switch {
	case row != NoButton && (row < 0 || row >= len(f.Rows) || f.Rows[row].Kind != Button):
		return "", errNoRow
	case row != NoButton:
		return f.Rows[row].label(), nil
	}
	for i := range f.Rows {
		if f.Rows[i].Kind == Button {
			return "", errNoButton
		}
	}
	return "", nil
}

// first returns the value that a row has at first.
func (r *Row) first() Value {
	if r.Kind == Field && !r.Numeric {
		return Value{IsText: true, Text: r.Input}
	}
	return Value{Number: r.Value}
}

// accept returns the value that an answer gives to a row: a cleaned text, or a number of the row's
// range.
func (r *Row) accept(v Value) (Value, error) {
	if text := r.Kind == Field && !r.Numeric; text != v.IsText {
		return v, errors.New("the value is of the wrong kind")
	}
	switch r.Kind {
	case Field:
		if !r.Numeric {
			return r.acceptText(v)
		}
	case Choice:
		return v, checkNumber(v.Number, len(r.Choices))
	case Table:
		return v, checkNumber(v.Number, r.Lines())
	}
	if !(v.Number >= r.Min && v.Number <= r.Max) {
		return v, fmt.Errorf("%g is not in %g…%g", v.Number, r.Min, r.Max)
	}
	if r.Integer && v.Number != math.Trunc(v.Number) {
		return v, fmt.Errorf("%g is not whole: must be a whole number, %g…%g", v.Number, r.Min, r.Max)
	}
	if r.Kind == Slider && r.Step > 0 {
		v.Number = min(r.Min+math.Round((v.Number-r.Min)/r.Step)*r.Step, r.Max)
	}
	return v, nil
}

func (r *Row) acceptText(v Value) (Value, error) {
	switch {
	case len(v.Text) > r.Length:
		return v, fmt.Errorf("the text has %d bytes: must be at most %d", len(v.Text), r.Length)
	case !utf8.ValidString(v.Text):
		return v, errors.New("the text is not UTF-8")
	}
	v.Text = console.Readable(v.Text)
	return v, nil
}
