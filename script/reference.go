package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

// ReferenceVersion is the shape of Reference.JSON. It grows when something in there changes its meaning or goes; what
// is added leaves it as it is.
const ReferenceVersion = 1

// Reference is all that a mod may call and all that calls a mod, as one model: the page, the data, the stubs for
// editors, help, and the checks come from it.
type Reference struct {
	Version   int          `json:"version"`
	Chapters  []Chapter    `json:"chapters"`
	Classes   []ClassEntry `json:"classes"`   // of the game, in order of their names
	Commands  []NamedEntry `json:"commands"`  // of the console
	Variables []NamedEntry `json:"variables"` // of the console
}

// A Chapter is entries that belong together.
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
	KindCallback = "callback" // function onTick(tick): what a mod defines and the engine calls
	KindNotation = "notation" // a way to write something: new "Class" { … }
)

// Entry is one thing that can be called, read or defined.
type Entry struct {
	Kind string `json:"kind"`
	// Of is what it is a member of: a table (string), a class (Player, and SimObject, SimSet and GameConnection for every
	// object, group and client), a type (vec), or what callbacks are defined in (GameConnection, serverCmd, clientCmd, a
	// class, Handle for any class or datablock). "" is a global.
	Of      string  `json:"of,omitempty"`
	Name    string  `json:"name,omitempty"` // without Of; "" of a notation
	Call    string  `json:"call"`           // as people read it
	Params  []Param `json:"params,omitempty"`
	Results []Param `json:"results,omitempty"`
	Types   Types   `json:"types,omitempty"` // of a value or a field
	Realm   string  `json:"realm"`           // S, C or SC
	Doc     string  `json:"doc"`
}

// ClassEntry is a class of the game. Its members are in the chapters.
type ClassEntry struct {
	Name      string `json:"name"`
	Parent    string `json:"parent,omitempty"`
	Doc       string `json:"doc"`
	Datablock bool   `json:"datablock,omitempty"` // declared with datablock, not made with new
	Abstract  bool   `json:"abstract,omitempty"`  // only a base of others
	DataBlock string `json:"dataBlock,omitempty"` // the class of the datablock that its objects have
}

// NamedEntry is a command or a variable of the console.
type NamedEntry struct {
	Name   string `json:"name"`
	Params string `json:"params,omitempty"`
	Realm  string `json:"realm"`
	Doc    string `json:"doc"`
}

// Signature is what a function, method or callback takes and gives.
func (e *Entry) Signature() Signature { return Signature{Params: e.Params, Results: e.Results} }

// kinds are the classes, and types, that the first words of rows stand for.
var kinds = map[string]string{"obj": "SimObject", "group": "SimSet", "client": "GameConnection", "store": "Store"}

// Reference is the host's rows as a model; classes and the console are for Scripts to add.
func (h *Host) Reference() *Reference {
	r := &Reference{Version: ReferenceVersion}
	for i := range h.libs {
		r.Chapters = append(r.Chapters, h.libs[i].chapter())
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

// Reference is all of it: the rows, those of tests, the classes, and what this side's console has.
func (s *Scripts) Reference() *Reference {
	r := s.Host.Reference()
	if tests := TrialAPI(); !slices.ContainsFunc(s.libs, func(l Lib) bool { return l.Name == tests.Name }) {
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

// Merge adds the console of the other side to a reference: what both have is said once.
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

// JSON is the model as data: an object with version (see ReferenceVersion), chapters, classes, commands and variables,
// as the tags of the types here say. Types are texts, as signatures write them.
func (r *Reference) JSON() ([]byte, error) { return json.MarshalIndent(r, "", "  ") }

// MarshalJSON writes the types as a text.
func (t Types) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// MarshalJSON leaves out what does not hold.
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

// entry is a row as the model has it. What does not parse, which a test forbids, is a notation.
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

// callback reads "GameConnection.onDrop(client: Client, reason: string)".
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

// isPath says whether a row's name is one of Lua: names with dots, and at most one colon.
func isPath(name string) bool {
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' }) {
		if strings.Trim(part, nameLetters) != "" {
			return false
		}
	}
	return name != "" && strings.Count(name, ":") <= 1 && strings.Trim(name[:1], nameLetters) == ""
}
