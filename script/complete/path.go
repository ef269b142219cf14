package complete

import (
	"strconv"
	"strings"
)

// A Path is an expression that ends in an unfinished member: clientGroup:at(1).na
type Path struct {
	Stem string // the text up to and including the last . or :
	Root string // a global
	Keys []Key
	Sign byte // the last . or :
}

// A Key is a step from a value to the next one.
type Key struct {
	Name   string  // of a field, of a string index, or of a method
	Number float64 // an index, or the argument of a method
	Kind   Kind
}

// Kind is the kind of a Key.
type Kind uint8

// The kinds of keys.
const (
	Field  Kind = iota // .name or ["name"]
	Index              // [number]
	Method             // :name(number)
)

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// Parse reads a path. ok is false for any other expression, and for one name alone.
func Parse(text string) (p Path, ok bool) {
	end := strings.LastIndexAny(text, ".:")
	if end <= 0 || strings.Trim(text[end+1:], letters) != "" {
		return p, false
	}
	p.Stem, p.Sign = text[:end+1], text[end]
	rest := text[:end]
	p.Root, rest = name(rest)
	for rest != "" {
		var k Key
		if k, rest, ok = next(rest); !ok {
			return p, false
		}
		p.Keys = append(p.Keys, k)
	}
	return p, p.Root != ""
}

// next reads the key at the beginning of text.
func next(text string) (k Key, rest string, ok bool) {
	switch text[0] {
	case '.':
		k.Name, rest = name(text[1:])
		return k, rest, k.Name != ""
	case ':':
		k.Kind = Method
		k.Name, rest = name(text[1:])
		inside, rest, closed := strings.Cut(rest, ")")
		number, opened := strings.CutPrefix(inside, "(")
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		k.Number = n
		return k, rest, closed && opened && err == nil && k.Name != ""
	case '[':
		inside, rest, closed := strings.Cut(text[1:], "]")
		inside = strings.TrimSpace(inside)
		if n, err := strconv.ParseFloat(inside, 64); err == nil {
			return Key{Kind: Index, Number: n}, rest, closed
		}
		if len(inside) < 2 || !strings.ContainsRune(`"'`, rune(inside[0])) || inside[len(inside)-1] != inside[0] || strings.Contains(inside, `\`) {
			return k, "", false
		}
		return Key{Name: inside[1 : len(inside)-1]}, rest, closed
	}
	return k, "", false
}

// name cuts a name from the beginning of text.
func name(text string) (name, rest string) {
	rest = strings.TrimLeft(text, letters)
	return text[:len(text)-len(rest)], rest
}
