package script

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/pictures"
	"github.com/torc-engine/torc/script/vm"
)

// formLib has the functions for forms: windows of rows for one player.
func formLib() vm.Lib {
	return bind.Chapter("Forms", []bind.Row{
		bind.Def("client:form", "form: {name: string, title: string?, rows: FormRow[], done: fun(client: Client, values: table?)}", vm.Server, "Shows a form to the player: a window of at most 256 rows with 16,384 bytes of text. A row has a kind and a text: \"text\"; \"button\" (name); \"field\" (name, value, length, or min and max for a number, which is whole with integer = true); \"choice\" (name, choices, value); \"slider\" (name, min, max, step, value); \"table\" (columns, rows, name, value); \"bar\" (value of 0…1); \"look\" (look: a datablock); \"image\" (picture: the name of a file in the folder pictures, without its ending; the text says what it shows). done runs once. It gets values when the player presses a button: values.button is its name, and values.NAME is the value of the row with that name. It gets nil when the form ends otherwise: the player or closeForm closes it, another form of its name takes its place, the client leaves, the mission ends, or the mod is reloaded or unloaded. A client has at most 4 open forms.", openForm),
		bind.Def("client:closeForm", "name: string -> boolean", vm.Server, "Closes this mod's open form of a name. Its done gets nil. Returns whether it was open.", func(a bind.Call) int {
			return a.Return(lua.LBool(a.Client(1).Forms().Close(a.Mod.Name, a.String(2))))
		}),
		bind.Def("FormRow.kind", `: "text"|"button"|"field"|"choice"|"slider"|"table"|"bar"|"look"|"image"`, vm.Server, "What the row is.", nil),
		bind.Def("FormRow.text", ": string|Text?", vm.Server, "The text of the row, or before its value. A button needs a text or a name.", nil),
		bind.Def("FormRow.name", ": string?", vm.Server, "Of a \"button\", \"field\", \"choice\", \"slider\" or \"table\": the key of its value in values, 1 to 32 letters, digits, _, - and .; not \"button\". No two rows have the same.", nil),
		bind.Def("FormRow.value", ": string|number?", vm.Server, "The value at first. \"field\": a text, or a number (0, or the nearest of min…max); \"choice\" and \"table\": a number from 1 (none is chosen); \"slider\": a number (min); \"bar\": 0…1.", nil),
		bind.Def("FormRow.length", ": integer?", vm.Server, "Of a \"field\": how many bytes its text can have, 1…1024 (64).", nil),
		bind.Def("FormRow.min", ": number?", vm.Server, "Of a \"field\" with numbers and of a \"slider\" (0): the smallest number.", nil),
		bind.Def("FormRow.max", ": number?", vm.Server, "Of a \"field\" with numbers and of a \"slider\" (1): the largest number. In a field it can equal min.", nil),
		bind.Def("FormRow.integer", ": boolean?", vm.Server, "Of a \"field\" with numbers: whether only whole ones are right.", nil),
		bind.Def("FormRow.step", ": number?", vm.Server, "Of a \"slider\": the distance of its places; 0 allows every number.", nil),
		bind.Def("FormRow.choices", ": any[]?", vm.Server, "Of a \"choice\": 1 to 255 strings, numbers or texts.", nil),
		bind.Def("FormRow.columns", ": any[]?", vm.Server, "Of a \"table\": the heads of 1 to 16 columns, as strings, numbers or texts.", nil),
		bind.Def("FormRow.rows", ": table[]?", vm.Server, "Of a \"table\": at most 255 rows, each a list of a string, number or text for each column.", nil),
		bind.Def("FormRow.look", ": SimObject?", vm.Server, "Of a \"look\": a datablock.", nil),
		bind.Def("FormRow.picture", ": string?", vm.Server, "Of an \"image\": the name of a file in the folder pictures, without its ending.", nil),
	})
}

// formEvent is the event of the function done of a form.
const formEvent = "form"

// rowCost is the price of reading a row in instructions.
const rowCost = 20

// openForm shows a form. While files are loading it waits until the load succeeds, like commands.
func openForm(a bind.Call) int {
	c, x := a.Client(1), caller(a)
	t := a.Options(2, "name", "title", "rows", "done")
	done, ok := t.RawGetString("done").(*lua.LFunction)
	if !ok {
		a.Fail("done must be a function, not %s", bind.KindOf(t.RawGetString("done")))
	}
	r := formReader{a, x.scripts.readerOf(c)}
	f := form.Form{Name: r.text(t, "name", "name"), Title: r.text(t, "title", "title"), Rows: r.rows(t.RawGetString("rows"), form.MaxRows)}
	f.Clean()
	a.Check(f.Check())
	onceLoaded(a, func() error {
		return c.Forms().Open(a.Mod.Name, f, func(number uint32) {
			x.scripts.forms.open[formKey{c.ID(), number}] = openedForm{x, done}
		})
	})
	return 0
}

// onceLoaded does something when the load of files has succeeded, or now.
func onceLoaded(a bind.Call, do func() error) {
	world, report := caller(a).scripts.engine.World(), a.Check
	if world.InTransaction() {
		report = a.DeferredFailure()
	}
	world.OnCommit(func() {
		if err := do(); err != nil {
			report(err)
		}
	})
}

// A formReader reads the tables of a form, or of an element of the HUD, for somebody.
type formReader struct {
	bind.Call
	reads reader
}

// rows reads the list of at most max rows.
func (r formReader) rows(v lua.LValue, max int) []form.Row {
	list := r.list(v, "rows", max)
	rows := make([]form.Row, len(list))
	for i, v := range list {
		where := fmt.Sprintf("rows[%d]", i+1)
		t, ok := v.(*lua.LTable)
		if !ok {
			r.Fail("%s must be a table, not %s", where, bind.KindOf(v))
		}
		rows[i] = r.row(t, where)
	}
	return rows
}

// list reads a list of at most max values.
func (r formReader) list(v lua.LValue, what string, max int) []lua.LValue {
	t, ok := v.(*lua.LTable)
	if !ok {
		r.Fail("%s must be a list, not %s", what, bind.KindOf(v))
	}
	r.ChargeKeys(t)
	n := t.Len()
	if n > max {
		r.Fail("%s has %d elements: must be at most %d", what, n, max)
	}
	list := make([]lua.LValue, n)
	for i := range list {
		list[i] = t.RawGetInt(i + 1)
	}
	return list
}

// row reads a row.
func (r formReader) row(t *lua.LTable, where string) form.Row {
	r.ChargeKeys(t)
	r.Charge(rowCost)
	kind := r.kind(t.RawGetString("kind"), where)
	r.checkKeys(t, kind, where)
	row := form.Row{Kind: kind, Name: r.text(t, "name", where+".name"), Text: r.text(t, "text", where+".text")}
	switch kind {
	case form.Field:
		r.field(t, &row, where)
	case form.Choice:
		row.Choices, row.Value = r.texts(t, "choices", where, form.MaxChoices), r.number(t, "value", where, 0)
	case form.Slider:
		row.Min, row.Max = r.number(t, "min", where, 0), r.number(t, "max", where, 1)
		row.Step, row.Value = r.number(t, "step", where, 0), r.number(t, "value", where, row.Min)
	case form.Table:
		r.table(t, &row, where)
	case form.Bar:
		row.Value = r.number(t, "value", where, 0)
	case form.Look:
		row.Block = r.block(t.RawGetString("look"), where)
	case form.Image:
		row.Picture = r.picture(t.RawGetString("picture"), where)
	}
	return row
}

// kind reads the kind of a row.
func (r formReader) kind(v lua.LValue, where string) form.Kind {
	text, ok := v.(lua.LString)
	known := strings.Join(form.KindNames[:], ", ")
	if !ok {
		r.Fail("%s.kind must be one of %s, not %s", where, known, bind.KindOf(v))
	}
	i := slices.Index(form.KindNames[:], string(text))
	if i < 0 {
		hint := "must be one of " + known
		if near := spell.Nearest(string(text), form.KindNames[:]); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.Fail("%s.kind = %q: %s", where, vm.ClipText(string(text), form.MaxName), hint)
	}
	return form.Kind(i)
}

// checkKeys fails for a key that rows of a kind do not have.
func (r formReader) checkKeys(t *lua.LTable, kind form.Kind, where string) {
	wrong := ""
	vm.Each(t, func(k, _ lua.LValue) {
		if text, ok := k.(lua.LString); !ok || !slices.Contains(form.RowKeys[kind], string(text)) {
			wrong = vm.ClipText(vm.PlainText(k), form.MaxName)
		}
	})
	if wrong != "" {
		r.Fail("%s: %s has no %s: it has %s", where, kind.One(), wrong, strings.Join(form.RowKeys[kind], ", "))
	}
}

// field reads the rest of a field: of a number with min and max, else of a text.
func (r formReader) field(t *lua.LTable, row *form.Row, where string) {
	row.Integer = r.flag(t, "integer", where)
	if t.RawGetString("min") == lua.LNil && t.RawGetString("max") == lua.LNil {
		if row.Integer {
			r.Fail("%s: integer needs min and max", where)
		}
		row.Length = int(r.number(t, "length", where, 64))
		row.Input = r.text(t, "value", where+".value")
		return
	}
	row.Numeric, row.Min, row.Max = true, r.number(t, "min", where, 0), r.number(t, "max", where, 0)
	row.Value = r.number(t, "value", where, min(max(0, row.Min), row.Max))
}

// table reads the rest of a table.
func (r formReader) table(t *lua.LTable, row *form.Row, where string) {
	row.Choices, row.Value = r.texts(t, "columns", where, form.MaxColumns), r.number(t, "value", where, 0)
	for i, v := range r.list(t.RawGetString("rows"), where+".rows", form.MaxChoices) {
		line := fmt.Sprintf("%s.rows[%d]", where, i+1)
		cells := r.list(v, line, form.MaxColumns)
		if len(cells) != len(row.Choices) {
			r.Fail("%s has %d texts: must be %d, one for each column", line, len(cells), len(row.Choices))
		}
		for k, v := range cells {
			row.Cells = append(row.Cells, r.plain(v, fmt.Sprintf("%s[%d]", line, k+1)))
		}
	}
}

// texts reads a list of texts.
func (r formReader) texts(t *lua.LTable, key, where string, max int) (list []string) {
	for i, v := range r.list(t.RawGetString(key), where+"."+key, max) {
		list = append(list, r.plain(v, fmt.Sprintf("%s.%s[%d]", where, key, i+1)))
	}
	return list
}

// text reads a text, "" if there is none.
func (r formReader) text(t *lua.LTable, key, where string) string {
	v := t.RawGetString(key)
	if v == lua.LNil {
		return ""
	}
	return r.plain(v, where)
}

// plain reads a string, a number or a tag, or a text in the language of the client.
func (r formReader) plain(v lua.LValue, where string) string {
	if t := textOf(v); t != nil {
		r.Charge(t.parts)
		text := t.finish(r.reads)
		r.ChargeString(len(text))
		return text
	}
	is, err := bind.FromLua(v)
	switch is.Kind() {
	case sim.KindString, sim.KindTag, sim.KindNumber:
	default:
		err = fmt.Errorf("no text")
	}
	if err != nil {
		r.Fail("%s must be a text, not %s", where, bind.KindOf(v))
	}
	text := is.Print(nil)
	r.ChargeString(len(text))
	return text
}

// number reads a number.
func (r formReader) number(t *lua.LTable, key, where string, otherwise float64) float64 {
	switch v := t.RawGetString(key).(type) {
	case *lua.LNilType:
		return otherwise
	case lua.LNumber:
		return float64(v)
	default:
		r.Fail("%s.%s must be a number, not %s", where, key, bind.KindOf(v))
		return 0
	}
}

// flag reads a boolean, false if there is none.
func (r formReader) flag(t *lua.LTable, key, where string) bool {
	v := t.RawGetString(key)
	if _, ok := v.(lua.LBool); v != lua.LNil && !ok {
		r.Fail("%s.%s must be true or false, not %s", where, key, bind.KindOf(v))
	}
	return v == lua.LTrue
}

// block reads the number of a datablock + 1.
func (r formReader) block(v lua.LValue, where string) int {
	is, err := bind.FromLua(v)
	if err == nil && is.Kind() == sim.KindObject {
		if b, ok := caller(r.Call).scripts.engine.World().Find(is.Object()).(sim.Datablock); ok {
			return int(b.Data().Index()) + 1
		}
	}
	r.Fail("%s.look must be a datablock, not %s", where, bind.KindOf(v))
	return 0
}

// picture returns the picture of the mod with a name.
func (r formReader) picture(v lua.LValue, where string) *picture.Picture {
	name, ok := v.(lua.LString)
	if !ok {
		r.Fail("%s.picture must be the name of a picture, not %s", where, bind.KindOf(v))
	}
	set := caller(r.Call).pictures
	p := set.Find(string(name))
	if p == nil {
		hint := ""
		if near := spell.Nearest(string(name), set.Names()); near != "" {
			hint = fmt.Sprintf(": did you mean %q?", near)
		}
		r.Fail("%s.picture = %q: the mod has no such file in its folder %s%s", where, vm.ClipText(string(name), pictures.MaxName), pictures.Folder, hint)
	}
	return p
}
