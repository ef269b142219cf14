package luac

import (
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// gopher-lua's compiler records for each local where it begins, but mixes up where it ends. The
// rewriter therefore marks each node with a place: its line and the locals in scope. The place
// stands in the node's line until the chunk is compiled. settle then reads the scopes of the
// instructions from their places.

// firstPlace is the number of the first place. Smaller numbers are lines.
const firstPlace = 2 * MaxSource

// places holds the places of a chunk.
type places []place

// A place is a line with the locals in scope, innermost first.
type place struct {
	line  int
	local *scopeLocal
	label int // of a goto: the number of locals in scope at its label, plus 1; noLabel before the label is known

	constant int // the number of the late constant that stands here, from 1; 0: none
}

// A scopeLocal is a local variable of a function.
type scopeLocal struct {
	outer *scopeLocal // the local before it in the same function
	count int         // of locals up to this one
	info  lua.DbgLocalInfo
	begun bool
}

// number returns the number of locals up to this one, in the same function.
func (l *scopeLocal) number() int {
	if l == nil {
		return 0
	}
	return l.count
}

// mark replaces the lines of a node by places.
func (w *rewriter) mark(n ast.PositionHolder) {
	n.SetLine(w.places.number(n.Line(), w.scope))
	if n.LastLine() > 0 {
		n.SetLastLine(w.places.number(n.LastLine(), w.scope))
	}
}

func (p *places) number(line int, local *scopeLocal) int {
	at := place{line: line, local: local}
	if line >= firstPlace {
		return line
	}
	if n := len(*p); n == 0 || (*p)[n-1] != at {
		*p = append(*p, at)
	}
	return firstPlace + len(*p) - 1
}

// line returns the line of a place. It returns lines unchanged.
func (p places) line(n int) int {
	if n >= firstPlace {
		return p[n-firstPlace].line
	}
	return n
}

// declare adds locals to the scope.
func (w *rewriter) declare(names ...string) {
	w.locals += len(names)
	for _, name := range names {
		w.visible[name]++
		w.scope = &scopeLocal{outer: w.scope, count: w.scope.number() + 1, info: lua.DbgLocalInfo{Name: name}}
	}
}

// undeclare ends the scope of the locals after scope.
func (w *rewriter) undeclare(scope *scopeLocal) {
	for ; w.scope != scope; w.scope = w.scope.outer {
		w.visible[w.scope.info.Name]--
	}
}

// settle replaces the places in a compiled function by lines, and lists its locals with the
// instructions where they are in scope.
func (p places) settle(f *lua.FunctionProto) {
	f.LineDefined, f.LastLineDefined = p.line(f.LineDefined), p.line(f.LastLineDefined)
	f.DbgLocals = nil
	p.close(f)
	var before *scopeLocal
	for pc, n := range f.DbgSourcePositions {
		f.DbgSourcePositions[pc] = p.line(n)
		if n < firstPlace || p[n-firstPlace].local == before {
			continue
		}
		before.end(pc)
		before = p[n-firstPlace].local
		f.DbgLocals = before.begin(pc, f.DbgLocals)
	}
	before.end(len(f.Code))
	for i, local := range f.DbgLocals {
		info := *local
		f.DbgLocals[i] = &info // without the rest of the scopeLocal
	}
	for _, inner := range f.FunctionPrototypes {
		p.settle(inner)
	}
}

// begin appends the local and those before it to a list, unless they are in it.
func (l *scopeLocal) begin(pc int, list []*lua.DbgLocalInfo) []*lua.DbgLocalInfo {
	if l == nil || l.begun {
		return list
	}
	list = l.outer.begin(pc, list)
	l.begun, l.info.StartPc = true, pc
	return append(list, &l.info)
}

// end notes that the local and those before it were in scope up to an instruction.
func (l *scopeLocal) end(pc int) {
	for ; l != nil; l = l.outer {
		l.info.EndPc = pc
	}
}
