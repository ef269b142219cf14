package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/cmd/torc/internal/modnew"
)

// modTools runs torc mod.
func (sys *system) modTools(o *config.Mod) error {
	stdout := sys.out
	switch o.Verb {
	case "new":
		return modNew(o, stdout)
	case "check":
		return modCheck(o, stdout)
	case "test":
		return modTest(o, stdout)
	case "debug":
		return sys.modDebug(o)
	case "pack":
		return modPack(o, stdout)
	case "install":
		return modInstall(o, stdout)
	case "list":
		return modList(o, stdout)
	}
	return modDocs(o, stdout)
}

// modTarget finds the mod of the argument NAME|DIR, and the folders with the mod and its
// dependencies. The argument is a folder if it is a path, or if no mod has the name and the current
// folder has such a mod. Otherwise it is a name.
func modTarget(o *config.Mod) (folders []fs.FS, name string, err error) {
	if folders, err = modFolders(&o.Folder); err != nil {
		return nil, "", err
	}
	if !strings.ContainsAny(o.Target, `/\.`) && (hasMod(folders, o.Target) || !hasManifest(o.Target)) {
		return folders, o.Target, nil
	}
	dir, err := filepath.Abs(o.Target)
	if err != nil {
		return nil, "", flags.Usagef("%v", err)
	}
	if !hasManifest(dir) {
		return nil, "", flags.Usagef("%s is not a mod: it has no mod.toml", o.Target)
	}
	folder, err := openMods(filepath.Dir(dir), filepath.Join(o.Target, ".."))
	if err != nil {
		return nil, "", flags.Usagef("%s cannot be opened: %v", o.Target, err)
	}
	return append(folders, folder), filepath.Base(dir), nil
}

// A diskMods is a folder of mods on the disk. It implements manifest.DiskFolder.
type diskMods struct {
	rootFS
	dir string // for messages, with slashes
}

// rootFS are the methods of os.Root.FS. Without ReadLink and Lstat, links would pass unseen.
type rootFS interface {
	fs.ReadDirFS
	fs.ReadFileFS
	fs.StatFS
	fs.ReadLinkFS
}

func (d diskMods) Dir() string { return d.dir }

// openMods opens a folder of mods. No link in it leads outside. Messages name it as shown.
func openMods(dir, shown string) (fs.FS, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return diskMods{root.FS().(rootFS), filepath.ToSlash(filepath.Clean(shown))}, nil
}

func hasMod(folders []fs.FS, name string) bool {
	for _, folder := range folders {
		if _, err := fs.Stat(folder, name+"/mod.toml"); err == nil {
			return true
		}
	}
	return false
}

func hasManifest(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "mod.toml"))
	return err == nil
}

// modNew makes the folder of a new mod, with stubs of the API for editors.
func modNew(o *config.Mod, stdout io.Writer) error {
	r, err := apiReference()
	if err != nil {
		return err
	}
	dir, err := modnew.Make(o.Dir, o.Target, r.Stubs())
	if err != nil {
		return flags.Usagef("%v", err)
	}
	_, err = fmt.Fprintf(stdout, "made %s; try it:\n  torc play --mods %s --mod %s\n  torc mod test %s\n", dir, o.Dir, o.Target, dir)
	return err
}
