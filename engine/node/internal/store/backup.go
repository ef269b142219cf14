package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"go.etcd.io/bbolt"
)

// Folder is where the backups of a running server are, in the data folder.
const Folder = "backups"

// backupName is what a backup may be called: a plain name everywhere.
var backupName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9_])?$`)

// Backup copies the store as it is at this moment to backups/NAME in the data folder, while others go on to write to it.
// The copy has its name when it is complete and safe: one that had the name before is replaced by a whole one or not at
// all. Whoever may call it can reach nothing outside of that folder. It returns where the copy is.
func (s *Store) Backup(data, name string) (path string, err error) {
	if !backupName.MatchString(name) || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%q must be a plain name of at most 64 letters, digits and _ . -, as in store-1.db: it comes into %s of the data folder", name, Folder)
	}
	root, err := os.OpenRoot(data)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(Folder, 0o700); err != nil {
		return "", err
	}
	inside, err := root.OpenRoot(Folder)
	if err != nil {
		return "", err
	}
	defer inside.Close()
	if err := place(inside, name, s.file.copyTo); err != nil {
		return "", fmt.Errorf("the backup is not made: %w", err)
	}
	return filepath.Join(data, Folder, name), nil
}

// Copy copies a store that no server uses to another file.
func Copy(from, to string) error {
	db, err := openDB(from, bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	f := &file{db: db}
	return errors.Join(f.placeAt(to), f.close())
}

func (f *file) placeAt(to string) error { return placeAt(to, f.copyTo) }

// Move brings a backup to another place, which may be on another disk.
func Move(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	err = placeAt(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
	return errors.Join(err, in.Close(), os.Remove(from))
}

func placeAt(path string, write func(io.Writer) error) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("the backup is not made: %w", err)
	}
	defer dir.Close()
	if err := place(dir, filepath.Base(path), write); err != nil {
		return fmt.Errorf("the backup is not made: %w", err)
	}
	return nil
}

// place writes a file that has its name only when it is complete and safe.
func place(dir *os.Root, name string, write func(io.Writer) error) error {
	fresh := "." + name + ".new" // no backup of another name
	f, err := dir.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	if err = write(out); err == nil {
		err = errors.Join(out.Flush(), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(fresh, name)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(fresh))
	}
	return syncFolder(dir)
}

// syncFolder makes the names in a folder safe.
func syncFolder(dir *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil // it has no way to do that, and does it by itself
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
