package tui

import (
	"slices"
	"strconv"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
)

// formSource has the forms of a client: engine.Forms.
type formSource interface {
	Desk() *form.Desk
	Answer(form.Answer) error
}

// formsOf returns the forms of a host, or nil without a server.
func formsOf(host *engine.Host) formSource {
	if c := host.Server(); c != nil {
		return c.Forms()
	}
	return nil
}

// A formView is how a player uses the newest form: which row is marked, and which one is being
// typed. The digits and Enter use items, the arrows move the mark, and Esc closes the form. All
// other keys are those of the game.
type formView struct {
	number uint32   // of the form that it is about
	mark   int      // among the items
	typing int      // the row whose value is being typed; -1: none
	row    form.Row // that row
	whole  bool     // the first typed character replaces the value: it is a number, not edited yet
}

// formHint is the last line of a form.
const formHint = "1…9 ↑ ↓ Enter  choose   Esc  close"

// desk returns the newest form of the server, or nil.
func (v *View) desk() *form.Desk {
	forms := v.forms()
	if v.Reel != nil || forms == nil {
		return nil
	}
	d := forms.Desk()
	f := d.Form()
	if f == nil {
		return nil
	}
	if v.form.number != f.Number {
		v.follow(f)
	}
	return d
}

// follow changes to another form. The one that takes the place of the last one keeps its mark, and
// the text that is being typed.
func (v *View) follow(f *form.Form) {
	o := &v.form
	same := f.Replaces == o.number && o.number != 0
	o.number = f.Number
	if !same {
		o.mark = 0
	}
	if !v.scene.Typing || v.scene.Label != formLabel {
		return
	}
	o.typing = slices.IndexFunc(f.Rows, func(r form.Row) bool { return r.Kind == o.row.Kind && r.Name == o.row.Name })
	if !same || o.typing < 0 {
		v.scene.Typing, v.scene.Input, o.typing = false, "", -1
	}
}

// formLabel stands before the typed value of a row.
const formLabel = "value"

// formKey handles a key while a form is open, and reports whether it was for the form.
func (v *View) formKey(e InputEvent) bool {
	d := v.desk()
	if d == nil {
		return false
	}
	items := d.Items()
	mark := &v.form.mark
	*mark = min(max(*mark, 0), max(len(items)-1, 0))
	switch {
	case e.Key == Escape:
		v.answer(d, []string{"close"})
	case e.Key == Enter && len(items) == 0:
		v.answer(d, []string{"close"})
	case len(items) == 0:
		return false // it is only read, and the player goes on
	case e.Key == ArrowUp:
		*mark--
	case e.Key == ArrowDown:
		*mark++
	case e.Key == Enter:
		v.use(d, items, *mark)
	case e.Rune >= '1' && e.Rune <= '9':
		if n := int(e.Rune - '1'); n < len(items) {
			*mark = n
			v.use(d, items, n)
		}
	default:
		return false
	}
	return true
}

// use presses the button of an item, or begins to type its value.
func (v *View) use(d *form.Desk, items []int, n int) {
	row := items[n]
	if d.Form().Rows[row].Kind == form.Button {
		v.answer(d, []string{strconv.Itoa(n + 1)})
		return
	}
	v.hands.Release()
	v.form.typing, v.form.row = row, d.Form().Rows[row]
	v.scene.Typing, v.scene.Input, v.scene.Label = true, "", formLabel
	if v.form.row.Kind == form.Field {
		v.scene.Input = v.form.row.Shown(d.Given(row))
	}
	v.form.whole = v.form.row.Numeric
}

// answer does what the words of the command form do.
func (v *View) answer(d *form.Desk, words []string) {
	a, err := d.Do(words)
	if err == nil && a != nil {
		err = v.forms().Answer(*a)
	}
	if err != nil {
		v.Print("error: " + err.Error())
	}
}

// fill takes the typed value. A form of one row without buttons is sent with it.
func (v *View) fill() {
	row := v.form.typing
	v.form.typing = -1
	d := v.desk()
	if d == nil || row < 0 {
		return
	}
	err := d.Set(row, v.scene.Input)
	if err == nil && len(d.Items()) == 1 {
		v.answer(d, []string{"send"})
		return
	}
	if err != nil {
		v.Print("error: " + err.Error())
		return
	}
	v.form.mark++
}

// formLines returns the lines of the form that fit in so many rows, around the marked one.
func (v *View) formLines(rows int) (lines []string) {
	d := v.desk()
	if d == nil {
		return nil
	}
	marked := -1
	if items := d.Items(); len(items) > 0 {
		marked = items[min(max(v.form.mark, 0), len(items)-1)]
	}
	at := 0
	for i, line := range d.Lines(marked) {
		if len(line) > 1 && line[:2] == "> " {
			at = i
		}
		lines = append(lines, plainRows(line))
	}
	if rows = max(rows-1, 1); len(lines) > rows {
		first := min(max(at-rows/2, 0), len(lines)-rows)
		lines = lines[first : first+rows]
	}
	return append(lines, formHint)
}
