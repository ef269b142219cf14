package script

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/vm"
)

// modSettings holds the console names of mods, and values of settings that are not declared now.
type modSettings struct {
	console    *console.Console
	caps       *caps
	warn       func(text string)
	registered map[string]*vm.Mod           // console commands and variables of mods
	kept       map[string]map[string]string // setting values of unloaded and replaced mods, by mod and setting
	expected   map[string]string            // values of settings that no mod has declared yet, by setting
}

func newModSettings(c *console.Console, caps *caps, warn func(string)) *modSettings {
	return &modSettings{
		console: c, caps: caps, warn: warn,
		registered: map[string]*vm.Mod{}, kept: map[string]map[string]string{}, expected: map[string]string{},
	}
}

// detach takes the console names of a mod from the console. restore gives them back.
func (t *modSettings) detach(m *vm.Mod) (restore func()) {
	names := t.namesOf(m)
	putBack := t.console.Detach(names...)
	return func() {
		putBack()
		for _, name := range names {
			t.registered[name] = m
		}
	}
}

// keep records the changed values of a mod's settings. resume restores them when the settings are
// declared again. A reload that fails leaves the records: the settings are back, and the next keep
// writes them anew before anything reads them.
func (t *modSettings) keep(m *vm.Mod) {
	values := t.kept[m.Name]
	for _, name := range t.namesOf(m) {
		if !t.console.Changed(name) {
			delete(values, name)
			delete(t.expected, name)
			continue
		}
		if values == nil {
			values = map[string]string{}
			t.kept[m.Name] = values
		}
		if _, again := values[name]; again || len(values) < t.caps.names {
			_, v := t.console.Lookup(name)
			values[name] = v.Value.String()
		}
	}
}

// resume sets a newly declared setting to its previous or expected value, if the value is valid.
func (t *modSettings) resume(m *vm.Mod, name string, v console.VarValue) {
	text, known := t.kept[m.Name][name]
	if !known {
		text, known = t.expected[name]
	}
	if !known {
		return
	}
	if err := v.Set(text); err != nil {
		t.warn(fmt.Sprintf("%s: %s cannot be %s and is %s: it %s", m.Name, name, console.Quote(text), console.Show(v), err))
	}
}

// namesOf returns the console names of a mod, sorted.
func (t *modSettings) namesOf(m *vm.Mod) []string {
	var list []string
	for name, by := range t.registered {
		if by == m {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Expect sets the initial value of a setting that no mod has declared yet. The value replaces the
// default when a mod declares the setting.
func (s *Scripts) Expect(setting, text string) { s.settings.expected[setting] = text }

// Unexpect removes the initial value of a setting that no mod has declared yet.
func (s *Scripts) Unexpect(setting string) { delete(s.settings.expected, setting) }
