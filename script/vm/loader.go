package vm

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

var loadLib = Lib{"Files", []Func{
	{"exec", "file: string -> ...: any", Both, "Runs a file of the mod and returns its values, as in exec \"server/util.lua\".", exec},
	{"require", "module: string -> any", Both, "Runs a file of the mod once and returns its value, as in require \"server.util\". Also returns Lua's own libraries.", Require},
	{"package.seeall", "module: table", Both, "Lets a module read the mod's globals.", seeAll},
	{"package.loaded", ": table", Both, "The modules that have run, by name, with Lua's own libraries. A module set to nil runs again.", nil},
	{"package.preload", ": table", Both, "Functions that make modules, by name.", nil},
	{"package.path", ": string", Both, "Where require looks, in the mod's folder.", nil},
	{"eval", "code: string -> ...: any", Both, "Runs Lua code. Returns the values of an expression or the results of a chunk.", eval},
}}

// module is a file run by require; it may still be running.
type module struct {
	value lua.LValue
	done  bool
}

// RunFile runs a file of the mod. At depth 0 it has the budget for loading; inside an entry it uses
// that entry's budget.
func (m *Mod) RunFile(file string) error {
	fn, err := m.CompileFile(file)
	if err != nil {
		return err
	}
	l := m.Runtime.cfg.Limits.Load
	if m.Runtime.Depth() > 0 {
		l = Limit{}
	}
	_, err = m.Runtime.EnterEvent(LoadEvent, m, fn, l, nil)
	return err
}

// CompileFile compiles a file in the mod's own folder.
func (m *Mod) CompileFile(file string) (*lua.LFunction, error) {
	if m.FS == nil {
		return nil, fmt.Errorf("%s has no files", m.Name)
	}
	if !OwnPath(file) || !strings.HasSuffix(file, ".lua") {
		return nil, fmt.Errorf("%q must be the path of a .lua file in the mod's own folder, as in \"server/util.lua\"", ClipText(file, MaxPath))
	}
	source, err := fs.ReadFile(m.FS, file)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s: %w", m.Dir()+"/"+file, err)
	}
	if err != nil {
		return nil, fmt.Errorf("there is no file %s", m.Dir()+"/"+file)
	}
	m.SawFile(file, source)
	return m.Compile(m.Dir()+"/"+file, string(source), true)
}

// fileCost is the charge for finding and reading a file, in instructions.
const fileCost = 2000

// MaxPath is the maximum length of a file path, in bytes.
const MaxPath = 255

// OwnPath reports whether a path is relative, inside the mod's folder and valid on every system:
// without "..", drives, alternate streams and backslashes.
func OwnPath(file string) bool {
	return len(file) <= MaxPath && fs.ValidPath(file) && !strings.ContainsFunc(file, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\\' || r == ':' || r == utf8.RuneError
	})
}

// Dir returns the mod's folder for error texts: its path on the disk, or "mods/ctf".
func (m *Mod) Dir() string { return cmp.Or(m.Folder, m.dirName()) }

// dirName names the mod in the chunk names of code that is in no file: "mods/ctf".
func (m *Mod) dirName() string { return path.Join("mods", m.Name) }

// Run calls a compiled chunk with arguments on the caller's thread. It leaves the results on the
// stack and returns their number.
func (a Args) Run(fn *lua.LFunction, args ...lua.LValue) int {
	top := a.L.GetTop()
	a.L.Push(fn)
	for _, arg := range args {
		a.L.Push(arg)
	}
	a.L.Call(len(args), lua.MultRet)
	return a.L.GetTop() - top
}

func exec(a Args) int {
	a.Charge(fileCost)
	fn, err := a.Mod.CompileFile(a.String(1))
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Run(fn)
}

// Require is the row require: it returns the module of a name, and runs its file if it has not run.
func Require(a Args) int {
	name, m := a.String(1), a.Mod
	if v := m.State.module(name); v != lua.LNil {
		return a.Return(v)
	}
	file := ModulePath(name)
	if seen := m.loaded[file]; seen != nil && !seen.done {
		a.Fail("circular require of %q", name)
	}
	a.Charge(fileCost)
	fn := m.State.preloaded(name)
	if fn == nil {
		var err error
		if fn, err = m.compileModule(file); err != nil {
			a.Fail("%s", err)
		}
	}
	mark := &module{value: lua.LTrue}
	m.loaded[file] = mark
	defer func() {
		if !mark.done {
			delete(m.loaded, file) // it failed: the next require runs it again
		}
	}()
	if n := a.Run(fn, lua.LString(name)); n > 0 && a.L.Get(-n) != lua.LNil {
		mark.value = a.L.Get(-n)
	} else if v := m.State.module(name); v != lua.LNil {
		mark.value = v // the file has set package.loaded itself
	}
	mark.done = true
	m.State.setModule(name, mark.value)
	return a.Return(mark.value)
}

// compileModule compiles the file of a module: server/util.lua, or server/util/init.lua.
func (m *Mod) compileModule(file string) (*lua.LFunction, error) {
	if m.FS != nil && OwnPath(file) {
		if _, err := fs.Stat(m.FS, file+".lua"); errors.Is(err, fs.ErrNotExist) {
			if _, err := fs.Stat(m.FS, file+"/init.lua"); err == nil {
				return m.CompileFile(file + "/init.lua")
			}
		}
	}
	return m.CompileFile(file + ".lua")
}

// ModulePath returns the path of a module's file, without ".lua".
func ModulePath(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), ".", "/")
}

func eval(a Args) int {
	code := a.String(1)
	a.Charge(2 * compileCost(code)) // compiled as an expression and as a chunk
	fn, _, err := a.Mod.CompileLine(a.Mod.dirName()+" (eval)", code)
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Run(fn)
}

// SawFile records the content of a file that the mod depends on, for Files.
func (m *Mod) SawFile(file string, content []byte) { m.files[file] = FileHash(content) }

// Files returns the hashes of the files that the mod has read, by path.
func (m *Mod) Files() map[string]uint64 { return m.files }

// Modules returns the values of the modules that the mod has run by require, by path.
func (m *Mod) Modules() map[string]lua.LValue {
	list := make(map[string]lua.LValue, len(m.loaded))
	for path, seen := range m.loaded {
		list[path] = seen.value
	}
	return list
}

// Module returns the value of a module that the mod has run by require, or nil. path has no ".lua".
func (m *Mod) Module(path string) lua.LValue {
	if seen := m.loaded[path]; seen != nil {
		return seen.value
	}
	return nil
}

// FileHash returns the hash of a file's content as in Files. Another process has other hashes.
func FileHash(content []byte) uint64 { return maphash.Bytes(fileSeed, content) }

var fileSeed = maphash.MakeSeed()
