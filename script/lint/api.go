package lint

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// testChapter is the chapter of the reference with the functions for test files only.
const testChapter = "Tests"

// api is the script reference, indexed by name.
type api struct {
	globals   map[string]*reference.Symbol            // functions and values
	tests     map[string]*reference.Symbol            // only in test files
	members   map[string]map[string]*reference.Symbol // by the owner of the member
	callbacks map[string]map[string]*reference.Symbol
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
	data         string              // class of its datablocks
	fields       map[string]vm.Types // by lower-case name; only for classes from Lua
	open         bool                // it can have fields unknown to the checker
}

// implicitGlobals lists the globals without an entry in the reference.
var implicitGlobals = []string{"serverCmd", "clientCmd", "GameConnection"}

// alias maps a type name in signatures to the class name.
var alias = map[string]string{"Object": "SimObject", "Group": "SimSet", "Client": "GameConnection", "Datablock": "SimDataBlock"}

func newAPI(r *reference.Model) *api {
	a := &api{
		globals: map[string]*reference.Symbol{}, tests: map[string]*reference.Symbol{}, classes: map[string]*class{},
		members: map[string]map[string]*reference.Symbol{}, callbacks: map[string]map[string]*reference.Symbol{}, commands: map[string]bool{},
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
	a.names = append(a.names, implicitGlobals...)
	slices.Sort(a.names)
	return a
}

func (a *api) add(e *reference.Symbol, test bool) {
	switch {
	case e.Kind == reference.KindNotation:
	case e.Kind == reference.KindCallback:
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

func put(to map[string]map[string]*reference.Symbol, e *reference.Symbol) {
	if to[e.Of] == nil {
		to[e.Of] = map[string]*reference.Symbol{}
	}
	to[e.Of][e.Name] = e
}

func fold(name string) string { return strings.ToLower(name) }

// realmOf returns the realms with the entry.
func realmOf(e *reference.Symbol) vm.Realm {
	switch e.Realm {
	case vm.Server.Letters():
		return vm.Server
	case vm.Client.Letters():
		return vm.Client
	}
	return vm.Both
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
	if near := spell.Nearest(name, among); near != "" && near != name {
		return `, did you mean "` + near + `"?`
	}
	return ""
}
