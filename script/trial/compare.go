package trial

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
)

const (
	maxDifferences = 5   // differences listed for two tables
	maxCompared    = 16  // nesting depth of compared tables
	maxShown       = 200 // bytes of a printed value
)

// differences lists the differences between two values of one state. Plain values give "got 3, want
// 2". Tables add the path: ".points[2]: got 3, want 2". The list is empty if the values are equal.
func differences(got, want lua.LValue) []string {
	c := comparison{}
	c.compare("", got, want, 0)
	if len(c.found) > maxDifferences {
		more := len(c.found) - maxDifferences
		return append(c.found[:maxDifferences:maxDifferences], fmt.Sprintf("and %d more", more))
	}
	return c.found
}

type comparison struct{ found []string }

func (c *comparison) compare(at string, got, want lua.LValue, depth int) {
	g, ok1 := got.(*lua.LTable)
	w, ok2 := want.(*lua.LTable)
	switch {
	case got == want || equalValues(got, want):
	case !ok1 || !ok2 || depth >= maxCompared:
		if at != "" {
			at += ": "
		}
		c.found = append(c.found, fmt.Sprintf("%sgot %s, want %s", at, printedValue(got), printedValue(want)))
	default:
		for _, k := range keysOf(g, w) {
			c.compare(at+bind.NewPrinter().Step(k), g.RawGet(k), w.RawGet(k), depth+1)
		}
	}
}

// equalValues reports whether two values are equal. It compares vectors, rotations, tags and
// objects by content.
func equalValues(a, b lua.LValue) bool {
	x, err := bind.FromLua(a)
	if err != nil {
		return false
	}
	y, err := bind.FromLua(b)
	return err == nil && x == y
}

// keysOf returns the keys of all the tables: sorted numbers, then sorted strings, then the rest.
func keysOf(tables ...*lua.LTable) (keys []lua.LValue) {
	seen := map[lua.LValue]bool{}
	for _, t := range tables {
		for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	bind.SortKeys(keys)
	return keys
}

// printedValue returns a value as an assertion prints it: in Lua syntax, tables with their
// contents, cut after maxShown bytes.
func printedValue(v lua.LValue) string {
	text := bind.NewPrinter().Line(v)
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}
