package luac

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

const (
	maxJump     = 1 << 17 // a jump reaches fewer instructions
	maxCode     = 1 << 19 // instructions of a function
	maxLooped   = 1 << 14 // nodes in loops of a function with far jumps
	maxJumping  = 1 << 14 // nodes with jumps, likewise; the compiler numbers the targets of jumps
	maxUpvalues = 200     // upvalues of a function; the VM counts them in one byte
)

// codeSize counts the parts of a function that make jumps. The compiler cuts off the distance of a
// far jump back, and high numbers of targets, without an error.
type codeSize struct {
	loops   int // around the node
	looped  int // nodes in loops
	jumping int // nodes that make jumps
}

func (s *codeSize) count(n ast.PositionHolder) {
	if s.loops > 0 {
		s.looped++
	}
	switch n.(type) {
	case *ast.IfStmt, *ast.WhileStmt, *ast.RepeatStmt, *ast.NumberForStmt, *ast.GenericForStmt, *ast.BreakStmt, *ast.LogicalOpExpr, *ast.RelationalOpExpr:
		s.jumping++
	case *ast.GotoStmt:
		s.looped += maxLooped + 1 // it can jump back
	}
}

// far reports whether a function may have a jump that reaches too far, if it is long enough.
func (s *codeSize) far() bool { return s.looped > maxLooped || s.jumping > maxJumping }

// checkSize returns an error for functions whose jumps or upvalue numbers do not fit into the VM's
// instructions. gopher-lua's compiler truncates these silently.
func (w *rewriter) checkSize(f *lua.FunctionProto) error {
	most := maxCode
	if w.farJumps[max(f.LineDefined, 1)] {
		most = maxJump
	}
	switch {
	case len(f.Code) >= most:
		return &SyntaxError{File: w.file, Line: max(f.LineDefined, 1), Text: fmt.Sprintf("a function has more than %d instructions; split it", most)}
	case len(f.DbgUpvalues) > maxUpvalues:
		return &SyntaxError{File: w.file, Line: f.LineDefined, Text: fmt.Sprintf("a function has more than %d upvalues: it uses too many locals of enclosing functions", maxUpvalues)}
	}
	for _, inner := range f.FunctionPrototypes {
		if err := w.checkSize(inner); err != nil {
			return err
		}
	}
	return nil
}
