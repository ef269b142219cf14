package luac

import (
	"strconv"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// cheapKey reports whether a key is a constant and not an index above most. A store to such a key
// is cheap.
func cheapKey(key ast.Expr, most float64) bool {
	switch k := key.(type) {
	case *ast.StringExpr, *ast.TrueExpr, *ast.FalseExpr:
		return true
	case *ast.NumberExpr:
		n, err := strconv.ParseFloat(k.Value, 64)
		return err == nil && n <= most
	}
	return false
}

// plainTarget reports whether the VM itself handles an assignment to e.
func plainTarget(e ast.Expr) bool {
	attr, ok := e.(*ast.AttrGetExpr)
	return !ok || cheapKey(attr.Key, maxCheapIndex)
}

// rewriteAssign guards `t[k] = v`. It also works around three errors of the VM where a target is a
// local. First, with several targets the VM changes the first target before it evaluates the other
// values, so `a, b = b, a` gives two equal values. Second, in `a = f() and b` the VM does not
// change a when f returns false. Both are split into separate statements. Third, for `a = (f())`
// the VM calls f in the register of a and overwrites the locals after it. assignment removes these
// parentheses, because they make no difference here.
func rewriteAssign(s *ast.AssignStmt) ast.Stmt {
	if len(s.Lhs) > 1 || len(s.Rhs) > 1 {
		return splitAssign(s)
	}
	if attr, ok := s.Lhs[0].(*ast.AttrGetExpr); ok && !cheapKey(attr.Key, maxCheapIndex) {
		return storeCall(s, attr.Object, attr.Key, s.Rhs[0])
	}
	_, variable := s.Lhs[0].(*ast.IdentExpr)
	if _, logical := s.Rhs[0].(*ast.LogicalOpExpr); logical && variable {
		return splitAssign(s)
	}
	setSingleResult(s.Rhs[0], false)
	return s
}

// storeCall makes the statement that replaces t[k] = v.
func storeCall(n ast.PositionHolder, t, k, v ast.Expr) ast.Stmt {
	call := &ast.FuncCallStmt{Expr: guardedCall(setName, n, []ast.Expr{t, k, v})}
	call.SetLine(n.Line())
	call.SetLastLine(n.LastLine())
	return call
}

// splitAssign splits `a[i], b = v, w`. It evaluates all parts before it assigns anything, and keeps
// the values in locals of a new block.
func splitAssign(s *ast.AssignStmt) ast.Stmt {
	line := s.Line()
	locals := &ast.LocalAssignStmt{}
	keep := func(e ast.Expr) ast.Expr {
		name := "\x00" + strconv.Itoa(len(locals.Names))
		locals.Names = append(locals.Names, name)
		if e != nil {
			locals.Exprs = append(locals.Exprs, e)
		}
		return newIdent(name, line)
	}
	targets := make([]ast.Expr, len(s.Lhs))
	for i, e := range s.Lhs {
		targets[i] = e
		attr, ok := e.(*ast.AttrGetExpr)
		if !ok {
			continue
		}
		object, key := keep(attr.Object), attr.Key
		if !plainTarget(e) {
			key = keep(key)
		}
		kept := &ast.AttrGetExpr{Object: object, Key: key}
		kept.SetLine(attr.Line())
		kept.SetLastLine(attr.LastLine())
		targets[i] = kept
	}
	locals.Exprs = append(locals.Exprs, s.Rhs...)
	values := make([]ast.Expr, max(len(s.Lhs), len(s.Rhs)))
	for i := range values {
		values[i] = keep(nil)
	}
	copyPosition(locals, s)
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{locals}}
	copyPosition(block, s)
	for i := len(targets) - 1; i >= 0; i-- {
		if attr, ok := targets[i].(*ast.AttrGetExpr); ok && !plainTarget(s.Lhs[i]) {
			block.Stmts = append(block.Stmts, storeCall(s, attr.Object, attr.Key, values[i]))
			continue
		}
		one := &ast.AssignStmt{Lhs: targets[i : i+1], Rhs: values[i : i+1]}
		copyPosition(one, s)
		block.Stmts = append(block.Stmts, one)
	}
	return block
}

func copyPosition(n, at ast.PositionHolder) {
	n.SetLine(at.Line())
	n.SetLastLine(at.LastLine())
}

// The price of a table with named fields, in instructions beside those that the VM counts. The
// first two fields cost as much as 8 instructions each, because the VM makes three maps for them.
// The next ones share these maps, until they grow.
const (
	firstFieldPrice = 8
	fieldPrice      = 2
	fieldsThatShare = 8
	furtherPrice    = 8
	firstStorePrice = 16 // for `t.x = v` after `t = {}`: the VM makes room for 32 fields
	storePrice      = 6
)

// priceOf returns the price of a table with so many named fields and so many names stored later.
func priceOf(fields, stores int) int {
	first, further := min(fields, 2), max(fields-fieldsThatShare, 0)
	price := firstFieldPrice*first + fieldPrice*(fields-first-further) + furtherPrice*further + storePrice*stores
	if fields == 0 && stores > 0 {
		price += firstStorePrice - storePrice
	}
	return price
}

// A store is the first one to a name of a table.
type store struct {
	table *ast.TableExpr
	name  string
}

// countStores counts, for each table that a statement of a block makes, the names that later
// statements of the same block store into it. They run after the constructor, so it can charge for
// them: a guard at each store would slow down `self.x = v`. Stores in other blocks, and in
// functions that get the table, stay as cheap as the VM counts them.
func (w *rewriter) countStores(stmts []ast.Stmt) {
	tables, seen := map[string]*ast.TableExpr{}, map[store]bool{} // tables by variable
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.LocalAssignStmt:
			for i, name := range s.Names {
				tables[name] = madeTable(s.Exprs, i)
			}
		case *ast.AssignStmt:
			for i, e := range s.Lhs {
				switch e := e.(type) {
				case *ast.IdentExpr:
					tables[e.Value] = madeTable(s.Rhs, i)
				case *ast.AttrGetExpr:
					object, simple := e.Object.(*ast.IdentExpr)
					key, named := e.Key.(*ast.StringExpr)
					if !simple || !named || tables[object.Value] == nil {
						continue
					}
					if one := (store{tables[object.Value], key.Value}); !seen[one] {
						seen[one] = true
						w.stores[one.table]++
					}
				}
			}
		}
	}
}

// madeTable returns the table that expression i of a list makes, perhaps as `setmetatable({}, mt)`.
func madeTable(list []ast.Expr, i int) *ast.TableExpr {
	if i >= len(list) {
		return nil
	}
	e := list[i]
	if call, ok := e.(*ast.FuncCallExpr); ok && len(call.Args) > 0 {
		if fn, ok := call.Func.(*ast.IdentExpr); ok && fn.Value == "setmetatable" {
			e = call.Args[0]
		}
	}
	t, _ := e.(*ast.TableExpr)
	return t
}

// table walks a table constructor. The outermost one charges for itself and the tables in it, with
// one call.
func (w *rewriter) table(t *ast.TableExpr) ast.Expr {
	outermost := !w.inTable
	w.inTable = true
	named := 0
	for _, f := range t.Fields {
		if _, ok := f.Key.(*ast.StringExpr); ok {
			named++
		}
		w.expr(&f.Key)
		w.expr(&f.Value)
	}
	w.price += priceOf(named, w.stores[t])
	e := rewriteTable(t)
	if !outermost {
		return e
	}
	price := w.price
	w.inTable, w.price = false, 0
	if price == 0 {
		return e
	}
	n := &ast.NumberExpr{Value: strconv.Itoa(price)}
	copyPosition(n, t)
	w.constants.use(n.Value)
	return guardedCall(priceName, t, []ast.Expr{e, n})
}

// rewriteTable guards `{[k] = v}`: it sets fields with such keys after all other fields. A list
// element still wins over a key with the same index.
//
// It also avoids two errors of the compiler, which stores list elements in groups. After a field
// with a key it stores a full group again, with registers that the field has overwritten. And it
// takes a last field `k = f()` for a list element too.
func rewriteTable(t *ast.TableExpr) ast.Expr {
	if last := len(t.Fields) - 1; last >= 0 && t.Fields[last].Key != nil {
		setSingleResult(t.Fields[last].Value, true)
	}
	// A list with written indices is no larger than its source text.
	most := float64(maxCheapIndex + 4*len(t.Fields))
	var rest, far []*ast.Field
	elements := 0
	for _, f := range t.Fields {
		switch {
		case f.Key == nil:
			elements++
			rest = append(rest, f)
		case cheapKey(f.Key, most) && (elements == 0 || elements%lua.FieldsPerFlush != 0):
			rest = append(rest, f)
		default:
			far = append(far, f)
		}
	}
	if len(far) == 0 {
		return t
	}
	if last := len(rest) - 1; last >= 0 && rest[last] != t.Fields[len(t.Fields)-1] {
		// Only the last field gives all its values, and this one was not the last.
		setSingleResult(rest[last].Value, true)
	}
	t.Fields = rest
	var e ast.Expr = t
	for len(far) > 0 {
		n := min(len(far), maxPairs)
		count := &ast.NumberExpr{Value: strconv.Itoa(elements)}
		copyPosition(count, t)
		args := []ast.Expr{e, count}
		for _, f := range far[:n] {
			args = append(args, f.Key, f.Value)
		}
		e, far = guardedCall(fillName, t, args), far[n:]
	}
	return e
}

// rewriteBound makes a bound of a numeric loop `e - 0`, because the VM converts strings to numbers
// in arithmetic but not in loops.
func rewriteBound(e ast.Expr) ast.Expr {
	switch e.(type) {
	case nil, *ast.NumberExpr, *ast.UnaryMinusOpExpr, *ast.UnaryLenOpExpr, *ast.ArithmeticOpExpr:
		return e
	}
	zero := &ast.NumberExpr{Value: "0"}
	copyPosition(zero, e)
	number := &ast.ArithmeticOpExpr{Operator: "-", Lhs: e, Rhs: zero}
	copyPosition(number, e)
	return number
}
