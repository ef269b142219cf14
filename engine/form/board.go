package form

import (
	"errors"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/picture"
)

// maxShown is how many forms a client keeps. A server has at most MaxOpen of them open, but forms
// of several mods can overtake the ends of others. A further one takes the place of the oldest.
const maxShown = 16

var errUnknownForm = errors.New("the form is not open")

// A Board has the forms that a client shows. The zero value is an empty one.
type Board struct {
	forms []*Form // in the order in which they were opened
}

// Forms returns the forms in the order in which they were opened; one that replaced another has its
// place. The caller must not change them.
func (b *Board) Forms() []*Form { return b.forms }

// Find returns the form with a number, or nil.
func (b *Board) Find(number uint32) *Form {
	for _, f := range b.forms {
		if f.Number == number {
			return f
		}
	}
	return nil
}

// Add adds a piece of a form. A piece of a form that is not shown any more is dropped. An error
// means that the server has broken a rule.
func (b *Board) Add(p *Piece) error {
	f := b.Find(p.Number)
	switch {
	case p.Head && f != nil:
		return fmt.Errorf("form %d comes twice", p.Number)
	case p.Head:
		f = &Form{Name: p.Name, Title: p.Title, Number: p.Number, Total: p.Total, bytes: len(p.Title)}
		b.insert(f, p.Replaces)
	case f == nil:
		return nil
	}
	return f.grow(p.Rows)
}

// insert puts a new form in the place of the one that it replaces, or behind the others.
func (b *Board) insert(f *Form, replaces uint32) {
	forms := slices.Clone(b.forms) // the program can still read the old list
	if i := slices.IndexFunc(forms, func(old *Form) bool { return old.Number == replaces }); i >= 0 {
		f.Replaces, forms[i] = replaces, f
	} else {
		forms = append(forms, f)
	}
	if len(forms) > maxShown {
		forms = forms[1:]
	}
	b.forms = forms
}

// grow adds rows to a form that a server sends.
func (f *Form) grow(rows []Row) error {
	if len(f.Rows)+len(rows) > f.Total {
		return fmt.Errorf("form %d has more rows than the %d that were announced", f.Number, f.Total)
	}
	f.Rows = append(f.Rows, rows...)
	for i := range rows {
		f.bytes += rows[i].bytes()
	}
	f.Clean()
	if !f.Complete() {
		return f.part()
	}
	return f.Check()
}

// part checks a form of which rows are missing.
func (f *Form) part() error {
	if f.bytes > MaxBytes {
		return tooManyBytes(f.bytes)
	}
	if len(f.Rows) == 0 {
		return nil
	}
	return f.Check()
}

// Hang gives a picture to the rows with its number, or takes it from them if it is nil. It reports
// whether there is such a row.
func (b *Board) Hang(number uint32, p *picture.Picture) (found bool) {
	for _, f := range b.forms {
		found = hang(f.Rows, number, p) || found
	}
	return found
}

func hang(rows []Row, number uint32, p *picture.Picture) (found bool) {
	for i := range rows {
		if r := &rows[i]; r.Kind == Image && r.Image == number {
			r.Picture, found = p, true
		}
	}
	return found
}

// Remove removes a form, and reports whether it was there.
func (b *Board) Remove(number uint32) bool {
	n := len(b.forms)
	b.forms = slices.DeleteFunc(slices.Clone(b.forms), func(f *Form) bool { return f.Number == number })
	return len(b.forms) < n
}

// Answer checks an answer before it is sent, and notes it. After it the form waits for the server.
func (b *Board) Answer(a *Answer) error {
	f := b.Find(a.Number)
	switch {
	case f == nil:
		return errUnknownForm
	case a.Closed:
		b.Remove(a.Number)
		return nil
	case f.Answered:
		return errors.New("the form is already answered, and the server has not replied yet")
	}
	if _, _, err := f.Read(a); err != nil {
		return err
	}
	f.Answered = true
	return nil
}
