package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"go.etcd.io/bbolt"
)

// Folder is the folder for backups of a running server, in the data folder.
const Folder = "backups"

// backupName matches the names of backups: plain file names on every system.
var backupName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9_])?$`)

// Backup copies the current state of the store to backups/NAME in the data folder, and returns the
// path. Writing to the store continues meanwhile. The copy gets its name when it is complete and
// synced, so an earlier backup of that name is replaced by a complete one or not at all. A name
// cannot lead out of the folder.
func (s *Store) Backup(data, name string) (path string, err error) {
	if !backupName.MatchString(name) || !filepath.IsLocal(name) {
		return "", fmt.Errorf("backup name %q: must be 1 to 64 letters, digits and _ . -, for example store-1.db; the file goes to %s in the data folder", name, Folder)
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
		return "", fmt.Errorf("the backup failed: %w", err)
	}
	return filepath.Join(data, Folder, name), nil
}

// autoName is the form of the names of automatic backups. Their order is that of their times.
const autoName = "auto-20060102-150405.db"

// AutoBackup makes a backup named after the time, in UTC. Then it deletes the oldest such backups,
// so that the newest keep stay. Backups with other names stay.
func (s *Store) AutoBackup(data string, now time.Time, keep int) (path string, err error) {
	if path, err = s.Backup(data, now.UTC().Format(autoName)); err != nil {
		return "", err
	}
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".") // sorted
	if err != nil {
		return "", err
	}
	var auto []string
	for _, e := range entries {
		if _, err := time.Parse(autoName, e.Name()); err == nil && e.Type().IsRegular() {
			auto = append(auto, e.Name())
		}
	}
	for _, name := range auto[:max(0, len(auto)-keep)] {
		if err := folder.Remove(name); err != nil {
			return path, fmt.Errorf("%s was made, but an old backup stays: %w", path, err)
		}
	}
	return path, nil
}

// Copy copies a store to another file. No server must use the store.
func Copy(from, to string) error {
	db, err := openDB(from, bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	f := &file{db: db}
	return errors.Join(f.placeAt(to), f.close())
}

func (f *file) placeAt(to string) error { return placeAt(to, f.copyTo) }

// Move moves a backup, also to another disk. After an error it is in neither place.
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
		return fmt.Errorf("the backup failed: %w", err)
	}
	defer dir.Close()
	if err := place(dir, filepath.Base(path), write); err != nil {
		return fmt.Errorf("the backup failed: %w", err)
	}
	return nil
}

// place writes a file. The file gets its name when it is complete, synced and free of damage. So a
// damaged copy replaces no good one.
func place(dir *os.Root, name string, write func(io.Writer) error) error {
	fresh := "." + name + ".new" // not the name of any backup
	f, err := dir.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	if err = write(out); err == nil {
		err = errors.Join(out.Flush(), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		if bad := verifyFile(filepath.Join(dir.Name(), fresh)); bad != nil {
			err = fmt.Errorf("the copy is damaged, and an earlier backup of this name stays: %w", bad)
		}
	}
	if err == nil {
		err = dir.Rename(fresh, name)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(fresh))
	}
	return syncFolder(dir)
}

// syncFolder syncs the names in a folder.
func syncFolder(dir *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil // this system cannot sync a folder, and need not
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
