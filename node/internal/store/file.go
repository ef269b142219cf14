package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/script/store"
)

const (
	schema   = 2                      // of the buckets, keys and checksums; values have a format of their own
	lockTime = 100 * time.Millisecond // to wait for the lock of the file; bbolt would wait for ever
)

// about is the bucket that describes the file. No mod can have this name.
var about, version = []byte(".torc"), []byte("version")

// A file is the database. Its methods wait for the disk.
type file struct {
	db     *bbolt.DB
	broken error // why nothing is written any more; nil: nothing is wrong
}

// open opens a file for writing. It creates a missing file.
func open(path string) (*file, error) { return openWith(path, bbolt.Options{}) }

func openWith(path string, o bbolt.Options) (*file, error) {
	there, err := data.Exists(path)
	if err != nil {
		return nil, fmt.Errorf("the store cannot be opened: %w", err)
	}
	if !there {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("the store %s cannot be made: %w", path, err)
		}
	}
	db, err := openDB(path, o)
	if err != nil {
		return nil, err
	}
	f := &file{db: db}
	if err := guard(f.addChecksums); err != nil {
		return nil, errors.Join(fmt.Errorf("the store %s cannot be brought to version %d: %w", path, schema, err), f.close())
	}
	if err := guard(func() error { return db.View(verifyAll) }); err != nil {
		return nil, errors.Join(fmt.Errorf("the store %s is damaged: %w; replace it with a backup", path, err), f.close())
	}
	return f, nil
}

// create makes an empty file. The file gets its name when it is complete.
func create(path string) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := bbolt.Open(fresh, 0o600, &bbolt.Options{Timeout: lockTime})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket(about)
		if err != nil {
			return err
		}
		return b.Put(version, []byte(strconv.Itoa(schema)))
	})
	if err = errors.Join(err, db.Close()); err == nil {
		err = settle(fresh, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}

// settle renames a complete and synced file, and syncs its folder.
func settle(fresh, path string) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Rename(filepath.Base(fresh), filepath.Base(path)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// openDB opens an existing file and checks that it is a store. It reads all pages, read-only and
// locked, before bbolt follows any page.
func openDB(path string, o bbolt.Options) (*bbolt.DB, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("there is no store: %w", err)
	} else if info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty: replace it with a backup", path)
	}
	db, err := openAs(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err = inspect(path); err != nil {
		err = fmt.Errorf("the store %s is damaged: %w; replace it with a backup", path, err)
	} else if err = guard(func() error { return db.View(func(tx *bbolt.Tx) error { return ours(tx, o.ReadOnly) }) }); err != nil {
		err = fmt.Errorf("%s %w", path, err)
	}
	if err == nil && o.ReadOnly {
		return db, nil
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return openAs(path, o)
}

func openAs(path string, o bbolt.Options) (db *bbolt.DB, err error) {
	o.Timeout, o.NoStatistics = lockTime, true
	err = guard(func() (err error) { db, err = bbolt.Open(path, 0o600, &o); return err })
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("the store %s is in use by another process: end that process, or name another folder with --data DIR", path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum):
		return nil, fmt.Errorf("%s is not a store, or is damaged (%w): replace it with a backup", path, err)
	case err != nil:
		return nil, fmt.Errorf("the store %s cannot be opened: %w", path, err)
	}
	return db, nil
}

// ours checks that this program knows the buckets and keys of a file. A file of the version without
// checksums can only be opened for writing.
func ours(tx *bbolt.Tx, reading bool) error {
	b := tx.Bucket(about)
	if b == nil {
		return errors.New("is not a store of torc")
	}
	v := string(b.Get(version))
	if v == unsummed && reading {
		return fmt.Errorf("has store version %s: start the server once, and it gets version %d", unsummed, schema)
	}
	if v != unsummed && v != strconv.Itoa(schema) {
		return fmt.Errorf("has store version %q: this torc reads version %d", v, schema)
	}
	return nil
}

// load returns the stored values of a mod.
func (f *file) load(mod string) (values map[string][]byte, err error) {
	values = map[string][]byte{}
	err = guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(mod))
			if b == nil {
				return nil
			}
			return b.ForEach(func(k, stored []byte) error {
				v, err := verified([]byte(mod), k, stored)
				values[string(k)] = append([]byte{}, v...)
				return err
			})
		})
	})
	return values, err
}

// usage returns the mods with stored values.
func (f *file) usage() (all []store.Usage, err error) {
	err = guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
				u := store.Usage{Mod: string(name)}
				err := b.ForEach(func(k, stored []byte) error {
					u.Keys++
					u.Bytes += store.EntrySize(len(k), len(stored)-checksumSize)
					return nil
				})
				if u.Keys > 0 && u.Mod != string(about) {
					all = append(all, u)
				}
				return err
			})
		})
	})
	return all, err
}

// commit writes a batch and syncs it, or changes nothing.
func (f *file) commit(batch []store.Write) error {
	if f.broken != nil {
		return f.broken
	}
	before := f.count()
	err := guard(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error { return apply(tx, batch) })
	})
	switch {
	case err == nil:
		return nil
	case full(err) && f.count() == before:
		return fmt.Errorf("the disk is full: %w", err)
	}
	f.broken = fmt.Errorf("the disk failed, and the store takes no more writes until the server restarts: %w", err)
	return f.broken
}

// count returns the number of the newest batch in the file.
func (f *file) count() (n int) {
	_ = guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error { n = tx.ID(); return nil })
	})
	return n
}

func apply(tx *bbolt.Tx, batch []store.Write) error {
	for _, c := range batch {
		if c.Purge {
			if err := tx.DeleteBucket([]byte(c.Mod)); err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
				return err
			}
			continue
		}
		b, err := tx.CreateBucketIfNotExists([]byte(c.Mod))
		if err != nil {
			return err
		}
		if c.Value == nil {
			err = b.Delete([]byte(c.Key))
		} else {
			err = b.Put([]byte(c.Key), withChecksum([]byte(c.Mod), []byte(c.Key), c.Value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// full reports whether a write failed because the disk is full. Such a failure changes nothing on
// the disk. A sync with the same error can change something. For a file that cannot grow, bbolt
// returns only a text.
func full(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Op == "write" && (errors.Is(at.Err, syscall.ENOSPC) || errors.Is(at.Err, diskQuota))
}

// copyTo writes a copy of the current state. Writing to the file continues meanwhile.
func (f *file) copyTo(w io.Writer) error {
	return guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

func (f *file) close() error { return guard(f.db.Close) }

// guard turns what bbolt does with a damaged file into an error: a panic, or a read of a missing
// page.
func guard(run func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	return run()
}
