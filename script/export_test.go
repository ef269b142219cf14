package script

import (
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// CommandNames returns the commands that loaded mods handle, in lower case: those from clients if
// server is true, else those from the server. The types are those of allowCommand, nil without it.
func (s *Scripts) CommandNames(server bool) map[string][]sim.ValueKind {
	list := map[string][]sim.ValueKind{}
	for _, m := range s.Runtime.Mods {
		t := &instanceOf(m).client
		if server {
			t = &instanceOf(m).server
		}
		for _, name := range slices.Sorted(maps.Keys(t.global)) {
			if t.find(m, name) != nil && list[name] == nil {
				list[name] = nil
			}
			if r := t.rules[name]; r != nil {
				for _, a := range r.Args {
					list[name] = append(list[name], a.Kind)
				}
			}
		}
	}
	return list
}

// ChosenOnce reports whether clients of one language share what a broadcast of a text has chosen.
func (s *Scripts) ChosenOnce(mod, key string) bool {
	m := commandMessage{values: []sim.Value{sim.Nil()}, texts: []*textValue{{tables: instanceOf(s.Runtime.Mod(mod)).texts, key: key, parts: 1}}}
	b := byLanguage{message: &m, scripts: s}
	first, again := b.forClient(new(engine.Connection)), b.forClient(new(engine.Connection))
	return &first[0] == &again[0]
}

// LiftRates removes the rate limits of all commands.
func (s *Scripts) LiftRates() {
	for _, m := range s.Runtime.Mods {
		for _, t := range []*commandTable{&instanceOf(m).server, &instanceOf(m).client} {
			for _, r := range t.rules {
				r.Rate = 0
			}
		}
	}
}

// MaxPostponed is the number of events of one peer that wait in a tick. The engine offers each of
// them twice.
const MaxPostponed = maxPostponed
