package script

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// Load creates a mod from a manifest and runs its files: shared/*.lua in name order, then
// server/init.lua or client/init.lua. If a file fails, Load removes the mod and returns an error
// with file and line.
func (s *Scripts) Load(manifest *manifest.Manifest) (*vm.Mod, error) {
	m := s.mods.create(manifest)
	if err := runFiles(m); err != nil {
		s.Runtime.Remove(m)
		return nil, err
	}
	return m, nil
}

// runFiles runs the mod's files for this side.
func runFiles(m *vm.Mod) error {
	m.Loading = true
	defer func() { m.Loading = false }()
	if text, err := fs.ReadFile(m.FS, manifest.File); err == nil {
		m.SawFile(manifest.File, text)
	}
	if err := readTexts(m); err != nil {
		return err
	}
	if err := readPictures(m); err != nil {
		return err
	}
	files, err := sources(m)
	for i := 0; err == nil && i < len(files); i++ {
		err = m.RunFile(files[i])
	}
	return err
}

// readTexts reads the tables of a mod. Only a server chooses texts.
func readTexts(m *vm.Mod) error {
	x := instanceOf(m)
	if m.Runtime.Side != vm.Server {
		return nil
	}
	tables, problems := x.scripts.parts.texts(m.FS, texts.Options{Plural: x.scripts.parts.plural, Saw: m.SawFile})
	if len(problems) > 0 {
		first := problems[0]
		first.File = path.Join(x.manifest.Dir, first.File)
		return first
	}
	x.texts = tables
	return nil
}

// readPictures reads the pictures of a mod. Only a server shows them.
func readPictures(m *vm.Mod) error {
	x := instanceOf(m)
	if m.Runtime.Side != vm.Server {
		return nil
	}
	set, problems := x.scripts.parts.pictures(m.FS, m.SawFile)
	if len(problems) > 0 {
		first := problems[0]
		first.File = path.Join(x.manifest.Dir, first.File)
		return first
	}
	x.pictures = set
	return nil
}

// LoadAll loads mods in the given order. It skips a mod that fails and all mods that depend on it,
// and returns an error for each.
func (s *Scripts) LoadAll(list []*manifest.Manifest) []error {
	var bad []error
	failed := map[string]*loadError{}
	for _, manifest := range list {
		e := &loadError{mod: manifest.Name}
		for _, need := range manifest.Depends {
			if e.needed = failed[need.Name]; e.needed != nil {
				e.err = fmt.Errorf("it needs %s, which failed to load", need.Name)
				break
			}
		}
		if e.err == nil {
			e.err = s.mods.transact(func() error { _, err := s.Load(manifest); return err })
		}
		if e.err != nil {
			failed[manifest.Name] = e
			s.NotLoaded(manifest.Name, e.err)
			bad = append(bad, e)
		}
	}
	return bad
}

// A loadError says why a mod could not be loaded.
type loadError struct {
	mod    string
	err    error
	needed *loadError // of the mod that it needs; nil: the mod itself failed
}

func (e *loadError) Error() string { return fmt.Sprintf("mod %s is not loaded: %v", e.mod, e.err) }

func (e *loadError) Unwrap() error { return e.err }

// LoadReason returns in one line why a mod is not among the loaded ones, from the errors of
// LoadMods or LoadAll: the error of its own files, or that of the mod that it needs.
func LoadReason(mod string, bad []error) error {
	for _, err := range bad {
		var e *loadError
		if !errors.As(err, &e) || e.mod != mod {
			continue
		}
		for e.needed != nil {
			e = e.needed
		}
		if e.mod == mod {
			return e.err
		}
		return fmt.Errorf("it needs %s, which cannot be loaded: %w", e.mod, e.err)
	}
	return errors.Join(bad...)
}

// NotLoaded records why a mod could not be loaded, for the commands that list mods.
func (s *Scripts) NotLoaded(name string, why error) { s.mods.notLoaded[name] = why }

// sources returns the paths of the files run by Load, relative to the mod's folder.
func sources(m *vm.Mod) ([]string, error) {
	list, err := fs.Glob(m.FS, "shared/*.lua") // sorted by name
	if err != nil {
		return nil, err
	}
	start := "server/init.lua"
	if m.Runtime.Side == vm.Client {
		start = "client/init.lua"
	}
	if _, err := fs.Stat(m.FS, start); err == nil {
		list = append(list, start)
	}
	return list, nil
}

// Manifest returns the manifest of a loaded mod, nil if the mod is not loaded.
func (s *Scripts) Manifest(name string) *manifest.Manifest {
	m := s.Runtime.Mod(name)
	if m == nil {
		return nil
	}
	return manifestOf(m)
}

// manifestOf returns the manifest of a mod, nil for the console.
func manifestOf(m *vm.Mod) *manifest.Manifest { return instanceOf(m).manifest }
