package form

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/torc-engine/torc/console"
)

// Check returns what is wrong with a form: its name, its title, its size or one of its rows.
func (f *Form) Check() error {
	switch {
	case !validName(f.Name):
		return nameError("the form's name", f.Name)
	case len(f.Title) > MaxTitle:
		return fmt.Errorf("the title has %d bytes: must be at most %d", len(f.Title), MaxTitle)
	case len(f.Rows) == 0:
		return errors.New("a form needs a row")
	case len(f.Rows) > MaxRows:
		return tooManyRows(len(f.Rows))
	}
	names, bytes := map[string]bool{}, len(f.Title)
	for i := range f.Rows {
		r := &f.Rows[i]
		if err := r.check(); err != nil {
			return fmt.Errorf("row %d, %s: %w", i+1, r.Kind.One(), err)
		}
		if r.Name != "" && names[r.Name] {
			return fmt.Errorf("row %d, %s: another row is named %q", i+1, r.Kind.One(), r.Name)
		}
		names[r.Name] = true
		bytes += r.bytes()
	}
	if bytes > MaxBytes {
		return tooManyBytes(bytes)
	}
	return nil
}

func tooManyRows(n int) error {
	return fmt.Errorf("the form has %d rows: must be at most %d", n, MaxRows)
}

func tooManyBytes(n int) error {
	return fmt.Errorf("the form has %d bytes of text, with %d for each row: must be at most %d", n, rowBytes, MaxBytes)
}

// validName reports whether a text can be the name of a form or of a row.
func validName(s string) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for _, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("_.-", rune(c)) {
			return false
		}
	}
	return true
}

func nameError(what, name string) error {
	return fmt.Errorf("%s must be 1 to %d letters, digits, _, - or ., got %q", what, MaxName, cut(name))
}

// cut shortens a text for an error.
func cut(s string) string {
	if len(s) > 2*MaxName {
		return strings.ToValidUTF8(s[:2*MaxName], "") + "…"
	}
	return s
}

// check returns what is wrong with a row.
func (r *Row) check() error {
	switch {
	case r.Kind >= Kinds:
		return errors.New("the kind is unknown")
	case len(r.Text) > MaxText:
		return fmt.Errorf("the text has %d bytes: must be at most %d", len(r.Text), MaxText)
	case !r.Kind.named() && r.Name != "":
		return errors.New("it has no value and takes no name")
	case r.Name == "" && r.Answers():
		return errors.New("it needs a name, which its value has in the answer")
	case r.Name == Pressed:
		return fmt.Errorf("the name %q is that of the pressed button in the answer", Pressed)
	case r.Name != "" && !validName(r.Name):
		return nameError("the name", r.Name)
	}
	switch r.Kind {
	case Button:
		if r.label() == "" {
			return errors.New("it needs a text")
		}
	case Field:
		return r.checkField()
	case Choice:
		return r.checkChoice()
	case Slider:
		return r.checkSlider()
	case Table:
		return r.checkTable()
	case Bar:
		if !(r.Value >= 0 && r.Value <= 1) {
			return fmt.Errorf("value = %g: must be 0…1", r.Value)
		}
	case Look:
		if r.Block < 0 || r.Block > math.MaxUint16 {
			return errors.New("there is no such datablock")
		}
	case Image:
		if r.Text == "" {
			return errors.New("it needs a text, for players who do not see the picture")
		}
	}
	return nil
}

func (r *Row) checkField() error {
	if r.Numeric {
		return r.checkNumeric()
	}
	switch {
	case r.Length < 1 || r.Length > MaxInput:
		return fmt.Errorf("length = %d: must be 1…%d", r.Length, MaxInput)
	case len(r.Input) > r.Length:
		return fmt.Errorf("its value has %d bytes: must be at most %d, its length", len(r.Input), r.Length)
	}
	return nil
}

func (r *Row) checkNumeric() error {
	if r.Min == r.Max && r.Value == r.Min && finite(r.Min) { // such as of a player without coins
		return r.checkWhole()
	}
	if err := r.checkRange(); err != nil {
		return err
	}
	return r.checkWhole()
}

// checkWhole checks the numbers of an integer.
func (r *Row) checkWhole() error {
	for _, v := range []float64{r.Min, r.Max, r.Value} {
		if r.Integer && v != math.Trunc(v) {
			return fmt.Errorf("%g is not whole: min, max and value of an integer must be", v)
		}
	}
	return nil
}

// checkRange checks the numbers of a Slider, or of a Field with numbers.
func (r *Row) checkRange() error {
	switch {
	case !finite(r.Min) || !finite(r.Max) || r.Min >= r.Max:
		return fmt.Errorf("min = %g, max = %g: must be two numbers, min below max", r.Min, r.Max)
	case !(r.Value >= r.Min && r.Value <= r.Max):
		return fmt.Errorf("value = %g: must be %g…%g", r.Value, r.Min, r.Max)
	}
	return nil
}

func (r *Row) checkSlider() error {
	if !finite(r.Step) || r.Step < 0 {
		return fmt.Errorf("step = %g: must be a number from 0", r.Step)
	}
	return r.checkRange()
}

func (r *Row) checkChoice() error {
	if n := len(r.Choices); n == 0 || n > MaxChoices {
		return fmt.Errorf("it has %d choices: must be 1…%d", n, MaxChoices)
	}
	if err := checkTexts("choice", r.Choices); err != nil {
		return err
	}
	return checkNumber(r.Value, len(r.Choices))
}

func (r *Row) checkTable() error {
	n := len(r.Choices)
	switch {
	case n == 0 || n > MaxColumns:
		return fmt.Errorf("it has %d columns: must be 1…%d", n, MaxColumns)
	case len(r.Cells)%n != 0:
		return errors.New("each of its rows must have a text for each column")
	case r.Lines() > MaxChoices:
		return fmt.Errorf("it has %d rows: must be at most %d", r.Lines(), MaxChoices)
	}
	if err := errors.Join(checkTexts("column", r.Choices), checkTexts("cell", r.Cells)); err != nil {
		return err
	}
	return checkNumber(r.Value, r.Lines())
}

func checkTexts(what string, list []string) error {
	for i, s := range list {
		if len(s) > MaxText {
			return fmt.Errorf("%s %d has %d bytes: must be at most %d", what, i+1, len(s), MaxText)
		}
	}
	return nil
}

// checkNumber checks the number of one of n texts, 0 for none.
func checkNumber(v float64, n int) error {
	if !(v >= 0 && v <= float64(n)) || v != math.Trunc(v) {
		return fmt.Errorf("value = %g: must be a whole number, 1…%d, or nil", v, n)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Clean makes all texts of a form harmless for a terminal and readable for people. Only the text of
// a row keeps its newlines. A cleaned text can be longer, so clean first and check then.
func (f *Form) Clean() {
	f.Title = console.Readable(f.Title)
	for i := range f.Rows {
		f.Rows[i].clean()
	}
}

func (r *Row) clean() {
	r.Text = console.ReadableText(strings.ReplaceAll(r.Text, "\t", " "))
	r.Input = console.Readable(r.Input)
	for _, list := range [][]string{r.Choices, r.Cells} {
		for i, s := range list {
			list[i] = console.Readable(s)
		}
	}
}
