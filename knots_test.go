package torc_test

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	_ "github.com/torc-engine/torc/internal/testenv" // less garbage collection
)

// A knot is a set of files of one package that all depend on each other, directly or by way of
// others. Nobody can read one file of a knot alone, so knots stay small.
const (
	maxKnotFiles = 40
	maxKnotLines = 6000
	maxFiles     = 60 // of a package, tests not counted
)

func TestKnotsStaySmall(t *testing.T) {
	for _, p := range loadPackages(t) {
		g := newFileGraph(p)
		assert.LessOrEqual(t, len(g.files), maxFiles, "%s: files", p.PkgPath)
		knot, lines := g.largestKnot(), 0
		for _, file := range knot {
			lines += g.lines[file]
		}
		assert.LessOrEqual(t, len(knot), maxKnotFiles, "%s: files that depend on each other", p.PkgPath)
		assert.LessOrEqual(t, lines, maxKnotLines, "%s: lines of files that depend on each other", p.PkgPath)
		if len(knot) > maxKnotFiles/2 {
			t.Logf("%s: %d of %d files, %d lines", strings.TrimPrefix(p.PkgPath, module+"/"), len(knot), len(g.files), lines)
		}
	}
}

func TestLargestKnot(t *testing.T) {
	for _, c := range []struct {
		uses string // "ab" means that a depends on b
		want int
	}{{"", 1}, {"ab bc", 1}, {"ab ba", 2}, {"ab bc ca cd", 3}, {"ab ba cd de ec", 3}, {"ab bc cd da ac", 4}} {
		g := fileGraph{uses: map[string]map[string]bool{}}
		for _, file := range []string{"a", "b", "c", "d", "e"} {
			g.files = append(g.files, file)
			g.uses[file] = map[string]bool{}
		}
		for _, edge := range strings.Fields(c.uses) {
			g.uses[edge[:1]][edge[1:]] = true
		}
		assert.Len(t, g.largestKnot(), c.want, c.uses)
	}
}

func loadPackages(t *testing.T) []*packages.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, "./...")
	require.NoError(t, err)
	require.Greater(t, len(list), 30)
	for _, p := range list {
		require.Empty(t, p.Errors, p.PkgPath)
	}
	return list
}

// fileGraph tells which files of a package use which others.
type fileGraph struct {
	files []string // sorted
	lines map[string]int
	uses  map[string]map[string]bool
}

func newFileGraph(p *packages.Package) *fileGraph {
	g := &fileGraph{lines: map[string]int{}, uses: map[string]map[string]bool{}}
	for _, f := range p.Syntax {
		file := p.Fset.File(f.Package)
		name := filepath.Base(file.Name())
		g.files, g.lines[name], g.uses[name] = append(g.files, name), file.LineCount(), map[string]bool{}
	}
	slices.Sort(g.files)
	for id, o := range p.TypesInfo.Uses {
		if o.Pkg() != p.Types || !crossesFiles(o) {
			continue
		}
		from, to := filepath.Base(p.Fset.Position(id.Pos()).Filename), filepath.Base(p.Fset.Position(o.Pos()).Filename)
		if from != to {
			g.uses[from][to] = true
		}
	}
	return g
}

// crossesFiles reports whether an object can be used from other files: it belongs to the package,
// or is a method or a field.
func crossesFiles(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return o.IsField() || o.Parent() == o.Pkg().Scope()
	}
	return o.Parent() == o.Pkg().Scope()
}

// largestKnot returns the largest set of files that reach each other (Tarjan's strongly connected
// components).
func (g *fileGraph) largestKnot() (largest []string) {
	index, low, onStack := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(file string)
	visit = func(file string) {
		index[file] = len(index) + 1
		low[file] = index[file]
		stack, onStack[file] = append(stack, file), true
		for _, next := range g.files {
			switch {
			case !g.uses[file][next]:
			case index[next] == 0:
				visit(next)
				low[file] = min(low[file], low[next])
			case onStack[next]:
				low[file] = min(low[file], index[next])
			}
		}
		if low[file] != index[file] {
			return
		}
		at := slices.Index(stack, file)
		knot := slices.Clone(stack[at:])
		for _, f := range knot {
			onStack[f] = false
		}
		if stack = stack[:at]; len(knot) > len(largest) {
			largest = knot
		}
	}
	for _, file := range g.files {
		if index[file] == 0 {
			visit(file)
		}
	}
	return largest
}
