package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// A settingValue is the value of a setting: a number, a boolean or a string, like its default.
type settingValue struct {
	number  float64
	whole   int
	boolean bool
	text    string
	value   console.VarValue
	changed func() // calls the mod after a change; nil: no callback
}

// maxWhole is the largest integer up to which Lua numbers are exact.
const maxWhole = 1 << 53

func setting(a bind.Call) int {
	name := a.String(1)
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: "setting", Params: "options: {default: any, min: number?, max: number?, integer: boolean?, choices: string[]?, description: string?, changed: function?}", Realm: vm.Both, Fn: func(a bind.Call) int {
		return bindSetting(a, name, a.Options(1, "default", "min", "max", "integer", "choices", "description", "changed"))
	}}))
}

func bindSetting(a bind.Call, name string, t *lua.LTable) int {
	a.Charge(bind.MakeCost)
	checkConsoleName(a, name)
	v := settingOf(a, t)
	x := caller(a)
	switch fn := t.RawGetString("changed").(type) {
	case *lua.LNilType:
	case *lua.LFunction:
		v.changed = func() {
			if !x.disabled {
				x.scripts.dispatch.call(x.mod, "setting "+name, fn, anyToLua(console.Any(v.value)))
			}
		}
	default:
		a.Fail("changed must be a function, not %s", bind.KindOf(fn))
	}
	help := ""
	if d := t.RawGetString("description"); d != lua.LNil {
		help = bind.TextOf(d)
	}
	a.Check(x.scripts.console.Bind(console.Var{Name: name, Help: help, Value: v}))
	x.scripts.settings.registered[name] = a.Mod
	x.scripts.settings.resume(a.Mod, name, v.value)
	return a.Return(x.values.Userdata(v, x.meta.setting))
}

// settingOf makes a setting with the type of its default. The default must be in range.
func settingOf(a bind.Call, t *lua.LTable) *settingValue {
	v, lo, hi := &settingValue{}, math.Inf(-1), math.Inf(1)
	readLimit(a, t, "min", &lo)
	readLimit(a, t, "max", &hi)
	onlyFor(a, t, lua.LTNumber, "min", "max", "integer")
	onlyFor(a, t, lua.LTString, "choices")
	switch d := t.RawGetString("default").(type) {
	case lua.LNumber:
		if t.RawGetString("integer") == lua.LTrue {
			v.value = console.Int(&v.whole, int(max(math.Ceil(lo), -maxWhole)), int(min(math.Floor(hi), maxWhole)))
		} else {
			v.value = console.Float(&v.number, lo, hi)
		}
	case lua.LBool:
		v.value = console.Bool(&v.boolean)
	case lua.LString:
		v.value = console.String(&v.text)
		if choices := t.RawGetString("choices"); choices != lua.LNil {
			v.value = console.Enum(&v.text, choiceList(a, choices)...)
		}
	default:
		a.Fail("default must be a number, a boolean or a string, not %s", bind.KindOf(d))
	}
	if err := v.value.Set(plainLiteral(t.RawGetString("default"))); err != nil {
		a.Fail("default %s", err)
	}
	return v
}

// readLimit reads an end of a numeric range into to, if the option is present.
func readLimit(a bind.Call, t *lua.LTable, key string, to *float64) {
	switch n := t.RawGetString(key).(type) {
	case *lua.LNilType:
	case lua.LNumber:
		*to = float64(n)
	default:
		a.Fail("%s must be a number, not %s", key, bind.KindOf(n))
	}
}

// onlyFor fails if options do not apply to the type of the default.
func onlyFor(a bind.Call, t *lua.LTable, kind lua.LValueType, keys ...string) {
	d := t.RawGetString("default")
	for _, key := range keys {
		if t.RawGetString(key) != lua.LNil && d.Type() != kind {
			a.Fail("%s needs a default of type %s, not %s", key, kind, bind.KindOf(d))
		}
	}
}

// choiceList returns the strings of a list.
func choiceList(a bind.Call, v lua.LValue) []string {
	t, ok := v.(*lua.LTable)
	if !ok {
		a.Fail("choices must be a list of strings, not %s", bind.KindOf(v))
	}
	var words []string
	for i := 1; i <= t.Len(); i++ {
		word, ok := t.RawGetInt(i).(lua.LString)
		if !ok {
			a.Fail("choices must be strings, not %s", bind.KindOf(t.RawGetInt(i)))
		}
		words = append(words, string(word))
	}
	if len(words) == 0 {
		a.Fail("choices must not be empty")
	}
	return words
}

func (v *settingValue) String() string { return v.value.String() }

// Any returns the value for Lua.
func (v *settingValue) Any() any { return console.Any(v.value) }

// Range describes the valid values.
func (v *settingValue) Range() string { return v.value.(console.RangedValue).Range() }

// Choices lists the valid values for completion.
func (v *settingValue) Choices() []string {
	if chosen, ok := v.value.(console.ChoiceValue); ok {
		return chosen.Choices()
	}
	return nil
}

// Check returns the error of Set, without a call of changed.
func (v *settingValue) Check(text string) error {
	before := *v
	defer func() { *v = before }()
	return v.value.Set(text)
}

// Set sets the value, and calls changed if the value is new.
func (v *settingValue) Set(text string) error {
	before := v.value.String()
	if err := v.value.Set(text); err != nil {
		return err
	}
	if v.changed != nil && v.value.String() != before {
		v.changed()
	}
	return nil
}

var settingMeta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", func(a bind.Call) int { return a.Return(anyToLua(console.Any(settingArg(a).value))) }),
	bind.Def("__newindex", "", vm.Both, "", func(a bind.Call) int {
		a.Check(settingArg(a).Set(settingText(a, 3)))
		return 0
	}),
}

// settingArg returns argument 1. Argument 2 must be "value", the only field of a setting.
func settingArg(a bind.Call) *settingValue {
	v, ok := bind.DataArg[*settingValue](a, 1)
	if !ok {
		a.Wrong(1, "a setting")
	}
	if key := a.String(2); key != "value" {
		a.Fail("a setting has only the field value, not %q", key)
	}
	return v
}

// settingText returns argument i as the text to set a console variable to.
func settingText(a bind.Call, i int) string {
	v, err := bind.FromLua(a.Get(i))
	switch v.Kind() {
	case sim.KindBool, sim.KindNumber, sim.KindString, sim.KindTag:
		if err == nil {
			return v.String()
		}
	}
	a.Fail("a variable must be set to a number, a boolean or a string, not %s", bind.KindOf(a.Get(i)))
	return ""
}

func (*settingValue) Kind() string { return "a setting" }
