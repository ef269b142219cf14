package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
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
			c.compare(at+pathStep(k), g.RawGet(k), w.RawGet(k), depth+1)
		}
	}
}

// equalValues reports whether two values are equal. It compares vectors, rotations, tags and objects by
// content.
func equalValues(a, b lua.LValue) bool {
	x, err := fromLua(a)
	if err != nil {
		return false
	}
	y, err := fromLua(b)
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
	rank := func(k lua.LValue) int {
		switch k.(type) {
		case lua.LNumber:
			return 0
		case lua.LString:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(keys, func(a, b lua.LValue) int {
		if r := rank(a); r != rank(b) || r == 2 {
			return r - rank(b)
		} else if r == 0 {
			return cmp.Compare(a.(lua.LNumber), b.(lua.LNumber))
		}
		return strings.Compare(string(a.(lua.LString)), string(b.(lua.LString)))
	})
	return keys
}

// pathStep returns the path element of a key: ".name" or "[2]".
func pathStep(k lua.LValue) string {
	if name, ok := k.(lua.LString); ok && name != "" && strings.Trim(string(name), vm.NameLetters) == "" {
		return "." + string(name)
	}
	return "[" + luaLiteral(k) + "]"
}

// printedValue returns a value as an assertion prints it: in Lua syntax, tables with their contents, cut
// after maxShown bytes.
func printedValue(v lua.LValue) string {
	text := tableText(v, 0)
	if len(text) <= maxShown {
		return text
	}
	return truncate(text, maxShown) + "…"
}

func tableText(v lua.LValue, depth int) string {
	t, ok := v.(*lua.LTable)
	if !ok {
		return luaLiteral(v)
	}
	if depth == 3 {
		return "{…}"
	}
	var words []string
	next := 1
	size := 0
	for _, k := range keysOf(t) {
		word := tableText(t.RawGet(k), depth+1)
		if k == lua.LNumber(next) {
			next++
		} else if name := pathStep(k); name[0] == '.' {
			word = name[1:] + " = " + word
		} else {
			word = name + " = " + word
		}
		words = append(words, word)
		if size += len(word); size > maxShown {
			break
		}
	}
	return "{" + strings.Join(words, ", ") + "}"
}
