package sim

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/torc-engine/torc/internal/spell"
)

// MaxName is the maximum length of an object's name in bytes.
const MaxName = 64

// nameIndex finds objects by name, ignoring case. If several objects have the same name, it finds
// the newest.
type nameIndex map[string][]Object // by fold(name), in id order

// fold returns the form of a name used for comparison.
func fold(name string) string { return strings.ToLower(name) }

// foldedRoom is the length of the names that foldedIn looks up without an allocation.
const foldedRoom = 48

// foldedIn returns the value of fold(name) in a map. It makes no string for a short name in ASCII,
// because scope tests look up fields of every object that moves into a client's view.
func foldedIn[V any](m map[string]V, name string) V {
	if len(name) > foldedRoom {
		return m[fold(name)]
	}
	var key [foldedRoom]byte
	for i := range len(name) {
		b := name[i]
		if b >= utf8.RuneSelf {
			return m[fold(name)]
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		key[i] = b
	}
	return m[string(key[:len(name)])]
}

func (n nameIndex) add(o Object) {
	key := fold(o.Ident().name)
	list := n[key]
	i, _ := slices.BinarySearchFunc(list, o.Ident().id, byID)
	n[key] = slices.Insert(list, i, o)
}

func (n nameIndex) remove(o Object) {
	key := fold(o.Ident().name)
	list := n[key]
	i, found := slices.BinarySearchFunc(list, o.Ident().id, byID)
	if !found {
		return
	}
	if len(list) == 1 {
		delete(n, key)
		return
	}
	n[key] = slices.Delete(list, i, i+1)
}

// replace puts an object into the place of another with its id and name.
func (n nameIndex) replace(o Object) {
	list := n[fold(o.Ident().name)]
	if i, found := slices.BinarySearchFunc(list, o.Ident().id, byID); found {
		list[i] = o
	}
}

func (n nameIndex) find(name string) Object {
	list := foldedIn(n, name)
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func byID(o Object, id ID) int {
	switch i := o.Ident().id; {
	case i < id:
		return -1
	case i > id:
		return 1
	}
	return 0
}

// suggestion returns the end of an error about an unknown name: the nearest name, if any.
func suggestion(name string, among []string) string {
	if near := spell.Nearest(name, among); near != "" {
		return `, did you mean "` + near + `"?`
	}
	return ""
}
