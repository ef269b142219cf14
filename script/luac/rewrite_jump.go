package luac

import "github.com/yuin/gopher-lua/ast"

// gopher-lua's compiler shortens a jump to a jump, in the order of the instructions. It takes the
// distance of a jump that it has already shortened for the number of a label, so a jump back to a
// jump gets a wrong target. Code jumps back to four places only: the condition of a while loop, the
// body of a repeat loop, the body of a generic for loop, and a label. The rewriter makes each of
// them begin with another instruction:
//
//   - No expression and no condition begins with a jump, because hideConstant hides the constants
//     that the compiler turns into jumps.
//   - So a statement begins with a jump only if it is a break, or if the compiler makes no
//     instruction of it. landing and landingStmt put an instruction before such a statement.

// hideConstant replaces a constant operand k by `not false and k`, which begins with an instruction
// that is not a jump. The operand is a condition, or the left side of `and` or `or`.
func hideConstant(e *ast.Expr) {
	switch x := (*e).(type) {
	case *ast.UnaryNotOpExpr:
		hideConstant(&x.Expr)
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr:
		no := &ast.FalseExpr{}
		copyPosition(no, x)
		yes := &ast.UnaryNotOpExpr{Expr: no}
		copyPosition(yes, x)
		both := &ast.LogicalOpExpr{Operator: "and", Lhs: yes, Rhs: x}
		copyPosition(both, x)
		*e = both
	}
}

// rewriteWhile makes the head of a while loop a place to jump back to. The compiler makes no
// instruction of a condition such as `true`, so this place is the body.
func rewriteWhile(s *ast.WhileStmt) {
	switch s.Condition.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		s.Stmts = landing(s, s.Stmts)
	default:
		hideConstant(&s.Condition)
	}
}

// landing returns the body of a loop with a first instruction that is not a jump.
func landing(loop ast.Stmt, body []ast.Stmt) []ast.Stmt {
	if mayJump(body) {
		return append([]ast.Stmt{noOperation(loop)}, body...)
	}
	return body
}

// landingStmt returns the statement after a label with a first instruction that is not a jump.
func landingStmt(s ast.Stmt) ast.Stmt {
	if !mayJump([]ast.Stmt{s}) {
		return s
	}
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{noOperation(s), s}}
	copyPosition(block, s)
	return block
}

// mayJump reports whether the instruction at the beginning of rewritten statements may be a jump.
// It may be one if the first statement makes no instruction.
func mayJump(stmts []ast.Stmt) bool {
	if len(stmts) == 0 {
		return true
	}
	switch s := stmts[0].(type) {
	case *ast.BreakStmt, *ast.LabelStmt:
		return true
	case *ast.DoBlockStmt:
		return mayJump(s.Stmts)
	}
	return false
}

func isLabel(s ast.Stmt) bool {
	_, label := s.(*ast.LabelStmt)
	return label
}

// noOperation returns a statement that has no effect, but one instruction.
func noOperation(at ast.PositionHolder) ast.Stmt {
	local := &ast.LocalAssignStmt{Names: []string{"\x00"}}
	copyPosition(local, at)
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{local}}
	copyPosition(block, at)
	return block
}
