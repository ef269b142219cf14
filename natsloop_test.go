package torc_test

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestLoopReachesNoNATS follows the calls of Do and Take of the bus over NATS: the loop of a server
// makes them. It goes through all functions of the package, and leaves out those of other
// goroutines. None of them uses nats.go, so a stopped NATS never holds the loop up.
func TestLoopReachesNoNATS(t *testing.T) {
	if !testing.Verbose() {
		return // it loads a package with its types; .ci/run runs it
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, "./node/natsfleet")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Empty(t, list[0].Errors)
	loop := reached(list[0], "Do", "Take")
	assert.Contains(t, loop, "add", "batches are queued there")
	assert.Contains(t, loop, "post", "messages are queued there")
	assert.Empty(t, loop[natsUse])
	assert.NotEmpty(t, reached(list[0], "publish")[natsUse], "a goroutine of the bus uses nats.go")
}

// natsUse has the places that use nats.go.
const natsUse = "nats.go"

// reached returns the names of the functions that methods with these names use, directly or not,
// with the places of the uses. It leaves out the functions that a statement go or a method Go runs.
func reached(p *packages.Package, names ...string) map[string][]string {
	bodies := map[types.Object]*ast.FuncDecl{}
	var open []*ast.FuncDecl
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				bodies[p.TypesInfo.Defs[fn.Name]] = fn
				for _, name := range names {
					if fn.Name.Name == name && fn.Recv != nil {
						open = append(open, fn)
					}
				}
			}
		}
	}
	uses, seen := map[string][]string{}, map[*ast.FuncDecl]bool{}
	for len(open) > 0 {
		fn := open[0]
		open = open[1:]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if runsElsewhere(n) {
				return false
			}
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used, ok := p.TypesInfo.Uses[id].(*types.Func)
			if !ok || used.Pkg() == nil {
				return true
			}
			at := p.Fset.Position(id.Pos()).String()
			switch {
			case strings.HasPrefix(used.Pkg().Path(), "github.com/nats-io"):
				uses[natsUse] = append(uses[natsUse], at)
			case bodies[used] != nil:
				uses[used.Name()] = append(uses[used.Name()], at)
				open = append(open, bodies[used])
			}
			return true
		})
	}
	return uses
}

// runsElsewhere reports whether another goroutine runs a node.
func runsElsewhere(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		s, ok := n.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Go"
	}
	return false
}
