package torc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMapsAreSorted holds the pure packages to one order in every process: Go walks a map in a
// random one. The results of a walk are sorted afterwards in the same function, or the order of the
// walk changes nothing: orderFree sees that, or a comment "any order: " at the line of the walk
// says why.
func TestMapsAreSorted(t *testing.T) {
	if !testing.Verbose() {
		return // it loads all packages; .ci/run runs it
	}
	for _, p := range loadPackages(t) {
		l, _ := lawOf(strings.TrimPrefix(p.PkgPath, module+"/"))
		if l.impure {
			continue
		}
		for _, f := range p.Syntax {
			for _, at := range unsortedMaps(f, p.Fset, p.TypesInfo) {
				t.Errorf("%s: a walk over a map, and nothing sorts what it finds", p.Fset.Position(at))
			}
		}
	}
}

func TestUnsortedMaps(t *testing.T) {
	const head = `package a
import "slices"
var m, other map[int]int
func use(int)
var _ = slices.Sort
func f() (list []int, n int, found bool, word string) {
`
	for body, unsorted := range map[string]int{
		`for k := range m { use(k) }`:                                     1,
		`for k := range m { list = append(list, k) }`:                     1,
		`for k := range m { list = append(list, k) }; slices.Sort(list)`:  0,
		`slices.Sort(list); for k := range m { list = append(list, k) }`:  1,
		`for k, v := range m { other[k] = v; delete(m, k) }`:              0,
		`for k, v := range m { other[0] = v; use(k) }`:                    1,
		`for _, v := range m { n += v; n++; n = max(n, v) }`:              0,
		`for _, v := range m { n = v }`:                                   1,
		`for _, v := range m { word += string(rune(v)) }`:                 1,
		`for _, v := range m { if v > 3 { return nil, 0, true, "x" } }`:   0,
		`for k, v := range m { if v > 3 { return nil, k, true, "x" } }`:   1,
		`for _, v := range m { if x := v * 2; x > 3 { n++; continue } }`:  0,
		`for k := range m { delete(other, k); break }`:                    1,
		`for _, v := range m { for i := range v { n += i } }`:             0,
		`for _, v := range m { n++; if v > 3 { return } }`:                1,
		"for k := range m { // any order: use is empty\n use(k) }":        0,
		"for k := range m { // in any order\n use(k) }":                   1,
		`for _, v := range list { use(v) }`:                               0,
		`func() { for k := range m { list = append(list, k) } }()`:        1,
		`for _, v := range m { found = true; if v == 2 { found = true }}`: 0,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "a.go", head+body+"\nreturn }", parser.ParseComments)
		require.NoError(t, err, body)
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		c := types.Config{Importer: onlySort{}}
		_, err = c.Check("a", fset, []*ast.File{file}, info)
		require.NoError(t, err, body)
		assert.Len(t, unsortedMaps(file, fset, info), unsorted, body)
	}
}

// onlySort is an importer that knows the function slices.Sort, of lists of integers, and nothing
// else.
type onlySort struct{}

func (onlySort) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path)
	list := types.NewVar(token.NoPos, p, "list", types.NewSlice(types.Typ[types.Int]))
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "Sort", types.NewSignatureType(nil, nil, nil, types.NewTuple(list), nil, false)))
	p.MarkComplete()
	return p, nil
}

// unsortedMaps returns the places of the walks over maps in a file whose order can be seen.
func unsortedMaps(file *ast.File, fset *token.FileSet, info *types.Info) (at []token.Pos) {
	said := map[int]bool{} // lines whose comment says why the order changes nothing
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "// any order: ") {
				said[fset.Position(c.Pos()).Line] = true
			}
		}
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		w := walkCheck{info: info, sorted: sortedIn(fn.Body, info)}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && walksLuaTable(c, info) && !said[fset.Position(c.Pos()).Line] {
				at = append(at, c.Pos())
			}
			if r, ok := n.(*ast.RangeStmt); ok && isMap(info.TypeOf(r.X)) && !said[fset.Position(r.Pos()).Line] && !w.orderFree(r) {
				at = append(at, r.Pos())
			}
			return true
		})
	}
	return at
}

// walksLuaTable reports whether a call is ForEach of gopher-lua's tables, which walks a map.
// vm.Each has an order.
func walksLuaTable(c *ast.CallExpr, info *types.Info) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "ForEach" {
		return false
	}
	t := info.TypeOf(s.X)
	return t != nil && strings.HasSuffix(t.String(), "gopher-lua.LTable")
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// sortedIn returns the last place in a body where each list is sorted.
func sortedIn(body ast.Node, info *types.Info) map[string]token.Pos {
	last := map[string]token.Pos{}
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				if _, imported := info.Uses[x].(*types.PkgName); imported && (x.Name == "slices" || x.Name == "sort" || x.Name == "order") && s.Sel.Name != "Contains" {
					last[types.ExprString(call.Args[0])] = call.Pos()
				}
			}
		}
		return true
	})
	return last
}

// A walkCheck looks at the walks over maps in one function.
type walkCheck struct {
	info             *types.Info
	sorted           map[string]token.Pos // list, as written -> where it is sorted
	effects, returns bool                 // of the walk that is looked at
}

// orderFree reports whether a walk does the same in each order. Its statements only count, add
// integers, take a least or a greatest, set the same constants, store under the key of the walk,
// delete, return constants, and collect what is sorted afterwards. A walk that can return early has
// no other effect.
func (w *walkCheck) orderFree(r *ast.RangeStmt) bool {
	w.effects, w.returns = false, false
	key := ""
	if r.Key != nil {
		key = types.ExprString(r.Key)
	}
	for _, s := range r.Body.List {
		if !w.free(s, key, r.End()) {
			return false
		}
	}
	return !w.effects || !w.returns
}

// free is orderFree for a statement of a walk with that key, which ends at a place.
func (w *walkCheck) free(s ast.Stmt, key string, end token.Pos) bool {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt, *ast.DeclStmt:
		return true
	case *ast.IncDecStmt:
		w.effects = true
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE
	case *ast.BlockStmt:
		for _, inner := range s.List {
			if !w.free(inner, key, end) {
				return false
			}
		}
		return true
	case *ast.IfStmt:
		return w.free(s.Init, key, end) && w.free(s.Body, key, end) && w.free(s.Else, key, end)
	case *ast.RangeStmt:
		return w.free(s.Body, key, end)
	case *ast.ForStmt:
		return w.free(s.Body, key, end)
	case *ast.ReturnStmt:
		w.returns = true
		for _, result := range s.Results {
			if !w.constant(result) {
				return false
			}
		}
		return true
	case *ast.ExprStmt:
		w.effects = true
		call, ok := s.X.(*ast.CallExpr)
		return ok && (isBuiltin(call, "delete") || isBuiltin(call, "clear"))
	case *ast.AssignStmt:
		return w.freeAssign(s, key, end)
	}
	return false
}

func (w *walkCheck) freeAssign(s *ast.AssignStmt, key string, end token.Pos) bool {
	switch s.Tok {
	case token.DEFINE:
		return true
	}
	w.effects = true
	switch s.Tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		basic, ok := w.info.TypeOf(s.Lhs[0]).Underlying().(*types.Basic)
		return ok && basic.Info()&types.IsInteger != 0
	case token.ASSIGN:
	default:
		return false
	}
	for i, to := range s.Lhs {
		if x, ok := to.(*ast.IndexExpr); ok && isMap(w.info.TypeOf(x.X)) && types.ExprString(x.Index) == key {
			continue
		}
		if len(s.Rhs) != len(s.Lhs) {
			return false
		}
		from, name := s.Rhs[i], types.ExprString(to)
		call, isCall := from.(*ast.CallExpr)
		switch {
		case w.constant(from):
		case isCall && isBuiltin(call, "append") && types.ExprString(call.Args[0]) == name && w.sorted[name] > end:
		case isCall && (isBuiltin(call, "max") || isBuiltin(call, "min")) && types.ExprString(call.Args[0]) == name:
		default:
			return false
		}
	}
	return true
}

// constant reports whether an expression has one value: a constant or nil.
func (w *walkCheck) constant(e ast.Expr) bool {
	v := w.info.Types[e]
	return v.Value != nil || v.IsNil()
}

func isBuiltin(call *ast.CallExpr, name string) bool {
	fn, ok := call.Fun.(*ast.Ident)
	return ok && fn.Name == name
}
