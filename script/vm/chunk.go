package vm

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/luac"
)

// SyntaxError reports a chunk that failed to compile. Its text begins with file:line.
type SyntaxError = luac.SyntaxError

// Incomplete reports whether err is a *SyntaxError of a chunk that ends too early.
func Incomplete(err error) bool { return luac.Incomplete(err) }

// Parse parses a chunk with the checks and limits that apply to mods and returns its statements.
// name is the chunk's name in errors. The error is a *SyntaxError.
func Parse(name, source string) ([]ast.Stmt, error) {
	if _, err := luac.Compile(name, source, affordUpTo(DefaultLimits.Load.Instructions)); err != nil {
		return nil, err
	}
	return luac.Parse(name, source) // parse again: Compile rewrites its own syntax tree
}
