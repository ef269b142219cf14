package vm

import "github.com/yuin/gopher-lua/ast"

// Parse parses a chunk with the checks and limits that apply to mods and returns its statements.
// name is the chunk's name in errors. The error is a *SyntaxError.
func Parse(name, source string) ([]ast.Stmt, error) {
	if _, err := compile(name, source, affordUpTo(DefaultLimits.Load.Instructions)); err != nil {
		return nil, err
	}
	return parseChunk(name, source) // parse again: compile rewrites its own syntax tree
}

// Column returns the column of the error in its line, in bytes from 1. It returns 1 if the column
// is unknown.
func (e *SyntaxError) Column() int { return max(e.column, 1) }
