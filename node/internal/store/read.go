package store

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// Read returns all values of a file, by mod and key, and writes nothing. No server must use the
// file. A value that is damaged is an error, which names the file.
func Read(path string) (values map[string]map[string][]byte, err error) {
	db, err := openDB(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	f := &file{db: db}
	defer f.close()
	values = map[string]map[string][]byte{}
	err = guard(func() error { return db.View(func(tx *bbolt.Tx) error { return readAll(tx, values) }) })
	if err != nil {
		return nil, fmt.Errorf("the store %s is damaged: %w", path, err)
	}
	return values, nil
}

// readAll reads the values of all mods into a map.
func readAll(tx *bbolt.Tx, values map[string]map[string][]byte) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if string(name) == string(about) {
			return nil
		}
		mod := map[string][]byte{}
		values[string(name)] = mod
		return b.ForEach(func(k, stored []byte) error {
			v, err := verified(name, k, stored)
			mod[string(k)] = append([]byte{}, v...)
			return err
		})
	})
}
