package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/script/lint"
	"github.com/torc-engine/torc/script/manifest"
)

// modCheck lints a mod and prints one line per problem.
func modCheck(o *config.Mod, stdout io.Writer) error {
	mod, err := checkTarget(o)
	if err != nil {
		return err
	}
	r, err := apiReference()
	if err != nil {
		return err
	}
	found, err := lint.Check(r, mod.name, mod.dir, mod.installed)
	if err != nil {
		return err
	}
	for _, f := range found {
		f.File = path.Join(mod.where, f.File)
		if !o.JSON {
			fmt.Fprintln(stdout, f)
			continue
		}
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s\n", line)
	}
	switch {
	case len(found) == 1:
		return fmt.Errorf("mod %s: 1 problem found", mod.name)
	case len(found) > 0:
		return fmt.Errorf("mod %s: %d problems found", mod.name, len(found))
	}
	return nil
}

// A checkedMod is the mod to check, and the mods it can depend on.
type checkedMod struct {
	name      string
	dir       fs.FS
	where     string // its folder in messages
	installed map[string]*manifest.Manifest
}

// checkTarget finds the mod. It ignores problems of other mods. The mod's own manifest can be
// broken: the lint reports that.
func checkTarget(o *config.Mod) (*checkedMod, error) {
	folders, name, err := modTarget(o)
	if err != nil {
		return nil, err
	}
	installed, _ := manifest.Discover(folders...)
	mod := &checkedMod{name: name, where: path.Join("mods", name), installed: installed}
	for _, folder := range folders {
		if !hasMod([]fs.FS{folder}, name) {
			continue
		}
		if mod.dir, err = fs.Sub(folder, name); err != nil {
			return nil, err
		}
	}
	if mod.dir == nil {
		_, err := manifest.Order(installed, name)
		return nil, flags.Usagef("%v", err)
	}
	if name != o.Target || hasManifest(o.Target) {
		mod.where = filepath.ToSlash(filepath.Clean(o.Target))
	}
	return mod, nil
}
