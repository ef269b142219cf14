package script

import (
	"errors"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// eval runs a line in the console's own state, first as an expression, then as a chunk. out holds
// the values in Lua syntax.
func (s *Scripts) eval(chunk string) (out string, incomplete bool, err error) {
	fn, _, err := s.operator.CompileLine("console", chunk)
	if vm.Incomplete(err) {
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	values, err := s.EnterEvent(vm.LineEvent, s.operator, fn, s.Limits().Line, nil)
	if err != nil {
		return "", false, err
	}
	return showValues(values), false, nil
}

// RunFile runs a file in the console's state.
func (s *Scripts) RunFile(name, chunk string) (string, error) {
	fn, err := s.operator.Compile(name, chunk, true)
	if err != nil {
		return "", err
	}
	values, err := s.EnterEvent(vm.LoadEvent, s.operator, fn, s.Limits().Load, nil)
	return showValues(values), err
}

// EvalLua runs a chunk in the console's state, for the option --eval.
func (s *Scripts) EvalLua(chunk string) (string, error) {
	out, incomplete, err := s.eval(chunk)
	if incomplete {
		err = errors.New("the chunk is unfinished")
	}
	return out, err
}

// showValues returns values in Lua syntax, separated by tabs.
func showValues(values []lua.LValue) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = luaLiteral(v)
	}
	return strings.Join(words, "\t")
}

// completeLua completes the last word of a line: globals, object names, methods after ":" and
// fields after ".".
func (s *Scripts) completeLua(prefix string) []string {
	if i := strings.LastIndexAny(prefix, ".:"); i == 0 {
		return nil // a member of an expression; completion must not run it
	} else if i > 0 {
		return s.completeMember(prefix[:i], prefix[i:i+1])
	}
	words := s.operator.State.Names()
	words = append(words, "rootGroup", "clientGroup", "missionGroup", "dataBlockGroup")
	s.engine.World().Each(nil, func(o sim.Object) bool {
		if n := o.Ident().Name(); n != "" {
			words = append(words, n)
		}
		return true
	})
	sort.Strings(words)
	return words
}

// completeMember lists the completions "name.field" or "name:method" of an object or a table.
func (s *Scripts) completeMember(name, sep string) []string {
	var words []string
	add := func(member string) { words = append(words, name+sep+member) }
	if t, ok := s.operator.Global(name).(*lua.LTable); ok {
		t.ForEach(func(k, _ lua.LValue) { add(k.String()) })
	}
	if o := s.objectNamed(name); o != nil {
		if sep == "." {
			for _, f := range o.Ident().Class().AllFields() {
				add(f.Name)
			}
			for _, p := range []string{"id", "name", "className", "own", "group"} {
				add(p)
			}
		} else {
			for _, name := range s.methodsOf(o) {
				add(name)
			}
		}
	}
	sort.Strings(words)
	return words
}

// objectNamed finds the object for a word of a line: a handle in a global of the console, or an
// object's name.
func (s *Scripts) objectNamed(name string) sim.Object {
	x := bindingOf(s.operator)
	v := s.operator.Global(name)
	if v == lua.LNil {
		if u := x.undefined(name); u != nil {
			v = u
		}
	}
	if u, ok := v.(*lua.LUserData); ok {
		if o := x.lookup(u); o != nil {
			return o
		}
	}
	return s.engine.World().FindName(name)
}
