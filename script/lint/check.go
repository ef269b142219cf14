package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script"
)

// A checker checks one mod.
type checker struct {
	api      *api
	unit     *unit
	deps     []*unit
	vars     map[*ast.IdentExpr]*variable
	places   map[ast.Expr]place
	later    []func() // what needs to know all files
	depth    int      // of types that are being inferred
	names    names
	tables   tables
	findings []Finding
}

// mostFindings is how much is told at once: who reads more of it has begun with the wrong file.
const mostFindings = 1000

// names are what undefined names are compared with, once all files are read.
type names struct {
	globals map[script.Realm][]string
	console []string        // commands, variables, and those of mods
	roots   map[string]bool // the first words of these
}

// Check reads the mod in a folder and returns what is wrong with it, sorted by file and place. installed are the mods
// that it may depend on. It fails only if files cannot be read.
func Check(r *script.Reference, name string, dir fs.FS, installed map[string]*script.Manifest) ([]Finding, error) {
	c := &checker{api: newAPI(r), vars: map[*ast.IdentExpr]*variable{}, places: map[ast.Expr]place{}}
	c.tables = tables{known: map[*ast.TableExpr]*table{}, method: map[ast.Expr]bool{}, loose: map[string]bool{}}
	manifest := c.manifest(name, dir, installed)
	c.unit = newUnit(name, dir, manifest, true)
	for _, dep := range needed(manifest, installed) {
		u := newUnit(dep.Name, dep.FS, dep, false)
		if err := c.load(u); err != nil {
			return nil, err
		}
		c.later = nil // what is wrong there is not asked
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
func (c *checker) load(u *unit) error {
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
		if u.own {
			c.ignores(f)
		}
	}
	return nil
}

var manifestLine = regexp.MustCompile(`line (\d+): `)

// manifest reads mod.toml and looks whether what it names is there. It is nil if it cannot be read.
func (c *checker) manifest(name string, dir fs.FS, installed map[string]*script.Manifest) *script.Manifest {
	f := &file{name: "mod.toml"}
	m, err := script.ReadManifest(name, dir)
	if err != nil {
		line, text := 1, strings.TrimPrefix(err.Error(), "mods/"+name+"/mod.toml: ")
		if found := manifestLine.FindStringSubmatch(text); found != nil {
			line, _ = strconv.Atoi(found[1])
			text = strings.Replace(text, found[0], "", 1)
		}
		c.report(f, place{max(line, 1), 1}, ruleManifest, "%s", text)
		return nil
	}
	all := map[string]*script.Manifest{name: m}
	for _, k := range keys(installed) {
		if k != name {
			all[k] = installed[k]
		}
	}
	if _, err := script.Order(all, name); err != nil {
		c.report(f, place{1, 1}, ruleManifest, "%s", err)
	}
	return m
}

// needed are the mods that are loaded with this one, as far as they are there: what it depends on, and base.
func needed(m *script.Manifest, installed map[string]*script.Manifest) []*script.Manifest {
	var list []*script.Manifest
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
		add(script.Base)
		return list
	}
	seen[m.Name] = true
	add(script.Base)
	for _, need := range slices.Concat(m.Depends, m.Optional) {
		add(need.Name)
	}
	return list
}

// syntax reports a file that does not parse.
func (c *checker) syntax(f *file, err error) {
	bad := &script.SyntaxError{Line: 1, Text: err.Error()}
	errors.As(err, &bad)
	c.report(f, place{bad.Line, bad.Column()}, ruleSyntax, "%s", bad.Text)
}

// units are the mod and those it depends on.
func (c *checker) units() []*unit { return append([]*unit{c.unit}, c.deps...) }

// class finds a class of the game or of one of the mods, nil if there is none.
func (c *checker) class(name string) *class {
	for _, u := range c.units() {
		if k := u.classes[fold(name)]; k != nil {
			return k
		}
	}
	return c.api.classes[fold(name)]
}

// openClasses reports whether there may be classes that were not seen.
func (c *checker) openClasses() bool { return c.any(func(u *unit) bool { return u.openClass }) }

// classNames are the names of all classes.
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

// isA reports whether a class is another or inherits from it.
func (c *checker) isA(k *class, of string) bool {
	for n := 0; k != nil && n < 64; n++ {
		if fold(k.name) == fold(of) {
			return true
		}
		k = c.class(k.parent)
	}
	return false
}

// any reports whether something holds for the mod or one that it depends on.
func (c *checker) any(holds func(u *unit) bool) bool { return slices.ContainsFunc(c.units(), holds) }

// here names the half that a realm is, for sentences.
func here(realm script.Realm) string {
	if realm == script.Both {
		return "both halves run this"
	}
	return fmt.Sprintf("this is the %s's half", realm)
}
