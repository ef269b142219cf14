package script

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

var loadLib = Lib{"Files", []Func{
	{"exec", "file: string -> ...: any", Both, "Runs a file of the mod, as in exec \"server/util.lua\", and returns its values.", exec},
	{"require", "module: string -> any", Both, "Runs a file of the mod once, as in require \"server.util\", and returns its value.", requireFile},
	{"eval", "code: string -> ...: any", Both, "Runs Lua: the values of an expression, or what a chunk returns.", eval},
}}

// module is a file run by require; it may still be running.
type module struct {
	value lua.LValue
	done  bool
}

// Load creates a mod from a manifest and runs its files: shared/*.lua in name order, then
// server/init.lua or client/init.lua. If a file fails, Load removes the mod and returns an error
// with file and line.
func (h *Host) Load(manifest *Manifest) (*Mod, error) {
	m := h.NewMod(manifest.Name, manifest)
	if err := m.runFiles(); err != nil {
		h.Remove(m)
		return nil, err
	}
	return m, nil
}

// runFiles runs the mod's files for this side.
func (m *Mod) runFiles() error {
	m.loading = true
	defer func() { m.loading = false }()
	if text, err := fs.ReadFile(m.Manifest.FS, manifestFile); err == nil {
		m.files[manifestFile] = hash(text)
	}
	files, err := m.sources()
	for i := 0; err == nil && i < len(files); i++ {
		err = m.RunFile(files[i])
	}
	return err
}

// LoadAll loads mods in the given order. It skips a mod that fails and all mods that depend on it,
// and returns an error for each.
func (h *Host) LoadAll(list []*Manifest) []error {
	var bad []error
	failed := map[string]bool{}
	for _, manifest := range list {
		err := error(nil)
		for _, need := range manifest.Depends {
			if failed[need.Name] {
				err = fmt.Errorf("it needs %s, which failed to load", need.Name)
				break
			}
		}
		if err == nil {
			err = h.whole(func() error { _, err := h.Load(manifest); return err })
		}
		if err != nil {
			failed[manifest.Name] = true
			bad = append(bad, fmt.Errorf("mod %s is not loaded: %w", manifest.Name, err))
		}
	}
	return bad
}

// whole runs load and undoes its effects if it fails.
func (h *Host) whole(load func() error) error {
	if h.cfg.Whole == nil {
		return load()
	}
	return h.cfg.Whole(load)
}

// sources returns the paths of the files run by Load, relative to the mod's folder.
func (m *Mod) sources() ([]string, error) {
	list, err := fs.Glob(m.Manifest.FS, "shared/*.lua") // sorted by name
	if err != nil {
		return nil, err
	}
	start := "server/init.lua"
	if m.Host.Side == Client {
		start = "client/init.lua"
	}
	if _, err := fs.Stat(m.Manifest.FS, start); err == nil {
		list = append(list, start)
	}
	return list, nil
}

// RunFile runs a file of the mod. At depth 0 it has the budget for loading; inside an entry it uses
// that entry's budget.
func (m *Mod) RunFile(file string) error {
	fn, err := m.CompileFile(file)
	if err != nil {
		return err
	}
	l := m.Host.cfg.Limits.Load
	if m.Host.Depth() > 0 {
		l = Limit{}
	}
	_, err = m.Host.enter(loadEvent, m, fn, l, nil)
	return err
}

// CompileFile compiles a file in the mod's own folder.
func (m *Mod) CompileFile(file string) (*lua.LFunction, error) {
	if m.Manifest == nil || m.Manifest.FS == nil {
		return nil, fmt.Errorf("%s has no files", m.Name)
	}
	if !ownPath(file) || !strings.HasSuffix(file, ".lua") {
		return nil, fmt.Errorf("%q must be the path of a .lua file in the mod's own folder, as in \"server/util.lua\"", brief(file, maxPath))
	}
	source, err := fs.ReadFile(m.Manifest.FS, file)
	if err != nil {
		return nil, fmt.Errorf("there is no file %s", m.Dir()+"/"+file)
	}
	m.files[file] = hash(source)
	return m.Compile(m.Dir()+"/"+file, string(source), true)
}

// fileCost is the charge for finding and reading a file, in instructions.
const fileCost = 2000

// maxPath is the maximum length of a file path, in bytes.
const maxPath = 255

// ownPath reports whether a path is relative, inside the mod's folder and valid on every system:
// without "..", drives, alternate streams and backslashes.
func ownPath(file string) bool {
	return len(file) <= maxPath && fs.ValidPath(file) && !strings.ContainsFunc(file, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\\' || r == ':' || r == utf8.RuneError
	})
}

// Dir returns the mod's folder for error texts: "mods/ctf".
func (m *Mod) Dir() string { return path.Join("mods", m.Name) }

// call calls a compiled chunk on the caller's thread. It leaves the results on the stack and
// returns their number.
func (a Args) call(fn *lua.LFunction) int {
	top := a.L.GetTop()
	a.L.Push(fn)
	a.L.Call(0, lua.MultRet)
	return a.L.GetTop() - top
}

func exec(a Args) int {
	a.Charge(fileCost)
	fn, err := a.Mod.CompileFile(a.String(1))
	if err != nil {
		a.Fail("%s", err)
	}
	return a.call(fn)
}

func requireFile(a Args) int {
	name, m := a.String(1), a.Mod
	file := modulePath(name)
	if seen := m.loaded[file]; seen != nil {
		if !seen.done {
			a.Fail("%q is required in a circle", name)
		}
		return a.Return(seen.value)
	}
	a.Charge(fileCost)
	fn, err := m.CompileFile(file + ".lua")
	if err != nil {
		a.Fail("%s", err)
	}
	mark := &module{value: lua.LTrue}
	m.loaded[file] = mark
	defer func() {
		if !mark.done {
			delete(m.loaded, file) // it failed: the next require runs it again
		}
	}()
	if n := a.call(fn); n > 0 && a.L.Get(-n) != lua.LNil {
		mark.value = a.L.Get(-n)
	}
	mark.done = true
	return a.Return(mark.value)
}

func eval(a Args) int {
	code := a.String(1)
	a.Charge(2 * compileCost(code)) // compiled as an expression and as a chunk
	fn, _, err := a.Mod.CompileLine(a.Mod.Dir()+" (eval)", code)
	if err != nil {
		a.Fail("%s", err)
	}
	return a.call(fn)
}
