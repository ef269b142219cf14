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

	"github.com/torc-engine/torc/script"
)

const (
	schema   = 1                      // of the buckets and keys; what values are is the matter of their own code
	lockTime = 100 * time.Millisecond // to wait for who has the file; bbolt would wait for ever
)

// about is the bucket that says what the file is. No mod can be called that.
var about, version = []byte(".torc"), []byte("version")

// A file is the database. It does at once what it is told, and its caller waits for the disk.
type file struct {
	db     *bbolt.DB
	broken error // why nothing is written any more
}

// open opens a file to write to it, and makes it where there is none.
func open(path string) (*file, error) { return openWith(path, bbolt.Options{}) }

func openWith(path string, o bbolt.Options) (*file, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("the store %s cannot be made: %w", path, err)
		}
	}
	db, err := openDB(path, o)
	if err != nil {
		return nil, err
	}
	return &file{db: db}, nil
}

// create makes an empty file that is whole as soon as it has its name.
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

// settle gives a file that is complete and synced its name, for good.
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

// openDB opens a file that is there, and looks whether it is ours. All of it is looked at, read only and locked, before
// bbolt follows any page.
func openDB(path string, o bbolt.Options) (*bbolt.DB, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("there is no store: %w", err)
	} else if info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty: put a backup in its place", path)
	}
	db, err := openAs(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err = inspect(path); err != nil {
		err = fmt.Errorf("the store %s is damaged: %w; put a backup in its place", path, err)
	} else if err = guard(func() error { return db.View(ours) }); err != nil {
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
		return nil, fmt.Errorf("the store %s is in use by another process: end that, or name another folder with --data DIR", path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum):
		return nil, fmt.Errorf("%s is no store, or damaged (%w): put a backup in its place", path, err)
	case err != nil:
		return nil, fmt.Errorf("the store %s cannot be opened: %w", path, err)
	}
	return db, nil
}

// ours reports whether a file has buckets and keys that this program knows.
func ours(tx *bbolt.Tx) error {
	b := tx.Bucket(about)
	if b == nil {
		return errors.New("is no store of torc")
	}
	if v := string(b.Get(version)); v != strconv.Itoa(schema) {
		return fmt.Errorf("was written by another torc: it has version %q of the store, this torc knows %d", v, schema)
	}
	return nil
}

// load is all that a mod has stored.
func (f *file) load(mod string) (values map[string][]byte, err error) {
	values = map[string][]byte{}
	err = guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(mod))
			if b == nil {
				return nil
			}
			return b.ForEach(func(k, v []byte) error {
				values[string(k)] = append([]byte{}, v...)
				return nil
			})
		})
	})
	return values, err
}

// commit makes a batch safe, or leaves everything as it was.
func (f *file) commit(batch []script.Change) error {
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
	f.broken = fmt.Errorf("nothing is stored any more until the server is started again, because the disk has failed: %w", err)
	return f.broken
}

// count is the number of the newest batch that the file shows.
func (f *file) count() (n int) {
	_ = guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error { n = tx.ID(); return nil })
	})
	return n
}

func apply(tx *bbolt.Tx, batch []script.Change) error {
	for _, c := range batch {
		b, err := tx.CreateBucketIfNotExists([]byte(c.Mod))
		if err != nil {
			return err
		}
		if c.Value == nil {
			err = b.Delete([]byte(c.Key))
		} else {
			err = b.Put([]byte(c.Key), c.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// full reports whether a write found no room: the disk is as good as before then. Of a sync that says the same that is not
// known, and of a file that cannot grow bbolt tells only the text.
func full(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Op == "write" && (errors.Is(at.Err, syscall.ENOSPC) || errors.Is(at.Err, diskQuota))
}

// copyTo writes the file as it is at this moment, while others go on to write to it.
func (f *file) copyTo(w io.Writer) error {
	return guard(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

func (f *file) close() error { return guard(f.db.Close) }

// guard makes an error of what a damaged file makes bbolt do: a panic, or a read of what is not there.
func guard(run func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	return run()
}
