package lint

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/luac"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// modFiles is a mod: its files and their definitions.
type modFiles struct {
	name     string
	manifest *manifest.Manifest
	dir      fs.FS
	checked  bool // the mod to check, not a dependency
	files    []*luaFile

	globals    map[string]*global
	exports    map[string]vm.Realm
	openExport bool                  // it exports names unknown to the checker
	functions  map[string]bool       // functions in handles or in any other table
	overrides  map[string]bool       // names of functions that it overrides
	packages   map[string]string     // names of packages of overrides, by lower-case name
	anyPackage bool                  // it names packages by an argument that is no literal
	handlers   map[string]string     // names of command handlers, by "servercmdname"
	called     map[string]bool       // names that broadcast and schedule call
	mentioned  map[string]bool       // member names that are read or called
	console    map[string]bool       // settings and commands
	classes    map[string]*class     // by lower-case name
	blocks     map[string]string     // datablock classes by lower-case datablock name
	openClass  bool                  // it declares classes of unknown name
	openBlock  bool                  // it declares datablocks of unknown name
	tested     map[string]bool       // names whose existence the mod tests: "jit", "table.unpack"
	computed   bool                  // it sets globals under computed names
	dynamic    bool                  // code compiled at run time can use any name
	anyFile    bool                  // require or exec get an argument that is no literal
	realms     map[*luaFile]vm.Realm // the realms that each file runs in
}

// A luaFile is a Lua file.
type luaFile struct {
	name       string
	realm      vm.Realm
	test       bool
	src        *source
	chunk      []ast.Stmt
	runs       bool // the engine runs it
	fixedRealm bool // its folder fixes its realm
}

// A global is a global name of a mod.
type global struct {
	defs  []definition
	reads vm.Realm // the realms that read it
}

// A definition is an assignment to a global.
type definition struct {
	file  *luaFile
	at    position
	realm vm.Realm
	value ast.Expr // nil for a later result of a call
}

func newUnit(name string, dir fs.FS, manifest *manifest.Manifest, own bool) *modFiles {
	return &modFiles{
		name: name, manifest: manifest, dir: dir, checked: own,
		globals: map[string]*global{}, exports: map[string]vm.Realm{}, functions: map[string]bool{},
		overrides: map[string]bool{}, packages: map[string]string{}, handlers: map[string]string{}, called: map[string]bool{}, mentioned: map[string]bool{}, tested: map[string]bool{}, console: map[string]bool{},
		classes: map[string]*class{}, blocks: map[string]string{},
	}
}

// read finds and parses the files of the unit. A file that does not parse is reported and has no
// tree. Of a dependency, the tests run elsewhere, and nobody asks whether it compiles.
func (u *modFiles) read(c *checker) error {
	parse := luac.Parse
	if u.checked {
		parse = vm.Parse
	}
	return fs.WalkDir(u.dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") || name == "test" && !u.checked {
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
		chunk, err := parse(name, string(text))
		if err != nil {
			if u.checked {
				c.syntax(f, err)
			}
			return nil
		}
		f.chunk, f.src = chunk, scan(strings.TrimPrefix(string(text), "\ufeff")) // as the parser skips a byte order mark
		return nil
	})
}

func newFile(name string) *luaFile {
	f := &luaFile{name: name, realm: vm.Both}
	top, rest, inside := strings.Cut(name, "/")
	f.fixedRealm = inside && slices.Contains([]string{"server", "client", "shared", "missions", "test"}, top)
	switch {
	case !f.fixedRealm:
	case top == "server":
		f.realm, f.runs = vm.Server, rest == "init.lua"
	case top == "client":
		f.realm, f.runs = vm.Client, rest == "init.lua"
	case top == "shared":
		f.runs = !strings.Contains(rest, "/")
	case top == "missions":
		f.realm, f.runs = vm.Server, true
	case top == "test":
		f.realm, f.test = vm.Server, true
		f.runs = strings.HasSuffix(rest, "_test.lua")
	}
	return f
}

// reach finds the realms that each file runs in. It starts with the files that the engine runs, and
// follows require and exec. A file outside the known folders runs in the realms of the files that
// require it.
func (u *modFiles) reach() {
	byName := map[string]*luaFile{}
	for _, f := range u.files {
		byName[f.name] = f
	}
	u.realms = map[*luaFile]vm.Realm{}
	var visit func(f *luaFile, realm vm.Realm)
	visit = func(f *luaFile, realm vm.Realm) {
		if f == nil || u.realms[f]&realm == realm {
			return
		}
		u.realms[f] |= realm
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
		if !f.fixedRealm && u.realms[f] != 0 {
			f.realm = u.realms[f]
		}
	}
}

// needs returns the files that a file names in require and exec.
func (f *luaFile) needs() []string {
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
			list = append(list, fileOf(text), packageOf(fileOf(text)))
		case "exec":
			list = append(list, text)
		}
	}
	return list
}

// idle reports files that are never run.
func (u *modFiles) idle(c *checker) {
	for _, f := range u.files {
		if u.realms[f] == 0 && !u.anyFile && f.chunk != nil {
			c.report(f, position{1, 1}, ruleFile, "nothing runs this file: no other file requires %q", moduleName(f.name))
		}
	}
}

// moduleName returns the name of a file for require.
func moduleName(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, ".lua"), "/", ".")
}

// packageOf returns the other path where require looks for a file: server/util/init.lua for
// server/util.lua.
func packageOf(file string) string { return strings.TrimSuffix(file, ".lua") + "/init.lua" }

// has reports whether the mod has a file.
func (u *modFiles) has(name string) bool {
	return slices.ContainsFunc(u.files, func(f *luaFile) bool { return f.name == name })
}

// fileOf returns the path of the file for a module name.
func fileOf(module string) string {
	return path.Join(strings.ReplaceAll(strings.TrimSuffix(module, ".lua"), ".", "/")) + ".lua"
}
