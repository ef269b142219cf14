package script

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// bindConsole registers Lua as the console's evaluator and adds the commands of package script.
func (s *Scripts) bindConsole() error {
	commands := slices.Concat(s.grantCommands(), s.modCommands(), s.topCommands())
	if s.Side == vm.Server {
		commands = append(commands, s.missionCommand())
		commands = append(commands, s.storeCommands()...)
	} else {
		commands = append(commands, s.hudCommand())
	}
	for _, c := range commands {
		if err := s.console.Register(c); err != nil {
			return err
		}
	}
	if err := s.console.Bind(s.watchVar()); err != nil {
		return err
	}
	s.console.SetEval(s.eval)
	s.console.SetEvalFile(s.RunFile)
	s.console.SetComplete(s.completeLua)
	s.console.SetExplain(s.Help)
	return nil
}

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

func luaLiteral(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return quoteLua(string(v))
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case tag:
			return "tag " + quoteLua(d.value.Text())
		case sim.Vec3:
			return fmt.Sprintf("vec(%.14g, %.14g, %.14g)", d.X, d.Y, d.Z)
		case sim.Rot:
			return fmt.Sprintf("rot(%.14g, %.14g, %.14g)", d.Yaw, d.Pitch, d.Roll)
		case handle:
			return fmt.Sprintf("object %d", d.id)
		case classRef:
			return "class " + quoteLua(d.name)
		}
		return strings.TrimPrefix(kindOfUserData(v.Value), "a ")
	case *lua.LTable:
		return fmt.Sprintf("table: %d", v.Len())
	case *lua.LFunction:
		return "function"
	}
	return plainLiteral(v)
}

func plainLiteral(v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return vm.NumberText(float64(n))
	}
	return v.String()
}

// quoteLua returns s as a Lua string literal on one line.
func quoteLua(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
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
		s.operator.State.RealTable(t).ForEach(func(k, _ lua.LValue) { add(k.String()) })
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
