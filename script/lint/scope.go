package lint

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// A variable is a local, a parameter or a loop variable.
type variable struct {
	name        string
	at          position
	value       ast.Expr        // initial value, nil if unknown
	typ         func() inferred // type of a parameter, nil if unknown
	sets        int             // assignments after the declaration
	reads       int
	keys        []string // for the first variable of a loop over a table literal
	mayBeUnused bool     // unused is fine: a parameter, or a value in front of others from the same call
	function    bool
}

// A blockScope is a block.
type blockScope struct {
	outer *blockScope
	names map[string]*variable
	list  []*variable
}

func (w *walker) open() { w.scope = &blockScope{outer: w.scope, names: map[string]*variable{}} }

// close ends a block and reports its unused variables.
func (w *walker) close() {
	for _, v := range w.scope.list {
		if v.reads > 0 || v.mayBeUnused || strings.HasPrefix(v.name, "_") || !w.u.checked {
			continue
		}
		switch {
		case v.function:
			w.c.report(w.f, v.at, ruleUnused, "the function %s is never used", v.name)
		case v.sets > 0:
			w.c.report(w.f, v.at, ruleUnused, "%s is set and never read", v.name)
		default:
			w.c.report(w.f, v.at, ruleUnused, "%s is never used", v.name)
		}
	}
	w.scope = w.scope.outer
}

func (w *walker) declare(v *variable) *variable {
	w.scope.names[v.name] = v
	w.scope.list = append(w.scope.list, v)
	return v
}

// find returns the local with this name, or nil for a global.
func (w *walker) find(name string) *variable {
	for s := w.scope; s != nil; s = s.outer {
		if v := s.names[name]; v != nil {
			return v
		}
	}
	return nil
}

// locals declares the names of a local statement. Its values are already walked.
func (w *walker) locals(names []string, at []position, values []ast.Expr) {
	for i, name := range names {
		v := &variable{name: name, at: at[i]}
		if i < len(values) && (i < len(values)-1 || len(names) == len(values)) {
			v.value = values[i]
		} else if i == len(values)-1 {
			v.value = values[i] // the first result of the call
		}
		_, v.function = v.value.(*ast.FunctionExpr)
		if len(values) > 0 && len(names) > len(values) && i >= len(values)-1 && i < len(names)-1 {
			v.mayBeUnused = true // other results of the same call follow
		}
		w.declare(v)
	}
}
