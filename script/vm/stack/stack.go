// Package stack reads the call stacks of gopher-lua's threads.
package stack

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// Frame describes one active call.
type Frame struct {
	Fn    *lua.LFunction
	PC    int // index of the next instruction; of a Lua function only
	Tail  int // calls that this frame replaced by tail calls
	Index int // number of frames below this one
	Debug *lua.Debug
}

// The VM exposes the function, line and name of a frame, but not its program counter, tail calls
// and place. They are read by reflection and never written. The program counter tells a legal yield
// from a yield inside a metamethod. Without the number of tail calls, a loop of tail calls would
// make a traceback of a million lines.
var debugFrame, framePC, frameTail, frameIndex = func() (int, int, int, int) {
	f, ok := reflect.TypeFor[lua.Debug]().FieldByName("frame")
	if !ok {
		panic("BUG: the layout of gopher-lua's Debug has changed")
	}
	field := func(name string) int {
		f, ok := f.Type.Elem().FieldByName(name)
		if !ok {
			panic("BUG: the layout of gopher-lua's call frame has changed")
		}
		return f.Index[0]
	}
	return f.Index[0], field("Pc"), field("TailCall"), field("Idx")
}()

// Visit visits the active calls of a thread, innermost first, while visit returns true.
func Visit(l *lua.LState, visit func(Frame) bool) {
	for level := 0; ; {
		f, ok := at(l, level)
		if !ok || !visit(f) {
			return
		}
		level += 1 + f.Tail
	}
}

// Top returns the innermost active call of a thread. It returns false if the thread runs nothing.
func Top(l *lua.LState) (Frame, bool) { return at(l, 0) }

func at(l *lua.LState, level int) (f Frame, ok bool) {
	d, ok := l.GetStack(level)
	if !ok {
		return f, false
	}
	fn, err := l.GetInfo("f", d, lua.LNil)
	if err != nil {
		return f, false
	}
	v := reflect.ValueOf(d).Elem().Field(debugFrame).Elem()
	f = Frame{Fn: fn.(*lua.LFunction), PC: int(v.Field(framePC).Int()), Index: int(v.Field(frameIndex).Int()), Debug: d}
	if !f.Fn.IsG {
		f.Tail = int(v.Field(frameTail).Int())
	}
	return f, true
}
