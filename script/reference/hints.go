package reference

import (
	"fmt"
	"slices"
	"strings"
)

// These texts name what is right where a mod errs: `torc mod check` shows them before the mod runs,
// and the errors of Lua while it runs. Those that begin with a colon end a sentence.

// SetsNoGlobal explains that a declaration, for example `class "X"`, has set no global of its name.
func SetsNoGlobal(declaration, name string) string {
	return fmt.Sprintf(": %s sets no global, write %s = %s {…}", declaration, name, declaration)
}

// IsNoGlobal explains that the name of a class is no global.
func IsNoGlobal(class string) string {
	return fmt.Sprintf(": the name of a class is no global, write %q", class)
}

// IteratesGroup says how to iterate over a group, which can be named by an expression of the mod.
func IteratesGroup(group string) string { return "for o in " + group + ":each() do" }

// VecOperands explains an operator that does not accept its operands, one of which is a vec. It
// returns "" if it accepts them. x and y are the types with their articles, such as "a number".
func VecOperands(operator, x, y string) string {
	scalar := func(kind string) bool { return kind == "a number" || kind == "a string" }
	switch {
	case operator == "+" && x != y:
		return fmt.Sprintf("%s and %s cannot be added: both must be a vec, as in v + vec(0, 0, 5)", x, y)
	case operator == "-" && x != y:
		return fmt.Sprintf("%s cannot be subtracted from %s: both must be a vec, as in v - vec(0, 0, 5)", y, x)
	case operator == "*" && x == y:
		return "two vecs cannot be multiplied: write a:dot(b) or a:cross(b)"
	case operator == "*" && !scalar(x) && !scalar(y):
		return fmt.Sprintf("%s and %s cannot be multiplied: a vec needs a number, as in v * 5", x, y)
	case operator == "/" && !scalar(y):
		return fmt.Sprintf("%s cannot be divided by %s: a vec needs a number, as in v / 5", x, y)
	case operator == "/" && x != "a vec":
		return fmt.Sprintf("%s cannot be divided by a vec", x)
	case operator == "%" || operator == "^":
		return fmt.Sprintf("a vec has no operator %s", operator)
	}
	return ""
}

// maxListed limits the names that a message lists.
const maxListed = 8

// ThereAre lists the names that exist, as the end of a sentence: ": there are A and B".
func ThereAre(names []string) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	n := len(names)
	switch {
	case n == 0:
		return ""
	case n > maxListed:
		return fmt.Sprintf(": there are %s and %d more", strings.Join(names[:maxListed], ", "), n-maxListed)
	case n == 1:
		return ": there is only " + names[0]
	}
	return ": there are " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}
