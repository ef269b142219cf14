package script

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// maxFirstLine is how many bytes of the first line of a chunk an error quotes.
const maxFirstLine = 60

// luaPrompt evaluates and completes Lua at the console.
type luaPrompt struct {
	operator *vm.Mod // the state of the console
	world    *sim.World
	env      *bind.Env
}

// eval runs a line in the console's own state, first as an expression, then as a chunk. out holds
// the values in Lua syntax.
func (p *luaPrompt) eval(chunk string) (out string, incomplete bool, err error) {
	fn, _, err := p.operator.CompileLine("console", chunk)
	if vm.Incomplete(err) {
		return "", true, nil
	}
	if first, _, several := strings.Cut(chunk, "\n"); err != nil && several {
		return "", false, fmt.Errorf("in the lines from %s on: %w", bind.Quote(truncate(first, maxFirstLine)), err)
	}
	if err != nil {
		return "", false, err
	}
	values, err := p.operator.Runtime.EnterEvent(vm.LineEvent, p.operator, fn, p.operator.Runtime.Limits().Line, nil)
	if err != nil {
		return "", false, err
	}
	return bind.NewPrinter().Values(values), false, nil
}

// completeLua completes the expression at the end of a line: globals and object names, and the
// members of a value that it finds without running Lua.
func (p *luaPrompt) completeLua(prefix string) []string {
	if strings.ContainsAny(prefix, ".:") {
		return p.completeMember(prefix)
	}
	words := p.operator.State.Names()
	words = append(words, "rootGroup", "clientGroup", "missionGroup", "dataBlockGroup")
	p.world.Each(nil, func(o sim.Object) bool {
		if n := o.Ident().Name(); n != "" {
			words = append(words, n)
		}
		return true
	})
	sort.Strings(words)
	return words
}

// completeMember lists the members of the value before the last dot or colon.
func (p *luaPrompt) completeMember(prefix string) (words []string) {
	path, ok := parsePath(prefix)
	if !ok {
		return nil
	}
	add := func(member string) { words = append(words, path.Stem+member) }
	switch v := p.valueAt(path).(type) {
	case *lua.LTable:
		for k, value := v.Next(lua.LNil); k != lua.LNil && len(words) < maxCompletions; k, value = v.Next(k) {
			name, named := k.(lua.LString)
			if _, isFunction := value.(*lua.LFunction); named && bind.IsName(string(name)) && (path.Sign == '.' || isFunction) {
				add(string(name))
			}
		}
	case *lua.LUserData:
		o := instanceOf(p.operator).values.Lookup(v)
		if o == nil {
			break
		}
		fields, methods := p.env.MembersOf(o)
		if path.Sign == '.' {
			for _, name := range fields {
				add(name)
			}
			break
		}
		for _, f := range methods {
			add(bind.MethodName(f))
		}
	}
	sort.Strings(words)
	return words
}

// valueAt returns the value of a path, or nil. It reads tables without metamethods.
func (p *luaPrompt) valueAt(path luaPath) lua.LValue {
	x := instanceOf(p.operator)
	v := p.operator.Global(path.Root)
	if v == lua.LNil {
		if v = x.undefined(path.Root); v == nil {
			v = x.values.ObjectOrNil(p.world.FindName(path.Root))
		}
	}
	for _, k := range path.Keys {
		switch of := v.(type) {
		case *lua.LTable:
			v = keyOf(of, k)
		case *lua.LUserData:
			v = pathMember(x.values, of, k)
		default:
			return nil
		}
	}
	return v
}

// RunFile runs a file in the console's state.
func (s *Scripts) RunFile(name, chunk string) (string, error) {
	fn, err := s.operator.Compile(name, chunk, true)
	if err != nil {
		return "", err
	}
	values, err := s.Runtime.EnterEvent(vm.LoadEvent, s.operator, fn, s.Runtime.Limits().Load, nil)
	return bind.NewPrinter().Values(values), err
}

// EvalLua runs a chunk in the console's state, for the option --eval.
func (s *Scripts) EvalLua(chunk string) (string, error) {
	out, incomplete, err := s.prompt.eval(chunk)
	if incomplete {
		err = errors.New("the chunk is unfinished")
	}
	return out, err
}

// maxCompletions is the number of keys of a table that Tab looks at.
const maxCompletions = 1000

func keyOf(t *lua.LTable, k pathKey) lua.LValue {
	switch k.Kind {
	case keyField:
		return t.RawGetString(k.Name)
	case keyIndex:
		return t.RawGet(lua.LNumber(k.Number))
	}
	return lua.LNil
}

// pathMember returns a field of an object, or a member of a group.
func pathMember(x *bind.Binding, u *lua.LUserData, k pathKey) lua.LValue {
	o := x.Lookup(u)
	if o == nil {
		return lua.LNil
	}
	if k.Kind == keyField {
		return bind.FieldValue(x, o, k.Name)
	}
	if g, ok := o.(bind.ObjectSet); ok && k.Kind == keyMethod && k.Name == "at" {
		if all := g.Members(nil); k.Number >= 1 && k.Number <= float64(len(all)) {
			return x.ObjectOrNil(all[int(k.Number)-1])
		}
	}
	return lua.LNil
}
