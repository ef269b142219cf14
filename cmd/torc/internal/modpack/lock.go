package modpack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"github.com/torc-engine/torc/internal/boundtoml"
	"github.com/torc-engine/torc/script/manifest"
)

// LockFile is the file in a folder of mods that says what was installed there.
const LockFile = "mods.lock"

// locked is one mod in the lock file.
type locked struct {
	Version string `toml:"version"`
	Source  string `toml:"source"`
	SHA256  string `toml:"sha256"` // of the archive
	Files   string `toml:"files"`  // see sumFiles
}

// lock is the content of a lock file, by name of the mod.
type lock map[string]locked

// readLock reads the lock file of a folder. A folder without one has an empty lock.
func readLock(folder string) (lock, error) {
	file := filepath.Join(folder, LockFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return lock{}, nil
	}
	if err != nil {
		return nil, err
	}
	l := lock{}
	if _, err := boundtoml.Decode(string(text), &l); err != nil {
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	for name, e := range l {
		if !manifest.ValidName(name) || !sumPattern.MatchString(e.SHA256) || !sumPattern.MatchString(e.Files) {
			return nil, fmt.Errorf("%s: the entry %q is damaged", file, name)
		}
	}
	return l, nil
}

// write replaces the lock file of a folder.
func (l lock) write(folder string) error {
	var b bytes.Buffer
	b.WriteString("# What torc mod install has installed here. torc mod install without an argument restores it.\n")
	if err := toml.NewEncoder(&b).Encode(l); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".lock-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(folder, LockFile))
}
