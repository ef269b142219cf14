package texts

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// formNames are the plural forms of CLDR.
var formNames = []string{"zero", "one", "two", "few", "many", "other"}

// other is the form of a text without plural forms, and of numbers without another form.
const other = 5

// An Entry is what a table has for a key.
type Entry struct {
	Line  int // in its file
	Count int // the argument that is counted, 1…9; 0 without plural forms
	forms [6]string
}

// Plural reports whether the entry has plural forms.
func (e *Entry) Plural() bool { return e.Count > 0 }

// Forms lists the names of the plural forms.
func (e *Entry) Forms() (list []string) {
	for i, name := range formNames {
		if e.Plural() && e.forms[i] != "" {
			list = append(list, name)
		}
	}
	return list
}

// Places are the arguments that a text names: bit n stands for %n.
type Places uint16

func (p Places) String() string {
	var list []string
	for n := 1; n <= 9; n++ {
		if p&(1<<n) != 0 {
			list = append(list, fmt.Sprintf("%%%d", n))
		}
	}
	if len(list) == 0 {
		return "no place"
	}
	return strings.Join(list, " ")
}

// Places returns the arguments that any form names. The counted one counts as named: a form can say
// "one flag".
func (e *Entry) Places() Places {
	var all Places
	for _, text := range e.forms {
		p, _ := placesOf(text)
		all |= p
	}
	if e.Plural() {
		all |= 1 << e.Count
	}
	return all
}

// Needs returns how many arguments the text needs in any case: the highest one that all of its
// forms name, or the counted one.
func (e *Entry) Needs() int {
	all := ^Places(0)
	for _, text := range e.forms {
		if text != "" {
			all &= PlacesOf(text)
		}
	}
	return max(e.Count, bits.Len16(uint16(all))-1)
}

// TooFew returns what is wrong with a number of arguments, "" if nothing is. A text without
// arguments can have those that follow it in a command.
func (e *Entry) TooFew(key string, args int) string {
	if args == 0 || args >= e.Needs() {
		return ""
	}
	return fmt.Sprintf("the text %q names %%%d, and gets %d of its arguments", key, e.Needs(), args)
}

// PlacesOf returns the arguments that a text names.
func PlacesOf(text string) Places {
	p, _ := placesOf(text)
	return p
}

// placesOf returns the arguments that a text names, and how often it names one.
func placesOf(text string) (all Places, n int) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		i++
		if c := text[i]; c >= '1' && c <= '9' {
			all |= 1 << (c - '0')
			n++
		}
	}
	return all, n
}

// newEntry makes the entry of a value of TOML.
func newEntry(value any) (*Entry, error) {
	switch value := value.(type) {
	case string:
		e := &Entry{}
		e.forms[other] = value
		return e, checkText(value)
	case map[string]any:
		return newPlural(value)
	}
	return nil, fmt.Errorf("must be a text, or a table of plural forms such as { one = \"%%1 frag\", other = \"%%1 frags\" }")
}

// newPlural makes the entry of a table of plural forms.
func newPlural(value map[string]any) (*Entry, error) {
	e := &Entry{Count: 1}
	names := make([]string, 0, len(value))
	for name := range value { // any order: it is sorted
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == "count" {
			n, ok := value[name].(int64)
			if !ok || n < 1 || n > 9 {
				return nil, fmt.Errorf("count must be the number of an argument, 1…9")
			}
			e.Count = int(n)
			continue
		}
		i := slices.Index(formNames, name)
		if i < 0 {
			return nil, fmt.Errorf("unknown plural form %q; known are %s, and count", cut(name), strings.Join(formNames, ", "))
		}
		text, ok := value[name].(string)
		if !ok {
			return nil, fmt.Errorf("the form %s must be a text", name)
		}
		if err := checkText(text); err != nil {
			return nil, fmt.Errorf("the form %s %w", name, err)
		}
		e.forms[i] = text
	}
	if e.forms[other] == "" {
		return nil, fmt.Errorf("has no form other, which every language needs")
	}
	return e, nil
}

// checkText returns why a text cannot be one of a table.
func checkText(text string) error {
	_, places := placesOf(text)
	switch {
	case text == "":
		return fmt.Errorf("must not be empty")
	case len(text) > MaxText:
		return fmt.Errorf("has %d bytes: must be at most %d", len(text), MaxText)
	case places > maxPlaces:
		return fmt.Errorf("names arguments %d times: must be at most %d", places, maxPlaces)
	case !utf8.ValidString(text):
		return fmt.Errorf("must be UTF-8")
	}
	for _, r := range text {
		if r != '\n' && unicode.IsControl(r) || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return fmt.Errorf("has the character U+%04X, which controls more than its own place", r)
		}
	}
	return nil
}

// cut shortens a name for a message.
func cut(name string) string {
	const most = 40
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
