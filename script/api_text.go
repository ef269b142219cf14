package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// textLib has the functions for texts in the languages of the players.
func textLib() vm.Lib {
	return bind.Chapter("Texts in several languages", []bind.Row{
		bind.Def("text", "key: string, ...: any -> Text", vm.Server, "Returns the text of a key in texts/LANGUAGE.toml, for readers of every language. %1…%9 in it stand for the arguments, which can be texts too. Commands, and what base makes of them, send each client its own language and plural form. The last argument of a command can be a text with arguments: these follow it. A text without arguments has those that follow it in the command. tostring is English.", newText),
		bind.Def("isText", "x: any -> boolean", vm.Server, "Returns whether x is a value of text.", func(a bind.Call) int { return a.Return(lua.LBool(textOf(a.Get(1)) != nil)) }),
		bind.Def("textFor", "client: Client|integer, x: any -> string", vm.Server, "Returns a text as a client reads it, in its language and with the arguments filled in. Of any other value it returns tostring.", func(a bind.Call) int {
			c, s := a.Client(1), caller(a).scripts
			if t := textOf(a.Get(2)); t != nil {
				a.Charge(t.parts)
				return a.Text(t.finish(s.readerOf(c)))
			}
			return a.Text(a.Mod.State.Text(a.L, a.Get(2)))
		}),
		bind.Def("Text.key", ": string", vm.Server, "The key of the text.", nil),
	})
}

func newText(a bind.Call) int {
	key, x := a.String(1), caller(a)
	t := &textValue{tables: x.texts, key: key, parts: 1}
	if x.texts == nil {
		a.Fail("this mod has no file texts/en.toml")
	}
	e := x.texts.Table(texts.English).Entry(key)
	if e == nil {
		a.Fail("texts/en.toml has no key %q%s", truncate(key, texts.MaxKey), meantKey(key, x.texts))
	}
	if a.N() > 1+maxTextArgs {
		a.Fail("a text takes at most %d arguments, got %d", maxTextArgs, a.N()-1)
	}
	if wrong := e.TooFew(key, a.N()-1); wrong != "" {
		a.Fail("%s", wrong)
	}
	for i := 2; i <= a.N(); i++ {
		arg, err := textArgument(a, i)
		if err != nil {
			a.Fail("argument %d of the text %q: %s", i-1, key, err)
		}
		if arg.text != nil {
			t.parts += arg.text.parts
		}
		t.args = append(t.args, arg)
	}
	if t.parts > maxTextParts {
		a.Fail("a text can have at most %d texts in it", maxTextParts)
	}
	a.Charge(t.parts)
	return a.Return(x.textData(t))
}

// textArgument returns argument i of a call as that of a text.
func textArgument(a bind.Call, i int) (textArg, error) {
	if t := textOf(a.Get(i)); t != nil {
		return textArg{text: t}, nil
	}
	v, err := bind.FromLua(a.Get(i))
	switch {
	case err != nil:
		return textArg{}, err
	case v.Kind() == sim.KindObject:
		return textArg{value: v, name: v.Print(caller(a).scripts.engine)}, nil
	case v.Kind() == sim.KindTag && !v.Expanded():
		return textArg{}, fmt.Errorf("a tag is in one language: give its text, or another text")
	}
	return textArg{value: v}, nil
}

// meantKey suggests the nearest key.
func meantKey(key string, t *texts.Tables) string {
	if near := spell.Nearest(key, t.Keys()); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// textMeta is the metatable of texts.
var textMeta = []bind.Row{
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int {
		t := textArgOf(a, 1)
		a.Charge(t.parts)
		return a.Text(t.finish(caller(a).scripts.englishReader()))
	}),
	bind.Def("__eq", "", vm.Both, "", func(a bind.Call) int {
		x, y := textArgOf(a, 1), textArgOf(a, 2)
		a.Charge(x.parts)
		return a.Return(lua.LBool(x.equal(y)))
	}),
	bind.Def("__index", "", vm.Both, "", func(a bind.Call) int {
		t, name := textArgOf(a, 1), a.String(2)
		if name != "key" {
			a.Fail("a text has no %s, only key", bind.Quote(name))
		}
		return a.Text(t.key)
	}),
	bind.Def("__concat", "", vm.Both, "", func(a bind.Call) int {
		a.Fail("a text cannot be joined to a string, because its language is not known yet: give it to another text as an argument, or take textFor(client, text) or tostring(text)")
		return 0
	}),
}

// textArgOf returns argument i, a text.
func textArgOf(a bind.Call, i int) *textValue {
	t := textOf(a.Get(i))
	if t == nil {
		a.Wrong(i, "a text")
	}
	return t
}
