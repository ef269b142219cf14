package bind

import (
	"fmt"
	"math"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// fieldDoc returns a field's documentation, valid values and default.
func fieldDoc(c *sim.Class, f *sim.Field) string {
	text := fieldRange(f)
	if d := c.Default(f); !d.IsNil() && d != sim.String("") {
		text += ", default " + d.Literal()
	}
	if f.Doc != "" {
		return reference.Sentence(f.Doc) + " " + reference.Sentence(text)
	}
	return reference.Sentence(text)
}

// fieldType returns a field's type in the syntax of signatures.
func fieldType(f *sim.Field) string {
	switch f.Kind {
	case sim.KindBool:
		return "boolean"
	case sim.KindVec, sim.KindRot:
		return f.Kind.String()
	case sim.KindString:
		if f.Form != nil {
			return "table?"
		}
		if len(f.Choices) == 0 {
			return "string"
		}
		return `"` + strings.Join(f.Choices, `"|"`) + `"`
	case sim.KindObject:
		return f.Class + "?"
	}
	if f.Whole {
		return "integer"
	}
	return "number"
}

// fieldRange describes the valid values of a field.
func fieldRange(f *sim.Field) string {
	switch f.Kind {
	case sim.KindBool:
		return "true or false"
	case sim.KindVec, sim.KindRot:
		return "a " + f.Kind.String()
	case sim.KindString:
		if f.Form != nil {
			return "a table or nil"
		}
		if len(f.Choices) > 0 {
			return "one of " + strings.Join(f.Choices, ", ")
		}
		return fmt.Sprintf("a string of at most %d bytes", f.Max)
	case sim.KindObject:
		return article(f.Class) + " or nil"
	}
	text := "a number"
	if f.Whole {
		text = "a whole number"
	}
	switch lo, hi := math.IsInf(f.Lo, 0), math.IsInf(f.Hi, 0); {
	case lo && hi:
		return text
	case hi:
		return text + " of at least " + vm.NumberText(f.Lo)
	case lo:
		return text + " of at most " + vm.NumberText(f.Hi)
	}
	return text + " from " + vm.NumberText(f.Lo) + " to " + vm.NumberText(f.Hi)
}

// article returns a name with "a" or "an" before it.
func article(name string) string {
	if strings.ContainsAny(name[:1], "AEIOUaeiou") {
		return "an " + name
	}
	return "a " + name
}
