package script

import (
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/texts"
)

// Limits of a text value.
const (
	maxTextArgs  = 9    // %1…%9
	maxTextParts = 32   // texts in a text, with itself
	maxFinished  = 1024 // bytes of a text with its arguments filled in, as of an expanded tag
)

// A textValue is a text of a mod's tables with its arguments, for readers of any language. It never
// changes, so it can go to other mods.
type textValue struct {
	tables *texts.Tables
	key    string
	args   []textArg
	parts  int // texts in it, with itself
}

// A textArg is an argument of a text. The name of an object is that of the time of the call: so two
// equal texts show the same.
type textArg struct {
	value sim.Value
	name  string     // of an object or a client
	text  *textValue // instead of a value
}

// Kind implements bind.Kinded.
func (t *textValue) Kind() string { return "a text" }

// Literal implements bind.Written.
func (t *textValue) Literal() string { return "text " + bind.Quote(t.key) }

// Send implements bind.Sendable. Commands choose the text of a reader before they come here.
func (t *textValue) Send() (sim.Value, error) {
	return sim.Nil(), errors.New("a text has no language here: tostring(text) is English, and textFor(client, text) is what a player reads")
}

// In implements bind.Portable.
func (t *textValue) In(x *bind.Binding) lua.LValue { return instanceOf(x.Mod).textData(t) }

// textData returns a text as a value of this state. A text without arguments is always the same
// userdata, so comparing it is cheap.
func (x *instance) textData(t *textValue) *lua.LUserData {
	if len(t.args) > 0 {
		return x.values.Userdata(t, x.meta.text)
	}
	k := textKey{t.tables, t.key}
	u := x.plainTexts[k]
	if u == nil {
		if len(x.plainTexts) >= 2*texts.MaxKeys { // texts of mods that have been reloaded
			clear(x.plainTexts)
		}
		u = x.values.Userdata(t, x.meta.text)
		x.plainTexts[k] = u
	}
	return u
}

// textKey identifies a text without arguments.
type textKey struct {
	tables *texts.Tables
	key    string
}

// textOf returns the text that a value is, or nil.
func textOf(v lua.LValue) *textValue {
	if u, ok := v.(*lua.LUserData); ok {
		t, _ := u.Value.(*textValue)
		return t
	}
	return nil
}

// equal reports whether two texts read the same in every language.
func (t *textValue) equal(o *textValue) bool {
	if t == o {
		return true
	}
	if t.tables != o.tables || t.key != o.key || len(t.args) != len(o.args) {
		return false
	}
	for i, a := range t.args {
		b := o.args[i]
		switch {
		case (a.text == nil) != (b.text == nil), a.value != b.value, a.name != b.name:
			return false
		case a.text != nil && !a.text.equal(b.text):
			return false
		}
	}
	return true
}

// print returns an argument as a finished text has it.
func (a *textArg) print(r reader) string {
	switch {
	case a.text != nil:
		return a.text.finish(r)
	case a.name != "":
		return texts.Plain(a.name)
	}
	return texts.Plain(a.value.Print(r.engine))
}

// A reader is for whom texts are chosen.
type reader struct {
	language string
	isolates bool // names of the other direction stand in isolates
	engine   *engine.Host
}

// englishReader is who reads the log and the consoles.
func (s *Scripts) englishReader() reader { return reader{language: texts.English, engine: s.engine} }

// readerOf returns the reader that a client is.
func (s *Scripts) readerOf(c *engine.Connection) reader {
	return reader{language: c.Language(), isolates: true, engine: s.engine}
}

// wording returns the text of the tables for a reader: %n stand for the arguments. printed returns
// argument n, which an isolate can need, and counted the number that it is.
func (t *textValue) wording(r reader, counted func(n int) (float64, bool), printed func(n int) string) string {
	table, e := t.tables.Find(t.key, r.language)
	if e == nil {
		return t.key // the tables of another version, without this key
	}
	form := table.Form(e, 0, false)
	if e.Plural() {
		n, ok := counted(e.Count)
		form = table.Form(e, n, ok)
	}
	if !r.isolates {
		return form
	}
	which := texts.PlacesOf(form)
	for n := 1; n <= maxTextArgs; n++ {
		if bit := texts.Places(1) << n; which&bit != 0 && !table.NeedsIsolate(printed(n)) {
			which &^= bit
		}
	}
	if which == 0 {
		return form
	}
	return texts.Isolate(form, which)
}

// ownWording is wording with the arguments of the text itself. The arguments are filled in later.
func (t *textValue) ownWording(r reader) string {
	return t.wording(r, t.counted, func(n int) string {
		if n > len(t.args) {
			return ""
		}
		return t.args[n-1].print(r)
	})
}

// counted returns argument n as a number.
func (t *textValue) counted(n int) (float64, bool) {
	if n > len(t.args) || t.args[n-1].value.Kind() != sim.KindNumber {
		return 0, false
	}
	return t.args[n-1].value.Number(), true
}

// finish returns the text for a reader with its arguments filled in.
func (t *textValue) finish(r reader) string {
	b := sim.Substitute(nil, t.ownWording(r), maxFinished, func(n int) string {
		if n > len(t.args) {
			return ""
		}
		return t.args[n-1].print(r)
	})
	return truncate(string(b), maxFinished)
}

// A commandMessage is the arguments of a command, with the texts among them.
type commandMessage struct {
	values []sim.Value  // nil for a text
	texts  []*textValue // by place; nil without texts
}

// in returns the arguments for a reader. The last argument is followed by its own arguments, if it
// is a text, so that the client fills them in: the text crosses the connection once. Any other text
// is finished here. A text without arguments of its own has those that follow it.
func (m *commandMessage) in(r reader) []sim.Value {
	if m.texts == nil {
		return m.values
	}
	out := make([]sim.Value, len(m.values), len(m.values)+maxTextArgs)
	copy(out, m.values)
	for i, t := range m.texts {
		switch {
		case t == nil:
		case len(t.args) == 0:
			out[i] = sim.Tag(m.wordingAt(i, r))
		case i < len(m.texts)-1:
			out[i] = sim.String(t.finish(r))
		default:
			out[i] = sim.Tag(t.ownWording(r))
			for _, a := range t.args {
				out = append(out, a.send(r))
			}
		}
	}
	return out
}

// send returns an argument of a text as it follows a tag.
func (a *textArg) send(r reader) sim.Value {
	switch {
	case a.text != nil && len(a.text.args) == 0:
		return sim.Tag(a.text.ownWording(r))
	case a.text != nil:
		return sim.String(a.text.finish(r))
	case a.value.Kind() == sim.KindString:
		return sim.String(texts.Plain(a.value.Text()))
	}
	return a.value
}

// wordingAt returns the text at a place for a reader. It has the arguments of the command that
// follow.
func (m *commandMessage) wordingAt(i int, r reader) string {
	value := func(n int) (sim.Value, bool) {
		if i+n >= len(m.values) || m.texts[i+n] != nil {
			return sim.Nil(), false
		}
		return m.values[i+n], true
	}
	return m.texts[i].wording(r, func(n int) (float64, bool) {
		v, _ := value(n)
		return v.Number(), v.Kind() == sim.KindNumber
	}, func(n int) string {
		switch v, _ := value(n); v.Kind() {
		case sim.KindString, sim.KindTag, sim.KindClient:
			return v.Text()
		case sim.KindObject:
			return v.Print(r.engine)
		}
		return ""
	})
}

// byLanguage chooses the arguments of a command once for each language.
type byLanguage struct {
	message *commandMessage
	scripts *Scripts
	chosen  map[string][]sim.Value
}

// forClient returns the arguments for a client.
func (b *byLanguage) forClient(c *engine.Connection) []sim.Value {
	if b.message.texts == nil {
		return b.message.values
	}
	args, known := b.chosen[c.Language()]
	if !known {
		if b.chosen == nil {
			b.chosen = map[string][]sim.Value{}
		}
		args = b.message.in(b.scripts.readerOf(c))
		b.chosen[c.Language()] = args
	}
	return args
}

// textFor returns the text of a value for a client, "" of nil.
func (s *Scripts) textFor(c *engine.Connection, v lua.LValue) string {
	if t := textOf(v); t != nil {
		return t.finish(s.readerOf(c))
	}
	return bind.TextOf(v)
}

// answerText is joinText for a client.
func (s *Scripts) answerText(c *engine.Connection, values []lua.LValue) string {
	var lines []string
	for _, v := range values {
		if t := textOf(v); t != nil {
			lines = append(lines, t.finish(s.readerOf(c)))
		} else if v != lua.LNil {
			lines = append(lines, resultText(v))
		}
	}
	return strings.Join(lines, "\n")
}
