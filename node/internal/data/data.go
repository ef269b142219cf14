// Package data opens the data folder of a server or a client, and reads and writes its small files.
//
// Only the owner can read the folder (0700). A server locks it while it runs, so that two servers
// never write the same files. A client locks the identity, so that two clients never use one key.
// The locks end with the process, even after a crash.
package data

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Folder is an open data folder.
type Folder struct {
	path     string
	server   *os.File // the lock of a server, or nil
	identity *os.File // the lock of the identity, or nil
}

var errLocked = errors.New("locked")

// InUse is the error for the data folder of a running server.
type InUse struct{ Folder string }

// Error names the folder and the way out.
func (e *InUse) Error() string {
	return fmt.Sprintf("another torc server uses the data folder %s: name another with --data DIR", e.Folder)
}

// Open opens the folder, and creates it if it is missing. exclusive also locks it for this process.
func Open(path string, exclusive bool) (*Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	f := &Folder{path: path}
	if !exclusive {
		return f, nil
	}
	f.server, err = lockFile(f.Path("lock"))
	if errors.Is(err, errLocked) {
		return nil, &InUse{path}
	}
	if err != nil {
		return nil, fmt.Errorf("the data folder cannot be locked: %w", err)
	}
	return f, nil
}

// LockIdentity locks the identity for a client. It returns false if another client has the lock.
func (f *Folder) LockIdentity() (mine bool, err error) {
	f.identity, err = lockFile(f.Path("identity.lock"))
	if errors.Is(err, errLocked) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the identity cannot be locked: %w", err)
	}
	return true, nil
}

// lockFile opens and locks a file, and creates it if it is missing.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Exposed reports whether other users can write to the folder.
func (f *Folder) Exposed() bool {
	info, err := os.Stat(f.path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}

// Close unlocks the folder and the identity.
func (f *Folder) Close() (err error) {
	for _, lock := range []*os.File{f.server, f.identity} {
		if lock != nil {
			err = errors.Join(err, unlock(lock), lock.Close())
		}
	}
	return err
}
