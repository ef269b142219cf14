package modpack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/torc-engine/torc/script/manifest"
)

// An Installer installs archives in one folder of mods.
type Installer struct {
	Folder       string       // of mods; it is made if necessary
	Replace      bool         // an installed mod of the same name is replaced
	Stock        []string     // the names of the mods of torc
	ReplaceStock bool         // a mod can have the name of one of these
	Client       *http.Client // for https
}

// Install installs one archive, and returns the mod's manifest. The mod appears in the folder whole
// or not at all.
func (in *Installer) Install(ctx context.Context, from Source) (*manifest.Manifest, error) {
	if err := os.MkdirAll(in.Folder, 0o755); err != nil {
		return nil, err
	}
	if _, err := readLock(in.Folder); err != nil {
		return nil, err // before anything is fetched
	}
	stage, err := os.MkdirTemp(in.Folder, ".install-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	m, e, err := in.stage(ctx, from, stage)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Place, err)
	}
	if err := in.place(filepath.Join(stage, m.Name), m.Name); err != nil {
		return nil, err
	}
	l, err := readLock(in.Folder) // again: another installation can have ended meanwhile
	if err != nil {
		return nil, err
	}
	l[m.Name] = e
	return m, l.write(in.Folder)
}

// stage fetches, unpacks and checks an archive in a folder of its own. The mod's folder is in
// there.
func (in *Installer) stage(ctx context.Context, from Source, stage string) (m *manifest.Manifest, e locked, err error) {
	if e.Source, err = from.lasting(); err != nil {
		return nil, e, err
	}
	archive, err := os.Create(filepath.Join(stage, ".archive"))
	if err != nil {
		return nil, e, err
	}
	defer archive.Close()
	if e.SHA256, err = from.fetch(ctx, in.Client, archive); err != nil {
		return nil, e, err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return nil, e, err
	}
	files := filepath.Join(stage, ".files")
	if m, e.Files, err = unpackMod(archive, files); err != nil {
		return nil, e, err
	}
	if slices.Contains(in.Stock, m.Name) && !in.ReplaceStock {
		return nil, e, fmt.Errorf("%s is a mod of torc, and this one would run in its place; --replace-stock installs it", m.Name)
	}
	e.Version = m.Version.String()
	return m, e, os.Rename(files, filepath.Join(stage, m.Name))
}

// unpackMod unpacks an archive into a new folder, and reads the manifest in it.
func unpackMod(archive io.Reader, folder string) (m *manifest.Manifest, files string, err error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	name, err := unpack(archive, root)
	if err != nil {
		return nil, "", err
	}
	if m, err = manifest.Read(name, root.FS()); err != nil {
		return nil, "", err
	}
	files, err = sumFiles(root.FS(), name)
	return m, files, err
}

// place moves a checked mod into the folder. The mod that it replaces waits beside it, so that it
// comes back if the new one cannot be placed.
func (in *Installer) place(from, name string) error {
	to := filepath.Join(in.Folder, name)
	_, err := os.Lstat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Rename(from, to)
	case err != nil:
		return err
	case !in.Replace:
		return fmt.Errorf("%s exists already; --replace replaces it", to)
	}
	aside, err := os.MkdirTemp(in.Folder, ".old-*")
	if err != nil {
		return err
	}
	old := filepath.Join(aside, name)
	if err := os.Rename(to, old); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	if err := os.Rename(from, to); err != nil {
		if back := os.Rename(old, to); back != nil {
			return fmt.Errorf("%w; the mod that was there is in %s", errors.Join(err, back), old)
		}
		return errors.Join(err, os.Remove(aside))
	}
	return os.RemoveAll(aside)
}

// Restore installs the mods of the lock file that are missing and, with Replace, those that are
// changed, in order of their names. It returns those that it installed. A mod that fails does not
// stop the others.
func (in *Installer) Restore(ctx context.Context) (done []*manifest.Manifest, err error) {
	l, err := readLock(in.Folder)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(l)) {
		m, err := in.restore(ctx, name, l[name])
		if err != nil {
			failed = append(failed, err)
		} else if m != nil {
			done = append(done, m)
		}
	}
	return done, errors.Join(failed...)
}

// restore installs one mod of the lock file, if that is necessary.
func (in *Installer) restore(ctx context.Context, name string, e locked) (*manifest.Manifest, error) {
	to := filepath.Join(in.Folder, name)
	_, err := os.Lstat(to)
	if err == nil {
		if same, err := e.unchanged(in.Folder, name); err != nil || same {
			return nil, err
		}
		if !in.Replace {
			return nil, fmt.Errorf("%s was changed; --replace replaces it", to)
		}
	}
	return in.Install(ctx, Source{Place: e.Source, SHA256: e.SHA256})
}

// unchanged reports whether the mod is in the folder with the files that were installed.
func (e locked) unchanged(folder, name string) (bool, error) {
	root, err := os.OpenRoot(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer root.Close()
	sum, err := sumFiles(root.FS(), name)
	return sum == e.Files, err
}

// Entry is one mod of a folder.
type Entry struct {
	Name        string   `json:"name"`
	Version     string   `json:"version,omitempty"`
	State       string   `json:"state"` // installed, changed, missing, own or broken
	Source      string   `json:"source,omitempty"`
	SHA256      string   `json:"sha256,omitempty"`
	Permissions []string `json:"permissions,omitempty"`
	Error       string   `json:"error,omitempty"`
}

// List returns the mods of a folder and those that its lock file names, by name.
func List(folder string) ([]Entry, error) {
	l, err := readLock(folder)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	names := slices.Collect(maps.Keys(l))
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(folder, e.Name(), manifest.File)); err == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	list := []Entry{}
	for _, name := range slices.Compact(names) {
		list = append(list, describe(folder, name, l))
	}
	return list, nil
}

// describe returns the entry of one mod.
func describe(folder, name string, l lock) Entry {
	e, known := l[name]
	entry := Entry{Name: name, Version: e.Version, State: "own", Source: e.Source, SHA256: e.SHA256}
	if known {
		entry.State = "changed"
		if same, err := e.unchanged(folder, name); err != nil {
			entry.Error = err.Error()
		} else if same {
			entry.State = "installed"
		}
	}
	root, err := os.OpenRoot(filepath.Join(folder, name))
	if err != nil {
		entry.State = "missing"
		return entry
	}
	defer root.Close()
	m, err := manifest.Read(name, root.FS())
	if err != nil {
		entry.State, entry.Error = "broken", err.Error()
		return entry
	}
	entry.Version, entry.Permissions = m.Version.String(), m.Permissions
	return entry
}
