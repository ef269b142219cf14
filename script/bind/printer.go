package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/vm"
)

// Limits of one print.
const (
	PrintDepth  = 4        // levels of tables, unless the caller asks for fewer or more
	maxFields   = 100      // entries of one table
	maxEntries  = 1000     // entries of all tables
	maxSize     = 16 << 10 // bytes of all words
	maxWord     = 200      // bytes of a string inside a table
	maxScan     = 4096     // keys that are read of one table, to sort them
	scanCost    = 64       // instructions for reading and sorting a key
	entryCost   = 200      // instructions for printing an entry
	byteCost    = 4        // instructions for printing a byte
	maxScanCost = 4 << 20  // instructions that all tables can cost
	maxString   = 64 << 10 // bytes of a string that is not inside a table
	width       = 100      // characters of a line, unless one word is longer
)

// A Printer prints values of one Lua state.
type Printer struct {
	// Data returns the text of a userdata in Lua syntax.
	Data func(value any) string
	// Cost is the work of all prints so far, in instructions of about 5 ns.
	Cost int
}

// Line prints a value on one line, tables to the depth of 2.
func (p *Printer) Line(v lua.LValue) string { return p.tree(v, 2).line() }

// Lines prints a value, on several lines if it is a long table.
func (p *Printer) Lines(v lua.LValue, depth int) string {
	var b strings.Builder
	p.tree(v, depth).write(&b, "")
	return b.String()
}

// Values prints several values: separated by tabs on one line if each of them fits, else one below
// the other.
func (p *Printer) Values(values []lua.LValue) string {
	words, between := make([]string, len(values)), "\t"
	for i, v := range values {
		if words[i] = p.Lines(v, PrintDepth); strings.Contains(words[i], "\n") {
			between = "\n"
		}
	}
	return strings.Join(words, between)
}

func (p *Printer) tree(v lua.LValue, depth int) *node {
	if s, ok := v.(lua.LString); ok {
		p.Cost += byteCost * min(len(s), maxString)
		return &node{text: clip(string(s), maxString)}
	}
	w := walk{Printer: p, depth: depth}
	n := w.value(v)
	p.Cost += w.scanned + entryCost*(w.entries+1) + byteCost*w.size
	return &n
}

// A walk is one print in progress.
type walk struct {
	*Printer
	depth     int
	enclosing []*lua.LTable // the tables around the current value
	entries   int
	size      int // bytes of text
	scanned   int // cost of reading the tables, in instructions
}

func (w *walk) value(v lua.LValue) node {
	if t, ok := v.(*lua.LTable); ok {
		return w.table(t)
	}
	text := w.Word(v)
	w.size += len(text)
	return node{text: text}
}

// Word prints a value that is no table. Long strings are cut.
func (p *Printer) Word(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return clip(string(v), maxWord)
	case lua.LNumber:
		return vm.NumberText(float64(v))
	case *lua.LUserData:
		return p.Data(v.Value)
	case *lua.LFunction:
		if v.IsG {
			return "function"
		}
		return fmt.Sprintf("function %s:%d", console.Clean(vm.ClipText(v.Proto.SourceName, vm.MaxQuoted)), v.Proto.LineDefined)
	case *lua.LTable:
		return fmt.Sprintf("table: %d", v.Len())
	}
	return v.String()
}

func (w *walk) table(t *lua.LTable) node {
	switch {
	case slices.Contains(w.enclosing, t):
		return node{text: "<cycle>"}
	case len(w.enclosing) >= w.depth || w.full() || w.scanned > maxScanCost:
		if k, _ := t.Next(lua.LNil); k == lua.LNil {
			return node{text: "{}"}
		}
		return node{text: "{…}"}
	}
	w.scanned += vm.ScanCost(t)
	w.enclosing = append(w.enclosing, t)
	n := w.fields(t)
	w.enclosing = w.enclosing[:len(w.enclosing)-1]
	return n
}

func (w *walk) full() bool { return w.entries >= maxEntries || w.size >= maxSize }

// fields prints the entries of a table.
func (w *walk) fields(t *lua.LTable) node {
	n, next := node{table: true}, 1 // next is the next index of the list part
	keys, all := w.keys(t)
	for i, k := range keys {
		if i == maxFields || w.full() {
			n.rest = fmt.Sprintf("… %d more", len(keys)-i)
			break
		}
		w.entries++
		field := w.value(t.RawGet(k))
		if k == lua.LNumber(next) {
			next++
		} else {
			field.name = strings.TrimPrefix(w.Step(k), ".")
			w.size += len(field.name)
		}
		n.fields = append(n.fields, field)
	}
	if !all {
		n.rest = "… more"
	}
	if t.Metatable != nil && t.Metatable != lua.LNil {
		n.rest = strings.TrimPrefix(n.rest+", <metatable>", ", ")
	}
	return n
}

// keys returns the keys of a table, sorted. A very large table is read in part; then all is false.
func (w *walk) keys(t *lua.LTable) (keys []lua.LValue, all bool) {
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		if len(keys) == maxScan {
			break
		}
		keys = append(keys, k)
	}
	all = len(keys) < maxScan
	w.scanned += scanCost * len(keys)
	SortKeys(keys)
	return keys, all
}

// SortKeys sorts the keys of a table: numbers, strings, then the others in the given order.
func SortKeys(keys []lua.LValue) { slices.SortStableFunc(keys, compareKeys) }

func compareKeys(a, b lua.LValue) int {
	if d := cmp.Compare(rank(a), rank(b)); d != 0 {
		return d
	}
	switch a := a.(type) {
	case lua.LNumber:
		return cmp.Compare(a, b.(lua.LNumber))
	case lua.LString:
		return cmp.Compare(a, b.(lua.LString))
	}
	return 0
}

func rank(k lua.LValue) int {
	switch k.(type) {
	case lua.LNumber:
		return 0
	case lua.LString:
		return 1
	}
	return 2
}
