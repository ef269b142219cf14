package torc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
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

// TestShape prints the shape of each package: its files and lines, its largest knot, and its widest
// types. A knot is a set of files that all depend on each other, directly or by way of others:
// nobody can read one file of it alone. The figures have no limits. A reader judges them:
//
//	go test . -run Shape -v
func TestShape(t *testing.T) {
	if !testing.Verbose() {
		return // it loads all packages, and cannot fail
	}
	for _, p := range loadPackages(t) {
		g := newFileGraph(p)
		knot, lines := g.largestKnot(), 0
		for _, file := range knot {
			lines += g.lines[file]
		}
		if len(knot) == 1 {
			knot, lines = nil, 0
		}
		all := 0
		for _, n := range g.lines {
			all += n
		}
		if all == 0 {
			continue // tests only
		}
		t.Logf("%s: %d files, %d lines; largest knot: %d files, %d lines", strings.TrimPrefix(p.PkgPath, module+"/"), len(g.files), all, len(knot), lines)
		for _, w := range widest(p.Types, p.Fset, 5) {
			t.Logf("    %s: %d fields, %d methods in %d files", w.name, w.fields, w.methods, w.files)
		}
	}
}

// typeShape is the size of a named type.
type typeShape struct {
	name    string
	fields  int // those of embedded structs included
	methods int // promoted ones included
	files   int // with methods of its own
}

// widest returns the n types of a package with the most fields and methods.
func widest(p *types.Package, fset *token.FileSet, n int) (all []typeShape) {
	for _, name := range p.Scope().Names() {
		is, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || is.IsAlias() {
			continue
		}
		named, ok := is.Type().(*types.Named)
		if !ok {
			continue
		}
		w := typeShape{name: name, fields: fieldsOf(named), methods: types.NewMethodSet(types.NewPointer(named)).Len()}
		files := map[string]bool{}
		for m := range named.Methods() {
			files[fset.Position(m.Pos()).Filename] = true
		}
		w.files = len(files)
		all = append(all, w)
	}
	slices.SortStableFunc(all, func(a, b typeShape) int { return (b.fields + b.methods) - (a.fields + a.methods) })
	return all[:min(n, len(all))]
}

// fieldsOf returns the number of fields of a struct, with those of embedded structs instead of
// these.
func fieldsOf(t types.Type) (n int) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	for f := range s.Fields() {
		inner := 0
		if f.Embedded() {
			inner = fieldsOf(f.Type())
		}
		n += max(1, inner)
	}
	return n
}

func TestWidestTypes(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", `package a
type inner struct { x, y int }
func (inner) A() {}
func (*inner) B() {}
type Outer struct { inner; *deep; z int }
type deep struct { inner struct{ q int } }
func (Outer) C() {}
type Number int
func (Number) D() {}
`, 0)
	require.NoError(t, err)
	p, err := new(types.Config).Check("a", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	assert.Equal(t, []typeShape{{"Outer", 4, 3, 1}, {"inner", 2, 2, 1}, {"Number", 0, 1, 1}}, widest(p, fset, 3))
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
