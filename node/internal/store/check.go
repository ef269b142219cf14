package store

import (
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/torc-engine/torc/script/store"
)

// maxProblems is the maximum number of problems in a report.
const maxProblems = 100

// A Report is the result of Check.
type Report struct {
	Mods     []Holding // sorted by name
	Problems []string  // at most 100; none: the file is sound
}

// A Holding is the size of the stored values of one mod.
type Holding struct {
	Mod   string
	Keys  int
	Bytes int // of keys and values
}

// Check reads every page and every value of a file. No server must use the file. The error says why
// the check could not start.
func Check(path string) (r Report, err error) {
	db, err := openDB(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return r, err
	}
	f := &file{db: db}
	defer f.close()
	err = guard(func() error { return db.View(func(tx *bbolt.Tx) error { return r.look(tx) }) })
	if err != nil {
		r.problem(err.Error())
	}
	return r, nil
}

func (r *Report) problem(text string) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, text)
	}
}

// look reads all values. Then bbolt checks the order of keys and the list of free pages.
func (r *Report) look(tx *bbolt.Tx) error {
	err := tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if string(name) == string(about) {
			return nil
		}
		return r.holding(string(name), b)
	})
	if err != nil {
		return err
	}
	for err := range tx.Check() { // read it to the end, or its goroutine leaks
		r.problem(err.Error())
	}
	return nil
}

func (r *Report) holding(mod string, b *bbolt.Bucket) error {
	h := Holding{Mod: mod}
	err := b.ForEach(func(k, stored []byte) error {
		v, err := verified([]byte(mod), k, stored)
		h.Keys++
		h.Bytes += len(k) + len(v)
		if err != nil {
			r.problem(err.Error())
		} else if err := store.Check(string(k), v); err != nil {
			r.problem(fmt.Sprintf("%s %q: %v", mod, k, err))
		}
		return nil
	})
	r.Mods = append(r.Mods, h)
	return err
}
