package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/pictures"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// A checker checks one mod.
type checker struct {
	api    *api
	unit   *modFiles
	deps   []*modFiles
	vars   map[*ast.IdentExpr]*variable
	places map[ast.Expr]position
	later  []func() // checks that need all files
	depth  int      // recursion depth of typeOf
	names  candidates
	tables tables
	texts  *texts.Tables // of the mod; nil without texts
	// noEnglish means that the English table has a mistake, so that its keys are not known.
	noEnglish bool
	pictures  *pictures.Set // of the mod; nil without pictures
	findings  []Finding
}

// mostFindings limits the findings of one check. A longer list usually means that the wrong folder
// was checked.
const mostFindings = 1000

// candidates are the candidates for undefined names. They are complete once all files are read.
type candidates struct {
	globals map[vm.Realm][]string
	console []string        // commands and variables, of the engine and of mods
	roots   map[string]bool // their first words
}

// Check reads the mod in a folder and returns its findings, sorted by file and position. installed
// are the mods that it can depend on. Check fails only if a file cannot be read.
func Check(r *reference.Model, name string, dir fs.FS, installed map[string]*manifest.Manifest) ([]Finding, error) {
	c := &checker{api: newAPI(r), vars: map[*ast.IdentExpr]*variable{}, places: map[ast.Expr]position{}}
	c.tables = tables{known: map[*ast.TableExpr]*tableRecord{}, method: map[ast.Expr]bool{}, unboundFields: map[string]bool{}, libraryFields: map[string][]string{}, openLibrary: map[string]bool{}}
	manifest := c.manifest(name, dir, installed)
	c.readTexts(dir)
	c.readPictures(dir)
	c.unit = newUnit(name, dir, manifest, true)
	for _, dep := range needed(manifest, installed) {
		u := newUnit(dep.Name, dep.FS, dep, false)
		if err := c.load(u); err != nil {
			return nil, err
		}
		c.later = nil // dependencies are not checked
		c.deps = append(c.deps, u)
	}
	if err := c.load(c.unit); err != nil {
		return nil, err
	}
	c.names = c.allNames()
	c.fillTables()
	for _, check := range append(c.later, func() { c.unit.idle(c) }, c.unread) {
		if len(c.findings) < mostFindings {
			check()
		}
	}
	list := sorted(c.findings)
	return list[:min(len(list), mostFindings)], nil
}

// load reads a unit and walks its files.
func (c *checker) load(u *modFiles) error {
	if err := u.read(c); err != nil {
		return err
	}
	u.reach()
	for _, f := range u.files {
		if f.chunk == nil {
			continue
		}
		w := &walker{c: c, u: u, f: f, realm: f.realm}
		w.function(f.chunk, nil, nil, "")
		if u.checked {
			c.ignores(f)
		}
	}
	return nil
}

// manifest reads mod.toml and checks that the mods named in it exist. It returns nil if mod.toml
// cannot be read.
func (c *checker) manifest(name string, dir fs.FS, installed map[string]*manifest.Manifest) *manifest.Manifest {
	f := &luaFile{name: "mod.toml"}
	m, err := manifest.Read(name, dir)
	if err != nil {
		line, text := 1, err.Error()
		var bad *manifest.Error
		if errors.As(err, &bad) {
			line, text = max(bad.Line, 1), bad.Reason()
		}
		c.report(f, position{line, 1}, ruleManifest, "%s", text)
		return nil
	}
	all := map[string]*manifest.Manifest{name: m}
	for _, k := range keys(installed) {
		if k != name {
			all[k] = installed[k]
		}
	}
	if _, err := manifest.Order(all, name); err != nil {
		c.report(f, position{1, 1}, ruleManifest, "%s", err)
	}
	return m
}

// needed returns the installed mods that load with this one: its dependencies, their dependencies,
// and base.
func needed(m *manifest.Manifest, installed map[string]*manifest.Manifest) []*manifest.Manifest {
	var list []*manifest.Manifest
	seen := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		dep := installed[name]
		if dep == nil || seen[name] {
			return
		}
		seen[name] = true
		for _, need := range slices.Concat(dep.Depends, dep.Optional) {
			add(need.Name)
		}
		list = append(list, dep)
	}
	if m == nil {
		add(manifest.Base)
		return list
	}
	seen[m.Name] = true
	add(manifest.Base)
	for _, need := range slices.Concat(m.Depends, m.Optional) {
		add(need.Name)
	}
	return list
}

// syntax reports a file that does not parse.
func (c *checker) syntax(f *luaFile, err error) {
	bad := &vm.SyntaxError{Line: 1, Text: err.Error()}
	errors.As(err, &bad)
	c.report(f, position{bad.Line, bad.Column()}, ruleSyntax, "%s", bad.Text)
}

// units returns the mod and its dependencies.
func (c *checker) units() []*modFiles { return append([]*modFiles{c.unit}, c.deps...) }

// class finds a class of the engine, the mod or its dependencies. It returns nil if there is none.
func (c *checker) class(name string) *class {
	for _, u := range c.units() {
		if k := u.classes[fold(name)]; k != nil {
			return k
		}
	}
	return c.api.classes[fold(name)]
}

// openClasses reports whether there can be classes unknown to the checker.
func (c *checker) openClasses() bool { return c.any(func(u *modFiles) bool { return u.openClass }) }

// classNames returns the names of all classes.
func (c *checker) classNames() []string {
	var list []string
	for _, k := range c.allClasses() {
		list = append(list, k.name)
	}
	return list
}

func (c *checker) allClasses() []*class {
	var list []*class
	for _, u := range c.units() {
		for _, name := range keys(u.classes) {
			list = append(list, u.classes[name])
		}
	}
	for _, name := range keys(c.api.classes) {
		list = append(list, c.api.classes[name])
	}
	return list
}

// isA reports whether k is the class of, or inherits from it.
func (c *checker) isA(k *class, of string) bool {
	for n := 0; k != nil && n < 64; n++ {
		if fold(k.name) == fold(of) {
			return true
		}
		k = c.class(k.parent)
	}
	return false
}

// any reports whether holds is true for the mod or one of its dependencies.
func (c *checker) any(holds func(u *modFiles) bool) bool {
	return slices.ContainsFunc(c.units(), holds)
}

// here describes a realm as part of an error message.
func here(realm vm.Realm) string {
	if realm == vm.Both {
		return "both halves run this"
	}
	return fmt.Sprintf("this is the %s's half", realm)
}
