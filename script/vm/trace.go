package vm

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxTrace is the maximum number of levels in a traceback.
const maxTrace = 24

// frame describes one active call.
type frame struct {
	fn   *lua.LFunction
	pc   int // index of the next instruction
	tail int // calls that this frame replaced by tail calls
	dbg  *lua.Debug
}

// The VM exposes the function, line and name of a frame, but not its program counter and tail
// calls. Both are read by reflection and never written. The program counter tells a legal yield
// from a yield inside a metamethod. Without the number of tail calls, a loop of tail calls would
// make a traceback of a million lines.
var debugFrame, framePc, frameTail = func() (int, int, int) {
	d := reflect.TypeFor[lua.Debug]()
	f, ok := d.FieldByName("frame")
	if !ok {
		panic("BUG: the layout of gopher-lua's Debug has changed")
	}
	call := f.Type.Elem()
	pc, ok1 := call.FieldByName("Pc")
	tail, ok2 := call.FieldByName("TailCall")
	if !ok1 || !ok2 {
		panic("BUG: the layout of gopher-lua's call frame has changed")
	}
	return f.Index[0], pc.Index[0], tail.Index[0]
}()

// frames visits the active calls of a thread, innermost first, while visit returns true.
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

// traceback lists the Lua calls of a thread, innermost first. Each line is "\tfile:line in NAME".
func (s *State) traceback(l *lua.LState) string {
	var b strings.Builder
	shown := 0
	frames(l, func(f frame) bool {
		if s.isInternal(f.fn) || !f.fn.IsG && f.fn.Proto == trampoline {
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

// isInternal reports whether a function belongs to the host itself, so that no script called it by
// name.
func (s *State) isInternal(fn *lua.LFunction) bool {
	return fn.IsG && (fn == s.traced || fn == s.quiet || slices.Contains(s.guards[:], fn))
}

// name returns the name that the caller used for the function, or the line of its definition.
func (f frame) name() string {
	switch {
	case f.fn.IsG:
		return ClipText(f.dbg.Name, MaxQuoted)
	case f.fn.Proto.LineDefined == 0:
		return "the file"
	// These are gopher-lua's names for a first frame.
	case isLetter(f.dbg.Name[0]) && f.dbg.Name != "corountine" && f.dbg.Name != "main chunk":
		return ClipText(f.dbg.Name, MaxQuoted)
	}
	return fmt.Sprintf("the function of line %d", f.fn.Proto.LineDefined)
}

// CallerPosition returns "file:line: " of the call at level, or "". Level 1 is the function that called the
// current Go function.
func CallerPosition(l *lua.LState, level int) string {
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

// MaxQuoted and maxQuotedTotal limit how many bytes of script text an error quotes: of one name or
// argument, and in total.
const MaxQuoted, maxQuotedTotal = 100, 2000

// ClipText shortens a text to its first most bytes for an error message.
func ClipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
