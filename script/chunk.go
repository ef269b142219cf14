package script

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Parse reads a chunk as mods are compiled, with the same checks and limits, and gives its statements. name is what
// errors call it. The error is a *SyntaxError.
func Parse(name, source string) ([]ast.Stmt, error) {
	if _, err := compile(name, source, free); err != nil {
		return nil, err
	}
	if strings.HasPrefix(source, "#") {
		source = "--" + source
	}
	return parse.Parse(strings.NewReader(source), name)
}

// Column is where in its line the error is, in bytes from 1; 1 if that is unknown.
func (e *SyntaxError) Column() int { return max(e.column, 1) }
