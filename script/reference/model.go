package reference

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/vm"
)

// Version is the version of the format of Reference.JSON. It increases when something
// changes its meaning or is removed. Additions do not change it.
const Version = 1

// Model describes everything that a mod can call and every callback of mods. It is the source of
// the API page, the JSON data, the stubs for editors, the help and the checks.
type Model struct {
	Version   int           `json:"version"`
	Chapters  []Chapter     `json:"chapters"`
	Classes   []Class       `json:"classes"`   // of the game, sorted by name
	Commands  []ConsoleName `json:"commands"`  // of the console
	Variables []ConsoleName `json:"variables"` // of the console
}

// A Chapter is a group of related entries.
type Chapter struct {
	Name    string   `json:"name"`
	Entries []Symbol `json:"entries"`
}

// The kinds of entries.
const (
	KindFunction = "function" // echo(...), string.rep(...)
	KindMethod   = "method"   // obj:delete()
	KindValue    = "value"    // server, math.pi
	KindField    = "field"    // obj.name, Player.energy
	KindCallback = "callback" // function onTick(tick): defined by a mod, called by the engine
	KindNotation = "notation" // syntax: new "Class" { … }
)

// Symbol is a name that can be called, read or defined.
type Symbol struct {
	Kind string `json:"kind"`
	// Of is the owner of a member: a table (string), a class (Player; SimObject, SimSet and
	// GameConnection for every object, group and client) or a type (vec). For callbacks it is the
	// table of the definition: GameConnection, serverCmd, clientCmd, a class, or Handle for any
	// class or datablock. It is "" for a global.
	Of      string     `json:"of,omitempty"`
	Name    string     `json:"name,omitempty"` // without Of; "" for a notation
	Call    string     `json:"call"`           // as shown to readers
	Params  []vm.Param `json:"params,omitempty"`
	Results []vm.Param `json:"results,omitempty"`
	Types   vm.Types   `json:"types,omitempty"` // of a value or a field
	Realm   string     `json:"realm"`           // S, C or SC
	Doc     string     `json:"doc"`
}

// Class is a class of the game. The chapters hold its members.
type Class struct {
	Name      string `json:"name"`
	Parent    string `json:"parent,omitempty"`
	Doc       string `json:"doc"`
	Datablock bool   `json:"datablock,omitempty"` // declared with datablock instead of new
	Abstract  bool   `json:"abstract,omitempty"`  // only a base of other classes
	DataBlock string `json:"dataBlock,omitempty"` // class of its objects' datablocks
}

// ConsoleName is a command or a variable of the console.
type ConsoleName struct {
	Name   string `json:"name"`
	Params string `json:"params,omitempty"`
	Realm  string `json:"realm"`
	Doc    string `json:"doc"`
}

// Signature returns the parameters and results of a function, method or callback.
func (e *Symbol) Signature() vm.Signature { return vm.Signature{Params: e.Params, Results: e.Results} }

// rowOwners maps the first words of rows to their classes and types.
var rowOwners = map[string]string{"obj": "SimObject", "group": "SimSet", "client": "GameConnection", "store": "Store", "shared": "Shared"}

// New returns the rows of chapters as a model, without classes and console.
func New(libs []vm.Lib) *Model {
	r := &Model{Version: Version}
	for i := range libs {
		r.Chapters = append(r.Chapters, chapterOf(&libs[i]))
	}
	return r
}

func chapterOf(l *vm.Lib) Chapter {
	c := Chapter{Name: l.Name}
	for i := range l.Funcs {
		c.Entries = append(c.Entries, symbolOf(&l.Funcs[i]))
	}
	return c
}

// AddConsole adds the commands and variables of one side's console.
func (r *Model) AddConsole(c *console.Console, side vm.Realm) {
	for _, name := range c.Names() {
		command, variable := c.Lookup(name)
		if command != nil {
			r.Commands = append(r.Commands, ConsoleName{name, command.Params, side.Letters(), Sentence(command.Help)})
		} else {
			r.Variables = append(r.Variables, ConsoleName{name, "", side.Letters(), Sentence(variable.Help)})
		}
	}
}

// Merge adds the console of a client to the reference of a server. Names on both sides appear once.
// If their texts differ, both appear.
func (r *Model) Merge(other *Model) {
	r.Commands = mergeNamed(r.Commands, other.Commands)
	r.Variables = mergeNamed(r.Variables, other.Variables)
}

func mergeNamed(a, b []ConsoleName) []ConsoleName {
	for _, e := range b {
		i := slices.IndexFunc(a, func(have ConsoleName) bool { return have.Name == e.Name })
		switch {
		case i < 0:
			a = append(a, e)
		case a[i].Realm != e.Realm:
			a[i].Realm = vm.Both.Letters()
			if a[i].Doc != e.Doc {
				a[i].Doc += " On a client: " + strings.ToLower(e.Doc[:1]) + e.Doc[1:]
			}
		}
	}
	order.By(a, func(x, y ConsoleName) int { return strings.Compare(x.Name, y.Name) })
	return a
}

// JSON returns the model as an object with version (see Version), chapters, classes,
// commands and variables. The struct tags in this file name the keys. Types are written as in
// signatures.
func (r *Model) JSON() ([]byte, error) { return json.MarshalIndent(r, "", "  ") }

// Entries calls fn for each entry in order, until it returns false.
func (r *Model) Entries(fn func(e *Symbol) bool) {
	for i := range r.Chapters {
		for j := range r.Chapters[i].Entries {
			if !fn(&r.Chapters[i].Entries[j]) {
				return
			}
		}
	}
}

// symbolOf converts a row to a symbol. A row that does not parse becomes a notation; a test makes
// sure that every row with a signature parses.
func symbolOf(f *vm.Func) Symbol {
	e := Symbol{Kind: KindNotation, Call: f.Signature(), Realm: f.Sides().Letters(), Doc: f.Doc}
	if head, ok := strings.CutPrefix(f.Name, "function "); ok {
		return callbackOf(e, head)
	}
	if !isPath(f.Name) {
		return e
	}
	of, name, method := strings.Cut(f.Name, ":")
	if !method {
		if of, name, method = strings.Cut(f.Name, "."); !method {
			of, name = "", of
		}
		method = false
	}
	kind, named := rowOwners[of]
	if named {
		of = kind
	}
	if f.IsValue() {
		types, err := vm.ParseTypes(f.Params[2:])
		if err != nil {
			return e
		}
		e.Kind, e.Of, e.Name, e.Types = KindValue, of, name, types
		if named || of != "" && (of[0] >= 'A' && of[0] <= 'Z' || of == "vec" || of == "rot") {
			e.Kind = KindField
		}
		return e
	}
	s, err := vm.ParseSignature(f.Params)
	if err != nil {
		return e
	}
	e.Kind, e.Of, e.Name, e.Params, e.Results = KindFunction, of, name, s.Params, s.Results
	if method {
		e.Kind = KindMethod
	}
	return e
}

// callbackOf parses "GameConnection.onDrop(client: Client, reason: string)".
func callbackOf(e Symbol, head string) Symbol {
	name, rest, _ := strings.Cut(head, "(")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 {
		return e
	}
	s, err := vm.ParseSignature(rest[:end] + rest[end+1:])
	if err != nil {
		return e
	}
	e.Kind, e.Name, e.Params, e.Results = KindCallback, name, s.Params, s.Results
	if i := strings.IndexAny(name, ".:"); i >= 0 {
		e.Of, e.Name = name[:i], name[i+1:]
	}
	return e
}

// isPath reports whether a row's name is a Lua path: names with dots, and at most one colon.
func isPath(name string) bool {
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' }) {
		if strings.Trim(part, vm.NameLetters) != "" {
			return false
		}
	}
	return name != "" && strings.Count(name, ":") <= 1 && strings.Trim(name[:1], vm.NameLetters) == ""
}

// Sentence formats a doc text like the docs of the other rows.
func Sentence(doc string) string {
	if doc == "" {
		return ""
	}
	return strings.ToUpper(doc[:1]) + strings.TrimSuffix(doc[1:], ".") + "."
}
