package script

import "github.com/yuin/gopher-lua/ast"

// Parse reads a chunk as mods are compiled, with the same checks and limits, and gives its statements. name is what
// errors call it. The error is a *SyntaxError.
func Parse(name, source string) ([]ast.Stmt, error) {
	if _, err := compile(name, source, upTo(DefaultLimits.Load.Instructions)); err != nil {
		return nil, err
	}
	return parsed(name, source) // anew: the compiler's has been rewritten
}

// Column is where in its line the error is, in bytes from 1; 1 if that is unknown.
func (e *SyntaxError) Column() int { return max(e.column, 1) }
