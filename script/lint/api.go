package lint

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script"
)

// testChapter has the rows that only the files of tests may call.
const testChapter = "Tests"

// api is the reference, found by names.
type api struct {
	globals   map[string]*script.Entry            // functions and values
	tests     map[string]*script.Entry            // of test files alone
	members   map[string]map[string]*script.Entry // by what they are a member of
	callbacks map[string]map[string]*script.Entry
	classes   map[string]*class // by names in lower case
	console   []string          // commands and variables
	commands  map[string]bool
	names     []string // of globals, for those that are nearly one
}

// A class is one of the game, or of a mod.
type class struct {
	name, parent string
	block        bool
	abstract     bool
	data         string                  // the class of its datablocks
	fields       map[string]script.Types // by names in lower case; of a class from Lua
	open         bool                    // it may have fields that were not seen
}

// given are globals that no row describes.
var given = []string{"serverCmd", "clientCmd", "GameConnection"}

// alias are the types that signatures write for classes.
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

// realmOf is where an entry can be called.
func realmOf(e *script.Entry) script.Realm {
	switch e.Realm {
	case script.Server.Letters():
		return script.Server
	case script.Client.Letters():
		return script.Client
	}
	return script.Both
}

// keys are the names in a map, sorted.
func keys[T any](of map[string]T) []string {
	list := make([]string, 0, len(of))
	for name := range of {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// mostNames is among how many names one is looked for that was meant.
const mostNames = 4096

// meant suggests what a name nearly is, as the end of a sentence.
func meant(name string, among []string) string {
	if len(among) > mostNames {
		return ""
	}
	if near := sim.Nearest(name, among); near != "" && near != name {
		return `, did you mean "` + near + `"?`
	}
	return ""
}
