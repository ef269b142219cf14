package lint

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script"
)

// A unit is a mod: its files, and what they define.
type unit struct {
	name     string
	manifest *script.Manifest
	dir      fs.FS
	own      bool // it is checked, and not only known
	files    []*file

	globals    map[string]*global
	exports    map[string]script.Realm
	openExport bool                   // it exports what was not seen
	functions  map[string]bool        // in handles of classes and datablocks, or in any other table
	handlers   map[string]bool        // of commands, "servercmdname"
	called     map[string]bool        // names that broadcast and schedule call
	mentioned  map[string]bool        // names of members that are read or called
	console    map[string]bool        // settings and commands
	classes    map[string]*class      // by names in lower case
	blocks     map[string]string      // datablocks: the class, by names in lower case
	openClass  bool                   // it declares classes whose names were not seen
	openBlock  bool                   // and datablocks
	dynamic    bool                   // code that is made at run time may name anything
	anyFile    bool                   // require or exec get what is no literal
	reached    map[*file]script.Realm // where files run
}

// A file is one of Lua.
type file struct {
	name   string
	realm  script.Realm
	test   bool
	src    *source
	chunk  []ast.Stmt
	runs   bool // the engine runs it by itself
	placed bool // its folder says where it runs
}

// A global is a name that a mod's files share.
type global struct {
	defs  []definition
	reads script.Realm // where it is read
}

// A definition is an assignment to a global.
type definition struct {
	file  *file
	at    place
	realm script.Realm
	value ast.Expr // nil if it is one of several that a call gives
}

func newUnit(name string, dir fs.FS, manifest *script.Manifest, own bool) *unit {
	return &unit{
		name: name, manifest: manifest, dir: dir, own: own,
		globals: map[string]*global{}, exports: map[string]script.Realm{}, functions: map[string]bool{},
		handlers: map[string]bool{}, called: map[string]bool{}, mentioned: map[string]bool{}, console: map[string]bool{},
		classes: map[string]*class{}, blocks: map[string]string{},
	}
}

// read finds and parses the unit's files. What does not parse is reported and has no tree.
func (u *unit) read(c *checker) error {
	return fs.WalkDir(u.dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".lua") {
			return nil
		}
		text, err := fs.ReadFile(u.dir, name)
		if err != nil {
			return err
		}
		f := newFile(name)
		u.files = append(u.files, f)
		chunk, err := script.Parse(name, string(text))
		if err != nil {
			if u.own {
				c.syntax(f, err)
			}
			return nil
		}
		f.chunk, f.src = chunk, scan(string(text))
		return nil
	})
}

func newFile(name string) *file {
	f := &file{name: name, realm: script.Both}
	top, rest, inside := strings.Cut(name, "/")
	f.placed = inside && slices.Contains([]string{"server", "client", "shared", "missions", "test"}, top)
	switch {
	case !f.placed:
	case top == "server":
		f.realm, f.runs = script.Server, rest == "init.lua"
	case top == "client":
		f.realm, f.runs = script.Client, rest == "init.lua"
	case top == "shared":
		f.runs = !strings.Contains(rest, "/")
	case top == "missions":
		f.realm, f.runs = script.Server, true
	case top == "test":
		f.realm, f.test = script.Server, true
		f.runs = strings.HasSuffix(rest, "_test.lua")
	}
	return f
}

// reach finds where files run: those that the engine runs by itself, and what they require. A file outside of the known
// folders is of the halves that require it.
func (u *unit) reach() {
	byName := map[string]*file{}
	for _, f := range u.files {
		byName[f.name] = f
	}
	u.reached = map[*file]script.Realm{}
	var visit func(f *file, realm script.Realm)
	visit = func(f *file, realm script.Realm) {
		if f == nil || u.reached[f]&realm == realm {
			return
		}
		u.reached[f] |= realm
		for _, name := range f.needs() {
			visit(byName[name], realm)
		}
	}
	for _, f := range u.files {
		if f.runs {
			visit(f, f.realm)
		}
	}
	for _, f := range u.files {
		if !f.placed && u.reached[f] != 0 {
			f.realm = u.reached[f]
		}
	}
}

// needs are the files that a file requires or runs by their names.
func (f *file) needs() []string {
	if f.src == nil {
		return nil
	}
	var list []string
	for i, t := range f.src.tokens {
		if !t.name || i+1 == len(f.src.tokens) || f.src.tokens[i+1].name {
			continue
		}
		switch text := f.src.tokens[i+1].text; t.text {
		case "require":
			list = append(list, fileOf(text))
		case "exec":
			list = append(list, text)
		}
	}
	return list
}

// idle tells of files that nothing runs.
func (u *unit) idle(c *checker) {
	for _, f := range u.files {
		if u.reached[f] == 0 && !u.anyFile && f.chunk != nil {
			c.report(f, place{1, 1}, ruleFile, "nothing runs this file: no file requires %q", moduleName(f.name))
		}
	}
}

// moduleName is how require names a file.
func moduleName(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, ".lua"), "/", ".")
}

// fileOf is the file that require means.
func fileOf(module string) string {
	return path.Join(strings.ReplaceAll(strings.TrimSuffix(module, ".lua"), ".", "/")) + ".lua"
}
