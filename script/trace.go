package script

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxTrace is how many levels a traceback shows.
const maxTrace = 24

// frame is one call in progress, seen from outside.
type frame struct {
	fn   *lua.LFunction
	pc   int // of the next instruction
	tail int // calls that ended in this one by tail calls
	dbg  *lua.Debug
}

// The VM shows a frame's function, line and name but neither its program counter nor its tail calls. Both are read
// by reflection (never written): without the first a yield inside a metamethod cannot be told from a legal one,
// without the second a loop of tail calls makes a traceback of a million lines.
var debugFrame, framePc, frameTail = func() (int, int, int) {
	d := reflect.TypeFor[lua.Debug]()
	f, ok := d.FieldByName("frame")
	if !ok {
		panic("BUG: gopher-lua's Debug has no frame")
	}
	call := f.Type.Elem()
	pc, ok1 := call.FieldByName("Pc")
	tail, ok2 := call.FieldByName("TailCall")
	if !ok1 || !ok2 {
		panic("BUG: gopher-lua's call frame has another shape")
	}
	return f.Index[0], pc.Index[0], tail.Index[0]
}()

// frames visits the calls of a thread, innermost first, while visit says true.
func frames(l *lua.LState, visit func(frame) bool) {
	for level := 0; ; {
		d, ok := l.GetStack(level)
		if !ok {
			return
		}
		v := reflect.ValueOf(d).Elem().Field(debugFrame).Elem()
		f := frame{pc: int(v.Field(framePc).Int()), dbg: d}
		fn, err := l.GetInfo("f", d, lua.LNil)
		if err != nil {
			return
		}
		f.fn = fn.(*lua.LFunction)
		if !f.fn.IsG {
			f.tail = int(v.Field(frameTail).Int())
		}
		if !visit(f) {
			return
		}
		level += 1 + f.tail
	}
}

// traceback lists the Lua calls of a thread, innermost first: one line each, "\tfile:line in NAME".
func (s *State) traceback(l *lua.LState) string {
	var b strings.Builder
	shown := 0
	frames(l, func(f frame) bool {
		if s.unseen(f.fn) || !f.fn.IsG && f.fn.Proto == trampoline {
			return true
		}
		if shown++; shown > maxTrace {
			b.WriteString("\t...\n")
			return false
		}
		_, _ = l.GetInfo("Sln", f.dbg, lua.LNil)
		if f.fn.IsG {
			fmt.Fprintf(&b, "\t[Go] in %s\n", f.name())
		} else {
			fmt.Fprintf(&b, "\t%s:%d in %s\n", f.dbg.Source, f.dbg.CurrentLine, f.name())
		}
		if f.tail > 0 {
			b.WriteString("\t(tail calls)\n")
		}
		return true
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// unseen reports whether a function is machinery of the host, which no script has called by a name.
func (s *State) unseen(fn *lua.LFunction) bool {
	return fn.IsG && (fn == s.traced || fn == s.quiet || slices.Contains(s.guards[:], fn))
}

// name is what the caller calls the function, or where it was written.
func (f frame) name() string {
	switch {
	case f.fn.IsG:
		return brief(f.dbg.Name, maxNamed)
	case f.fn.Proto.LineDefined == 0:
		return "the file"
	case isLetter(f.dbg.Name[0]) && f.dbg.Name != "corountine" && f.dbg.Name != "main chunk": // upstream's words for a first frame
		return brief(f.dbg.Name, maxNamed)
	}
	return fmt.Sprintf("the function of line %d", f.fn.Proto.LineDefined)
}

// where is "file:line: " of the call at level (1: the function that called the Go function in progress), or "".
func where(l *lua.LState, level int) string {
	text := ""
	frames(l, func(f frame) bool {
		if level > 0 {
			level--
			return true
		}
		if f.fn.IsG {
			return false
		}
		_, _ = l.GetInfo("Sl", f.dbg, lua.LNil)
		text = fmt.Sprintf("%s:%d: ", f.dbg.Source, f.dbg.CurrentLine)
		return false
	})
	return text
}

// How many bytes of a script's making an error tells: of one name or argument, and in all.
const maxNamed, maxTold = 100, 2000

// brief is a text as errors tell it: its first most bytes.
func brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
