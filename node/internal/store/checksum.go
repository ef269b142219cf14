package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"go.etcd.io/bbolt"
)

// Each value in the file ends with the checksum of the mod, the key and the value. So a changed bit
// in any of them is found.

const (
	checksumSize = 4
	unsummed     = "1" // the version of files without checksums
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(mod, key, value []byte) uint32 {
	sum := crc32.Update(0, castagnoli, binary.LittleEndian.AppendUint32(nil, uint32(len(mod))))
	sum = crc32.Update(sum, castagnoli, mod)
	sum = crc32.Update(sum, castagnoli, binary.LittleEndian.AppendUint32(nil, uint32(len(key))))
	return crc32.Update(crc32.Update(sum, castagnoli, key), castagnoli, value)
}

// withChecksum returns a value as it is in the file.
func withChecksum(mod, key, value []byte) []byte {
	return binary.LittleEndian.AppendUint32(append(make([]byte, 0, len(value)+checksumSize), value...), checksum(mod, key, value))
}

// verified returns the value of an entry in the file, or an error that names its key.
func verified(mod, key, stored []byte) (value []byte, err error) {
	if n := len(stored) - checksumSize; n >= 0 {
		if value = stored[:n]; binary.LittleEndian.Uint32(stored[n:]) == checksum(mod, key, value) {
			return value, nil
		}
	}
	return nil, fmt.Errorf("mod %s, key %q: the checksum of the value is wrong", mod, key)
}

// verifyAll returns the first entry with a wrong checksum.
func verifyAll(tx *bbolt.Tx) error {
	return eachEntry(tx, func(_ *bbolt.Bucket, mod, key, stored []byte) error {
		_, err := verified(mod, key, stored)
		return err
	})
}

// eachEntry calls do with every entry of every mod.
func eachEntry(tx *bbolt.Tx, do func(b *bbolt.Bucket, mod, key, stored []byte) error) error {
	return tx.ForEach(func(mod []byte, b *bbolt.Bucket) error {
		if string(mod) == string(about) {
			return nil
		}
		return b.ForEach(func(k, v []byte) error { return do(b, mod, k, v) })
	})
}

// addChecksums turns a file without checksums into one of this version.
func (f *file) addChecksums() error {
	old := false
	err := f.db.View(func(tx *bbolt.Tx) error {
		old = string(tx.Bucket(about).Get(version)) == unsummed
		return nil
	})
	if err != nil || !old {
		return err
	}
	type entry struct {
		b           *bbolt.Bucket
		key, stored []byte
	}
	return f.db.Update(func(tx *bbolt.Tx) error {
		var all []entry
		err := eachEntry(tx, func(b *bbolt.Bucket, mod, key, stored []byte) error {
			all = append(all, entry{b, append([]byte{}, key...), withChecksum(mod, key, stored)})
			return nil
		})
		for _, e := range all {
			err = errors.Join(err, e.b.Put(e.key, e.stored))
		}
		return errors.Join(err, tx.Bucket(about).Put(version, []byte(strconv.Itoa(schema))))
	})
}

// verifyFile checks all pages and values of a file.
func verifyFile(path string) error {
	db, err := openDB(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	f := &file{db: db}
	defer f.close()
	return guard(func() error { return db.View(verifyAll) })
}
