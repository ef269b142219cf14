package form

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse returns the value that a player types for row i of a form: a text, a number, the number of
// a choice or of a table's row, or the beginning of a choice. The error says what would work.
func (f *Form) Parse(i int, typed string) (v Value, err error) {
	if i < 0 || i >= len(f.Rows) || !f.Rows[i].Answers() {
		return v, errNoRow
	}
	r := &f.Rows[i]
	v = Value{Row: i, IsText: r.Kind == Field && !r.Numeric, Text: typed}
	if !v.IsText {
		v.Text = ""
		if v.Number, err = strconv.ParseFloat(typed, 64); err != nil {
			v.Number, err = r.find(typed)
		}
	}
	if err == nil {
		_, err = r.accept(v)
	}
	return v, err
}

// find returns the number of the choice, or of the row of a table, that a text begins. The first
// one counts.
func (r *Row) find(typed string) (float64, error) {
	list, step := r.Choices, 1
	if r.Kind == Table {
		list, step = r.Cells, len(r.Choices)
	}
	if r.Kind == Choice || r.Kind == Table {
		for i := 0; i < len(list); i += step {
			if typed != "" && strings.HasPrefix(strings.ToLower(list[i]), strings.ToLower(typed)) {
				return float64(i/step + 1), nil
			}
		}
		return 0, fmt.Errorf("there is no choice %q: type its number or how it begins", cut(typed))
	}
	return 0, fmt.Errorf("%q is no number: must be %g…%g", cut(typed), r.Min, r.Max)
}

// Shown returns the value of a row as a text for people. v is what the player has given; nil is the
// first value.
func (r *Row) Shown(v *Value) string {
	is := r.first()
	if v != nil {
		is = *v
	}
	switch {
	case is.IsText:
		return is.Text
	case r.Kind == Choice && is.Number >= 1 && int(is.Number) <= len(r.Choices):
		return r.Choices[int(is.Number)-1]
	case r.Kind == Choice:
		return ""
	}
	return strconv.FormatFloat(is.Number, 'g', 6, 64)
}

// Number returns the number that a row has at first, or that the player has given.
func (r *Row) Number(v *Value) float64 {
	if v != nil {
		return v.Number
	}
	return r.Value
}
