package lint

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script"
)

// testChapter is the chapter of the reference with the functions for test files only.
const testChapter = "Tests"

// api is the script reference, indexed by name.
type api struct {
	globals   map[string]*script.Entry            // functions and values
	tests     map[string]*script.Entry            // only in test files
	members   map[string]map[string]*script.Entry // by the owner of the member
	callbacks map[string]map[string]*script.Entry
	classes   map[string]*class // by lower-case name
	console   []string          // console commands and variables
	commands  map[string]bool
	names     []string // names of globals, for suggestions
}

// A class is a class of the engine or of a mod.
type class struct {
	name, parent string
	block        bool
	abstract     bool
	data         string                  // class of its datablocks
	fields       map[string]script.Types // by lower-case name; only for classes from Lua
	open         bool                    // it can have fields unknown to the checker
}

// given lists the globals without an entry in the reference.
var given = []string{"serverCmd", "clientCmd", "GameConnection"}

// alias maps a type name in signatures to the class name.
var alias = map[string]string{"Object": "SimObject", "Group": "SimSet", "Client": "GameConnection", "Datablock": "SimDataBlock"}

func newAPI(r *script.Reference) *api {
	a := &api{
		globals: map[string]*script.Entry{}, tests: map[string]*script.Entry{}, classes: map[string]*class{},
		members: map[string]map[string]*script.Entry{}, callbacks: map[string]map[string]*script.Entry{}, commands: map[string]bool{},
	}
	for i := range r.Chapters {
		for j := range r.Chapters[i].Entries {
			a.add(&r.Chapters[i].Entries[j], r.Chapters[i].Name == testChapter)
		}
	}
	for _, c := range r.Classes {
		a.classes[fold(c.Name)] = &class{name: c.Name, parent: c.Parent, block: c.Datablock, abstract: c.Abstract, data: c.DataBlock}
	}
	for _, e := range r.Commands {
		a.console = append(a.console, e.Name)
		a.commands[e.Name] = true
	}
	for _, e := range r.Variables {
		a.console = append(a.console, e.Name)
	}
	a.names = append(a.names, given...)
	slices.Sort(a.names)
	return a
}

func (a *api) add(e *script.Entry, test bool) {
	switch {
	case e.Kind == script.KindNotation:
	case e.Kind == script.KindCallback:
		put(a.callbacks, e)
	case e.Of != "":
		put(a.members, e)
	case test:
		a.tests[e.Name] = e
	default:
		a.globals[e.Name] = e
		a.names = append(a.names, e.Name)
	}
}

func put(to map[string]map[string]*script.Entry, e *script.Entry) {
	if to[e.Of] == nil {
		to[e.Of] = map[string]*script.Entry{}
	}
	to[e.Of][e.Name] = e
}

func fold(name string) string { return strings.ToLower(name) }

// realmOf returns the realms with the entry.
func realmOf(e *script.Entry) script.Realm {
	switch e.Realm {
	case script.Server.Letters():
		return script.Server
	case script.Client.Letters():
		return script.Client
	}
	return script.Both
}

// keys returns the sorted keys of a map.
func keys[T any](of map[string]T) []string {
	list := make([]string, 0, len(of))
	for name := range of {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// mostNames limits a suggestion: longer lists of candidates are not searched.
const mostNames = 4096

// meant returns a suggestion for a misspelt name, as the end of a sentence. It returns "" if no
// candidate is near.
func meant(name string, among []string) string {
	if len(among) > mostNames {
		return ""
	}
	if near := sim.Nearest(name, among); near != "" && near != name {
		return `, did you mean "` + near + `"?`
	}
	return ""
}
