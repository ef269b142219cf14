package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

// ReferenceVersion is the version of the format of Reference.JSON. It increases when something
// changes its meaning or is removed. Additions do not change it.
const ReferenceVersion = 1

// Reference models everything that a mod can call and every callback of mods. It is the source of
// the API page, the JSON data, the stubs for editors, the help and the checks.
type Reference struct {
	Version   int          `json:"version"`
	Chapters  []Chapter    `json:"chapters"`
	Classes   []ClassEntry `json:"classes"`   // of the game, sorted by name
	Commands  []NamedEntry `json:"commands"`  // of the console
	Variables []NamedEntry `json:"variables"` // of the console
}

// A Chapter is a group of related entries.
type Chapter struct {
	Name    string  `json:"name"`
	Entries []Entry `json:"entries"`
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

// Entry is a name that can be called, read or defined.
type Entry struct {
	Kind string `json:"kind"`
	// Of is the owner of a member: a table (string), a class (Player; SimObject, SimSet and
	// GameConnection for every object, group and client) or a type (vec). For callbacks it is the
	// table of the definition: GameConnection, serverCmd, clientCmd, a class, or Handle for any
	// class or datablock. It is "" for a global.
	Of      string  `json:"of,omitempty"`
	Name    string  `json:"name,omitempty"` // without Of; "" for a notation
	Call    string  `json:"call"`           // as shown to readers
	Params  []Param `json:"params,omitempty"`
	Results []Param `json:"results,omitempty"`
	Types   Types   `json:"types,omitempty"` // of a value or a field
	Realm   string  `json:"realm"`           // S, C or SC
	Doc     string  `json:"doc"`
}

// ClassEntry is a class of the game. The chapters hold its members.
type ClassEntry struct {
	Name      string `json:"name"`
	Parent    string `json:"parent,omitempty"`
	Doc       string `json:"doc"`
	Datablock bool   `json:"datablock,omitempty"` // declared with datablock instead of new
	Abstract  bool   `json:"abstract,omitempty"`  // only a base of other classes
	DataBlock string `json:"dataBlock,omitempty"` // class of its objects' datablocks
}

// NamedEntry is a command or a variable of the console.
type NamedEntry struct {
	Name   string `json:"name"`
	Params string `json:"params,omitempty"`
	Realm  string `json:"realm"`
	Doc    string `json:"doc"`
}

// Signature returns the parameters and results of a function, method or callback.
func (e *Entry) Signature() Signature { return Signature{Params: e.Params, Results: e.Results} }

// kinds maps the first words of rows to their classes and types.
var kinds = map[string]string{"obj": "SimObject", "group": "SimSet", "client": "GameConnection", "store": "Store"}

// Reference returns the rows of the host as a model. Scripts adds the classes and the console.
func (h *Host) Reference() *Reference {
	r := &Reference{Version: ReferenceVersion}
	for i := range h.List() {
		r.Chapters = append(r.Chapters, h.List()[i].chapter())
	}
	return r
}

func (l *Lib) chapter() Chapter {
	c := Chapter{Name: l.Name}
	for i := range l.Funcs {
		c.Entries = append(c.Entries, l.Funcs[i].entry())
	}
	return c
}

// Reference returns the complete model: all rows, the rows for tests, the classes, and the console
// of this side.
func (s *Scripts) Reference() *Reference {
	r := s.Host.Reference()
	if tests := TrialAPI(); !slices.ContainsFunc(s.List(), func(l Lib) bool { return l.Name == tests.Name }) {
		r.Chapters = append(r.Chapters, tests.chapter())
	}
	for _, c := range s.engine.World().Classes().List() {
		e := ClassEntry{Name: c.Name, Doc: c.Doc, Datablock: c.Kind == sim.BlockClass, Abstract: c.Abstract, DataBlock: c.DataBlock}
		if p := c.ParentClass(); p != nil {
			e.Parent = p.Name
		}
		r.Classes = append(r.Classes, e)
	}
	r.addConsole(s.console, s.Side)
	return r
}

// addConsole adds the commands and variables of one side's console.
func (r *Reference) addConsole(c *console.Console, side Realm) {
	for _, name := range c.Names() {
		command, variable := c.Lookup(name)
		if command != nil {
			r.Commands = append(r.Commands, NamedEntry{name, command.Params, side.Letters(), sentence(command.Help)})
		} else {
			r.Variables = append(r.Variables, NamedEntry{name, "", side.Letters(), sentence(variable.Help)})
		}
	}
}

// Merge adds the console of the other side to a reference. Names on both sides appear once.
func (r *Reference) Merge(other *Reference) {
	r.Commands = mergeNamed(r.Commands, other.Commands)
	r.Variables = mergeNamed(r.Variables, other.Variables)
}

func mergeNamed(a, b []NamedEntry) []NamedEntry {
	for _, e := range b {
		i := slices.IndexFunc(a, func(have NamedEntry) bool { return have.Name == e.Name })
		switch {
		case i < 0:
			a = append(a, e)
		case a[i].Realm != e.Realm:
			a[i].Realm = Both.Letters()
		}
	}
	slices.SortFunc(a, func(x, y NamedEntry) int { return strings.Compare(x.Name, y.Name) })
	return a
}

// JSON returns the model as an object with version (see ReferenceVersion), chapters, classes,
// commands and variables. The struct tags in this file name the keys. Types are written as in
// signatures.
func (r *Reference) JSON() ([]byte, error) { return json.MarshalIndent(r, "", "  ") }

// MarshalJSON writes the types as a string.
func (t Types) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// MarshalJSON omits empty and false fields.
func (p Param) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name     string `json:"name,omitempty"`
		Types    string `json:"types,omitempty"`
		Optional bool   `json:"optional,omitempty"`
		Variadic bool   `json:"variadic,omitempty"`
	}{p.Name, p.Types.String(), p.Optional, p.Variadic})
}

// Entries calls fn for each entry in order, until it returns false.
func (r *Reference) Entries(fn func(e *Entry) bool) {
	for i := range r.Chapters {
		for j := range r.Chapters[i].Entries {
			if !fn(&r.Chapters[i].Entries[j]) {
				return
			}
		}
	}
}

// entry converts a row to an entry. A row that does not parse becomes a notation; a test makes sure
// that every row with a signature parses.
func (f *Func) entry() Entry {
	e := Entry{Kind: KindNotation, Call: f.signature(), Realm: f.realm().Letters(), Doc: f.Doc}
	if head, ok := strings.CutPrefix(f.Name, "function "); ok {
		return f.callback(e, head)
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
	kind, named := kinds[of]
	if named {
		of = kind
	}
	if f.value() {
		types, err := ParseTypes(f.Params[2:])
		if err != nil {
			return e
		}
		e.Kind, e.Of, e.Name, e.Types = KindValue, of, name, types
		if named || of != "" && (of[0] >= 'A' && of[0] <= 'Z' || of == "vec" || of == "rot") {
			e.Kind = KindField
		}
		return e
	}
	s, err := ParseSignature(f.Params)
	if err != nil {
		return e
	}
	e.Kind, e.Of, e.Name, e.Params, e.Results = KindFunction, of, name, s.Params, s.Results
	if method {
		e.Kind = KindMethod
	}
	return e
}

// callback parses "GameConnection.onDrop(client: Client, reason: string)".
func (f *Func) callback(e Entry, head string) Entry {
	name, rest, _ := strings.Cut(head, "(")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 {
		return e
	}
	s, err := ParseSignature(rest[:end] + rest[end+1:])
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
		if strings.Trim(part, nameLetters) != "" {
			return false
		}
	}
	return name != "" && strings.Count(name, ":") <= 1 && strings.Trim(name[:1], nameLetters) == ""
}
