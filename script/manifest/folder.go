package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"

	"github.com/torc-engine/torc/internal/spell"
)

// A DiskFolder is a folder of mods that knows its path on the disk.
type DiskFolder interface {
	fs.FS
	Dir() string
}

// dirOf returns the path of a mod for messages: on the disk if the folder knows it, else
// "mods/NAME".
func dirOf(folder fs.FS, mod string) string {
	if e, ok := folder.(edition); ok {
		folder = e.disk
	}
	if disk, ok := folder.(DiskFolder); ok {
		return path.Join(disk.Dir(), mod)
	}
	return path.Join("mods", mod)
}

// readIn reads the manifest of a mod in a folder of mods.
func readIn(folder fs.FS, mod string) (*Manifest, error) {
	dir, err := fs.Sub(folder, mod)
	if err != nil {
		return nil, err
	}
	m, err := Read(mod, dir)
	var bad *Error
	if errors.As(err, &bad) {
		bad.Dir = dirOf(folder, mod)
	}
	if err != nil {
		return nil, err
	}
	m.Dir = dirOf(folder, mod)
	return m, nil
}

// Discover finds the mods in folders of mods: every directory with a mod.toml. A mod in a later
// folder replaces one of the same name in an earlier folder. Discover omits mods that it cannot
// read and returns their errors in order.
func Discover(folders ...fs.FS) (map[string]*Manifest, []error) {
	found := map[string]*Manifest{}
	var bad []error
	for _, folder := range folders {
		entries, err := fs.ReadDir(folder, ".")
		if err != nil {
			bad = append(bad, err)
			continue
		}
		for _, e := range entries {
			if _, err := fs.Stat(folder, path.Join(e.Name(), File)); err != nil {
				continue
			}
			m, err := readIn(folder, e.Name())
			if err != nil {
				bad = append(bad, err)
				continue
			}
			if other := found[m.Name]; other != nil {
				m.Replaces = other.Dir
			}
			found[m.Name] = m
		}
	}
	return found, bad
}

// Newest returns the manifest of a mod in the last folder that has the mod.
func Newest(name string, folders []fs.FS) (*Manifest, error) {
	if !ValidName(name) {
		return nil, fmt.Errorf("invalid mod name %q: it must be 1 to 32 of a–z, 0–9 and _", clip(name, 64))
	}
	var m *Manifest
	for _, folder := range slices.Backward(folders) {
		if _, err := fs.Stat(folder, path.Join(name, File)); err != nil {
			continue
		}
		if m != nil {
			m.Replaces = dirOf(folder, name)
			break
		}
		var err error
		if m, err = readIn(folder, name); err != nil {
			return nil, err
		}
	}
	if m != nil {
		return m, nil
	}
	if err := tooDeep(name, folders); err != nil {
		return nil, err
	}
	installed, _ := Discover(folders...)
	text := fmt.Sprintf("unknown mod %s: it is in no folder of mods", name)
	if near := spell.Nearest(name, Names(installed)); near != "" {
		text += ", did you mean " + near + "?"
	}
	return nil, errors.New(text)
}

// tooDeep returns an error if a folder with the name of a mod has no mod.toml, but one of its
// sub-folders has.
func tooDeep(mod string, folders []fs.FS) error {
	if !ValidName(mod) {
		return nil
	}
	for _, folder := range slices.Backward(folders) {
		if found, _ := fs.Glob(folder, path.Join(mod, "*", File)); len(found) > 0 {
			dir := dirOf(folder, mod)
			return fmt.Errorf("%s has no %s, but %s has: move that folder up, into the folder of mods", dir, File, path.Join(path.Dir(dir), path.Dir(found[0])))
		}
	}
	return nil
}

// Names returns the names of the mods, sorted.
func Names(mods map[string]*Manifest) []string {
	list := make([]string, 0, len(mods))
	for name := range mods {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}
