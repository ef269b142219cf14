// Package modnew makes the folder of a new mod: a small game that runs, its tests, and what editors
// need.
package modnew

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed all:skeleton
var skeleton embed.FS

// placeholder stands for the mod's name, in files and in names of files.
const placeholder = "NAME"

// name is what a mod may be called.
var name = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// StubsFile is where the stubs are, in the folder of a mod: LuaLS reads what lies there and torc
// does not.
const StubsFile = ".luals/torc.lua"

// Make makes the folder of a mod in the folder of mods dir, with stubs for editors, and returns its
// path. It never writes to what is there already. The error is one sentence.
func Make(dir, mod, stubs string) (string, error) {
	if !name.MatchString(mod) || mod == "console" { // what is typed there has that name
		return "", fmt.Errorf("mod name %q: must be 1 to 32 of a–z, 0–9 and _, and not console", mod)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("the folder %s cannot be made: %v", dir, err)
	}
	folder := filepath.Join(dir, mod)
	if err := os.Mkdir(folder, 0o755); errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s exists already; torc does not change it", folder)
	} else if err != nil {
		return "", fmt.Errorf("the folder %s cannot be made: %v", folder, err)
	}
	if err := fill(folder, mod, stubs); err != nil {
		return "", fmt.Errorf("%s cannot be written: %v", folder, err)
	}
	return folder, nil
}

// fill writes the files.
func fill(folder, mod, stubs string) error {
	err := fs.WalkDir(skeleton, "skeleton", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := skeleton.ReadFile(path)
		if err != nil {
			return err
		}
		return write(folder, strings.TrimPrefix(path, "skeleton/"), mod, string(text))
	})
	if err != nil {
		return err
	}
	return write(folder, StubsFile, mod, stubs)
}

// write makes one file with the mod's name put in.
func write(folder, path, mod, text string) error {
	to := filepath.Join(folder, filepath.FromSlash(strings.ReplaceAll(path, placeholder, mod)))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if path != StubsFile {
		text = strings.ReplaceAll(text, placeholder, mod)
	}
	return os.WriteFile(to, []byte(text), 0o644)
}
