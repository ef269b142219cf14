package vm

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm/stack"
)

// maxTrace is the maximum number of levels in a traceback.
const maxTrace = 24

// Traceback lists the Lua calls of a thread that waits, as in Error.Traceback.
func (s *State) Traceback(l *lua.LState) string { return s.traceback(l) }

// traceback lists the Lua calls of a thread, innermost first. Each line is "\tfile:line in NAME".
func (s *State) traceback(l *lua.LState) string {
	var b strings.Builder
	shown := 0
	stack.Visit(l, func(f stack.Frame) bool {
		if s.isInternal(f.Fn) || !f.Fn.IsG && f.Fn.Proto == trampoline {
			return true
		}
		if shown++; shown > maxTrace {
			b.WriteString("\t...\n")
			return false
		}
		_, _ = l.GetInfo("Sln", f.Debug, lua.LNil)
		if f.Fn.IsG {
			fmt.Fprintf(&b, "\t[Go] in %s\n", FunctionName(f))
		} else {
			fmt.Fprintf(&b, "\t%s:%d in %s\n", f.Debug.Source, f.Debug.CurrentLine, FunctionName(f))
		}
		if f.Tail > 0 {
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

// FunctionName returns the name that the caller used for the function, or the line of its
// definition.
func FunctionName(f stack.Frame) string {
	switch {
	case f.Fn.IsG:
		return ClipText(f.Debug.Name, MaxQuoted)
	case f.Fn.Proto.LineDefined == 0:
		return "the file"
	// These are gopher-lua's names for a first frame.
	case isLetter(f.Debug.Name[0]) && f.Debug.Name != "corountine" && f.Debug.Name != "main chunk":
		return ClipText(f.Debug.Name, MaxQuoted)
	}
	return fmt.Sprintf("the function of line %d", f.Fn.Proto.LineDefined)
}

// CallerPosition returns "file:line: " of the call at level, or "". Level 1 is the function that
// called the current Go function.
func CallerPosition(l *lua.LState, level int) string {
	text, _ := positionAt(l, level)
	return text
}

// errorPosition is CallerPosition for an error. A level above the calls of an entry continues in
// the mod that called it: the call of the export and the function have one level, as in one mod.
func (h *Runtime) errorPosition(l *lua.LState, level int) string {
	for depth := len(h.chain) - 1; ; depth-- {
		text, beyond := positionAt(l, level)
		if e := &h.entries[depth]; beyond == 0 || l != e.Thread || e.Caller == nil {
			return text
		}
		l, level = h.entries[depth].Caller, beyond
	}
}

// positionAt returns the position of the call at level. beyond is the number of levels above the
// outermost call of the thread, 0 if the thread has the call.
func positionAt(l *lua.LState, level int) (text string, beyond int) {
	beyond = level + 1
	stack.Visit(l, func(f stack.Frame) bool {
		beyond--
		if level > 0 {
			level--
			return true
		}
		if f.Fn.IsG {
			return false
		}
		_, _ = l.GetInfo("Sl", f.Debug, lua.LNil)
		text = fmt.Sprintf("%s:%d: ", f.Debug.Source, f.Debug.CurrentLine)
		return false
	})
	return text, beyond
}

// MaxQuoted and maxQuotedTotal limit how many bytes of script text an error quotes: of one name or
// argument, and in total.
const MaxQuoted, maxQuotedTotal = 100, 2000

// ClipText shortens a text to its first most bytes for an error message, or to fewer if these would
// end within a character. Bytes that are not UTF-8 stay.
func ClipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for range utf8.UTFMax - 1 {
		if most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
	}
	return text[:most] + "…"
}
