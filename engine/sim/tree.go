package sim

import "slices"

// A Tree is nested data, as scripts write it: values by position, and values by name. A value is a
// Value or a *Tree.
type Tree struct {
	List  []any
	Named map[string]any
}

// A Form stores tables in a text field, in a form that is short on the wire. Scripts see only the
// tables.
type Form interface {
	// Pack returns the text of a table. The error is one sentence and says which values are valid.
	Pack(*Tree) (string, error)

	// Unpack returns the table of a text. ok is false if the text is invalid.
	Unpack(text string) (t *Tree, ok bool)
}

// WithForm makes a text field hold tables, or the empty text for none. A value from the wire can
// still be any text.
func (f Field) WithForm(form Form) Field { f.Form = form; return f }

// holdsText reports whether a text is valid.
func (f *Field) holdsText(text string) bool {
	if f.Form != nil && text != "" {
		if _, ok := f.Form.Unpack(text); !ok {
			return false
		}
	}
	return len(text) <= f.Max && (len(f.Choices) == 0 || slices.Contains(f.Choices, text))
}
