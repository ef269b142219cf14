package script

import (
	"strconv"
	"strings"
)

// A luaPath is an expression that ends in an unfinished member: clientGroup:at(1).na. Reading it
// runs no Lua.
type luaPath struct {
	Stem string // the text up to and including the last . or :
	Root string // a global
	Keys []pathKey
	Sign byte // the last . or :
}

// A pathKey is a step from a value to the next one.
type pathKey struct {
	Name   string  // of a field, of a string index, or of a method
	Number float64 // an index, or the argument of a method
	Kind   keyKind
}

// keyKind is the kind of a Key.
type keyKind uint8

// The kinds of keys.
const (
	keyField  keyKind = iota // .name or ["name"]
	keyIndex                 // [number]
	keyMethod                // :name(number)
)

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// parsePath reads a path. ok is false for any other expression, and for one name alone.
func parsePath(text string) (p luaPath, ok bool) {
	end := strings.LastIndexAny(text, ".:")
	if end <= 0 || strings.Trim(text[end+1:], nameLetters) != "" {
		return p, false
	}
	p.Stem, p.Sign = text[:end+1], text[end]
	rest := text[:end]
	p.Root, rest = cutName(rest)
	for rest != "" {
		var k pathKey
		if k, rest, ok = nextKey(rest); !ok {
			return p, false
		}
		p.Keys = append(p.Keys, k)
	}
	return p, p.Root != ""
}

// nextKey reads the key at the beginning of text.
func nextKey(text string) (k pathKey, rest string, ok bool) {
	switch text[0] {
	case '.':
		k.Name, rest = cutName(text[1:])
		return k, rest, k.Name != ""
	case ':':
		k.Kind = keyMethod
		k.Name, rest = cutName(text[1:])
		inside, rest, closed := strings.Cut(rest, ")")
		number, opened := strings.CutPrefix(inside, "(")
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		k.Number = n
		return k, rest, closed && opened && err == nil && k.Name != ""
	case '[':
		inside, rest, closed := strings.Cut(text[1:], "]")
		inside = strings.TrimSpace(inside)
		if n, err := strconv.ParseFloat(inside, 64); err == nil {
			return pathKey{Kind: keyIndex, Number: n}, rest, closed
		}
		if len(inside) < 2 || !strings.ContainsRune(`"'`, rune(inside[0])) || inside[len(inside)-1] != inside[0] || strings.Contains(inside, `\`) {
			return k, "", false
		}
		return pathKey{Name: inside[1 : len(inside)-1]}, rest, closed
	}
	return k, "", false
}

// cutName cuts a name from the beginning of text.
func cutName(text string) (name, rest string) {
	rest = strings.TrimLeft(text, nameLetters)
	return text[:len(text)-len(rest)], rest
}
