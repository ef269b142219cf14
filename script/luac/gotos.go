package luac

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// When a goto or a break leaves the scope of locals, OP_CLOSE gives the closures their own copies
// of these locals. gopher-lua's compiler makes two errors there:
//
//   - Most gotos close all locals of the function. Closures then no longer share the other locals
//     with the function. The rewriter therefore finds the label of each goto, as the compiler does,
//     and close corrects the instruction.
//   - A break does not close the locals of the blocks inside the loop's body. Closures then see
//     other values in the registers of these locals. rewriteBreak closes the locals with a goto.

// noLabel marks the place of a goto whose label is unknown.
const noLabel = -1

// labels holds what the gotos of a block need.
type labels struct {
	found   map[string]int   // by the name of a label in the block: the number of locals in scope there
	waiting map[string][]int // by the name of a label: the places of gotos in the block and its inner blocks, until it is found
}

// jump gives a goto a place of its own.
func (w *rewriter) jump(s *ast.GotoStmt) {
	at := w.markGoto(s, s.Line())
	w.labels.wait(w.places, s.Label, at)
}

// markGoto makes the place of a goto and returns its index.
func (w *rewriter) markGoto(s *ast.GotoStmt, line int) int {
	at := len(w.places)
	w.places = append(w.places, place{line: line, local: w.scope, label: noLabel})
	s.SetLine(firstPlace + at)
	s.SetLastLine(line)
	return at
}

// rewriteBreak makes a break close the locals of the loop's body: it puts a goto to the next
// statement before it.
func (w *rewriter) rewriteBreak(s *ast.BreakStmt) ast.Stmt {
	if w.scope.number() == w.loopLocals {
		return s
	}
	w.gotos++
	w.cost += gotoCost * w.depth
	const next = "\x00break"
	jump := &ast.GotoStmt{Label: next}
	w.places[w.markGoto(jump, w.places.line(s.Line()))].label = w.loopLocals + 1
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{jump, &ast.LabelStmt{Name: next}, s}}
	copyPosition(block, s)
	return block
}

// wait adds gotos to those of a block.
func (l *labels) wait(p places, name string, gotos ...int) {
	n, found := l.found[name]
	switch {
	case found:
		p.resolve(gotos, n)
	case l.waiting == nil:
		l.waiting = map[string][]int{name: gotos}
	default:
		l.waiting[name] = append(l.waiting[name], gotos...)
	}
}

// label adds a label to the block.
func (w *rewriter) label(name string) {
	if w.labels.found == nil {
		w.labels.found = map[string]int{}
	}
	n := w.scope.number()
	w.labels.found[name] = n
	w.places.resolve(w.labels.waiting[name], n)
	delete(w.labels.waiting, name)
}

// resolve notes the number of locals in scope at the label of gotos.
func (p places) resolve(gotos []int, n int) {
	for _, at := range gotos {
		p[at].label = n + 1
	}
}

// leave ends a block: its gotos wait for labels of the enclosing block.
func (w *rewriter) leave(outer labels) {
	for name, gotos := range w.labels.waiting { // any order: names do not meet
		outer.wait(w.places, name, gotos...)
	}
	w.labels = outer
}

// close corrects the first register that each goto closes.
func (p places) close(f *lua.FunctionProto) {
	for pc, n := range f.DbgSourcePositions {
		if n < firstPlace || p[n-firstPlace].label <= 0 || Instruction(f.Code[pc]).Op() != lua.OP_CLOSE {
			continue
		}
		f.Code[pc] = Instruction(f.Code[pc]).withA(p[n-firstPlace].label - 1)
	}
}

// lines replaces the places of gotos in an error message of the compiler by their lines.
func (p places) lines(text string) string {
	const mark = "at line "
	parts := strings.Split(text, mark)
	for i, part := range parts[1:] {
		rest := strings.TrimLeft(part, "0123456789")
		if n, err := strconv.Atoi(part[:len(part)-len(rest)]); err == nil {
			parts[i+1] = strconv.Itoa(p.line(n)) + rest
		}
	}
	return strings.Join(parts, mark)
}
