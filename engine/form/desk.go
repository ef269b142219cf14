package form

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Desk is the form that a terminal shows, the newest one, with what the player has typed into it.
// Its items are the rows that a player can use, counted from 1. The zero value shows nothing.
type Desk struct {
	form  *Form
	given map[deskKey]Value
}

// deskKey names a row over all forms that take each other's place.
type deskKey struct {
	kind Kind
	name string
}

// Take shows the newest of the open forms. One that takes the place of the shown one keeps what the
// player has typed.
func (d *Desk) Take(forms []*Form) {
	var newest *Form
	for _, f := range forms {
		if newest == nil || f.Number > newest.Number {
			newest = f
		}
	}
	if newest == nil || d.form == nil || newest != d.form && newest.Replaces != d.form.Number {
		d.given = nil
	}
	d.form = newest
}

// Form returns the shown form, or nil.
func (d *Desk) Form() *Form { return d.form }

// Items returns the rows that a player can use.
func (d *Desk) Items() (rows []int) {
	if d.form == nil {
		return nil
	}
	for i := range d.form.Rows {
		if r := &d.form.Rows[i]; r.Kind == Button || r.Answers() {
			rows = append(rows, i)
		}
	}
	return rows
}

// Given returns what the player has given to a row, or nil.
func (d *Desk) Given(row int) *Value {
	r := &d.form.Rows[row]
	v, ok := d.given[deskKey{r.Kind, r.Name}]
	if !ok {
		return nil
	}
	if _, err := r.accept(v); err != nil { // it was typed into another form
		return nil
	}
	return &v
}

// Set gives a typed value to a row.
func (d *Desk) Set(row int, typed string) error {
	if d.form == nil {
		return errNoForm
	}
	v, err := d.form.Parse(row, typed)
	if err != nil {
		return err
	}
	if d.given == nil {
		d.given = map[deskKey]Value{}
	}
	r := &d.form.Rows[row]
	d.given[deskKey{r.Kind, r.Name}] = v
	return nil
}

// Answer returns the answer with a pressed button, or NoButton.
func (d *Desk) Answer(button int) (a Answer, err error) {
	if d.form == nil {
		return a, errNoForm
	}
	a = Answer{Number: d.form.Number, Button: button}
	for i := range d.form.Rows {
		if r := &d.form.Rows[i]; r.Answers() && d.Given(i) != nil {
			v := *d.Given(i)
			v.Row = i
			a.Values = append(a.Values, v)
		}
	}
	return a, nil
}

var errNoForm = errors.New("no form is open")

// Do carries out what a player types: the number or the name of a button presses it, that of
// another item with a value gives the value, send sends a form without buttons, and close closes
// the form. answer is nil if nothing is to be sent.
func (d *Desk) Do(words []string) (answer *Answer, err error) {
	if d.form == nil {
		return nil, errNoForm
	}
	switch words[0] {
	case "close":
		return &Answer{Number: d.form.Number, Closed: true, Button: NoButton}, nil
	case "send":
		a, err := d.Answer(NoButton)
		return &a, err
	}
	items := d.Items()
	n := d.item(items, words[0])
	if n < 1 || n > len(items) {
		return nil, fmt.Errorf("%q is none of the numbers 1…%d or the names of the form, send or close", cut(words[0]), len(items))
	}
	row := items[n-1]
	if r := &d.form.Rows[row]; r.Kind != Button {
		if len(words) < 2 {
			return nil, fmt.Errorf("item %d needs a value: form %d VALUE", n, n)
		}
		return nil, d.Set(row, strings.Join(words[1:], " "))
	}
	a, err := d.Answer(row)
	return &a, err
}

// item returns the number of an item that a player types, or that of the item with a name; 0 for
// none.
func (d *Desk) item(items []int, typed string) int {
	if n, err := strconv.Atoi(typed); err == nil {
		return n
	}
	return 1 + slices.IndexFunc(items, func(row int) bool { return typed != "" && d.form.Rows[row].Name == typed })
}

// Lines returns the shown form as text, the title first. marked is the row to mark, or -1.
func (d *Desk) Lines(marked int) (lines []string) {
	if d.form == nil {
		return nil
	}
	lines, n := append(lines, d.form.Title), 0
	for i := range d.form.Rows {
		r, number := &d.form.Rows[i], ""
		if r.Kind == Button || r.Answers() {
			n++
			number = strconv.Itoa(n) + "  "
		}
		first := len(lines)
		lines = append(lines, d.rowLines(i, r, number)...)
		if i == marked && first < len(lines) {
			lines[first] = "> " + lines[first]
		}
	}
	switch {
	case !d.form.Complete():
		lines = append(lines, "…")
	case d.form.Answered:
		lines = append(lines, "(sent)")
	}
	return lines
}

// rowLines returns a row as text, with the number of its item.
func (d *Desk) rowLines(i int, r *Row, number string) []string {
	label := r.Text
	if label != "" && r.Kind != Text && r.Kind != Button && r.Kind != Look && r.Kind != Image {
		label += ": "
	}
	switch r.Kind {
	case Button:
		return []string{number + "[" + strings.ReplaceAll(r.labelText(), "\n", " ") + "]"}
	case Field, Slider:
		line := number + label + r.Shown(d.Given(i))
		if r.Kind == Slider || r.Numeric {
			line += fmt.Sprintf("  (%g…%g)", r.Min, r.Max)
		}
		return []string{line}
	case Choice:
		line := number + label
		for k, text := range r.Choices {
			if float64(k+1) == r.Number(d.Given(i)) {
				text = "[" + text + "]"
			}
			line += strconv.Itoa(k+1) + " " + text + "  "
		}
		return []string{strings.TrimRight(line, " ")}
	case Table:
		return d.tableLines(i, r, number+label)
	case Bar:
		return []string{label + strconv.Itoa(int(100*r.Value+0.5)) + "%"}
	}
	return strings.Split(label, "\n")
}

// labelText returns the text of a button, or its name.
func (r *Row) labelText() string {
	if r.Text == "" {
		return r.Name
	}
	return r.Text
}

// tableLines returns a table as text: a head, and a line for each row. The rows have numbers if the
// player can choose one.
func (d *Desk) tableLines(i int, r *Row, head string) []string {
	n := len(r.Choices)
	lines := []string{strings.TrimRight(head+strings.Join(r.Choices, " | "), " ")}
	for k := range r.Lines() {
		line := "   " + strings.Join(r.Cells[k*n:(k+1)*n], " | ")
		if r.Answers() {
			line = fmt.Sprintf("   %d %s", k+1, line[3:])
			if float64(k+1) == r.Number(d.Given(i)) {
				line += " *"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// A Teller prints forms at a prompt: each one once, when all of its rows are there. The zero value
// has told none.
type Teller struct {
	told *Form
}

// News returns the lines of the form on a desk with a word on how to use it, or nil if it is not
// new. Values that the player has typed into the form before it are in the lines. Call it after
// each change of the open forms.
func (t *Teller) News(d *Desk) []string {
	f := d.form
	if f == nil || f == t.told || !f.Complete() || f.Answered {
		return nil
	}
	t.told = f
	return append(d.Lines(-1), "form NUMBER presses a button, form NUMBER VALUE gives a value, form close closes the form")
}
