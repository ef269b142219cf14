//go:build !js

package node

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/storage"
	"github.com/torc-engine/torc/node/internal/store"
	"github.com/torc-engine/torc/node/remote"
)

// A Report is the result of Check.
type Report = store.Report

// Backup copies the values that mods have stored, from a data folder to a new file. A server may
// run on the folder. It returns the size of the copy in bytes.
func Backup(folder, to string) (size int64, err error) {
	dir, err := storeFolder(folder)
	if err != nil {
		return 0, err
	}
	if sameFile(to, filepath.Join(dir, storage.FileName)) {
		return 0, fmt.Errorf("%s is the store itself: name another file", to)
	}
	from, served, err := copyOfServer(dir)
	if err != nil {
		return 0, err
	}
	if served {
		err = store.Move(from, to)
	} else {
		err = withLock(dir, func(path string) error { return store.Copy(path, to) })
	}
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Check reads all of the store of a data folder. If a server runs on the folder, it reads a copy.
// file is the path of the store.
func Check(folder string) (file string, r Report, err error) {
	dir, err := storeFolder(folder)
	if err != nil {
		return "", r, err
	}
	file = filepath.Join(dir, storage.FileName)
	copied, served, err := copyOfServer(dir)
	switch {
	case err != nil:
		return file, r, err
	case served:
		defer os.Remove(copied)
		r, err = store.Check(copied)
	default:
		err = withLock(dir, func(path string) error { r, err = store.Check(path); return err })
	}
	return file, r, err
}

// CheckFile reads all of a store, such as a backup. No server must use it.
func CheckFile(path string) (Report, error) { return store.Check(path) }

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, wrong := os.Stat(b)
	return err == nil && wrong == nil && os.SameFile(one, two)
}

// storeFolder returns the absolute path of a data folder. It fails if the folder has no store.
func storeFolder(folder string) (string, error) {
	if _, err := os.Stat(filepath.Join(folder, storage.FileName)); err != nil {
		return "", fmt.Errorf("the data folder %s has no store: name another with --data DIR", folder)
	}
	return filepath.Abs(folder)
}

// copyOfServer asks the server that runs on a folder for a copy of its store. served is false if
// none runs.
func copyOfServer(dir string) (path string, served bool, err error) {
	c, err := remote.Dial(filepath.Join(dir, remote.Socket))
	if err != nil {
		return "", false, nil // nobody listens; the lock of the folder shows whether a server is there
	}
	defer c.Close()
	path, err = c.Backup(fmt.Sprintf("torc-%d.db", os.Getpid()))
	return path, true, err
}

// withLock does something with the store of a folder, and keeps servers out of the folder
// meanwhile.
func withLock(dir string, do func(path string) error) error {
	home, err := data.Open(dir, true)
	if err != nil {
		return fmt.Errorf("%w (if that server runs, it cannot be reached at %s)", err, filepath.Join(dir, remote.Socket))
	}
	defer home.Close()
	return do(home.Path(storage.FileName))
}
