package fleet

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// CopyName is the file in the data folder with the newest copy of what the fleet keeps.
const CopyName = "fleet.db"

// A copyFile reads the copy on the disk of what the fleet keeps. The file has the format of the
// store of mods. In place of a mod it has these buckets: for each set the values, and the changes
// that were not sent; each list; the epochs of the sets; and the lives of the fleet's buckets of
// values and of lists.
type copyFile struct {
	load func(name string) (map[string][]byte, error) // nil: there is no file
	err  error
	ages map[string][]byte // the epochs; nil: not read
}

const (
	valuesBucket = "values " // and the set
	unsentBucket = "unsent " // and the set
	listBucket   = "list "   // and the name of the list
	epochsBucket = "epochs"
	lifeKey      = " life" // no set has this name
	listsLifeKey = " lists"
)

var errCopy = errors.New("the copy is damaged")

// read returns what a bucket of the file has. After an error the file counts as empty.
func (c *copyFile) read(name string) map[string][]byte {
	if c.load == nil {
		return nil
	}
	m, err := c.load(name)
	if err != nil {
		c.fail(err)
		return nil
	}
	return m
}

func (c *copyFile) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// failed returns the first error since the last call.
func (c *copyFile) failed() error {
	err := c.err
	c.err = nil
	return err
}

// life returns the epoch of the bucket that counted, and its newest revision. key is lifeKey or
// listsLifeKey.
func (c *copyFile) life(key string) (e bus.Epoch, newest bus.Revision) {
	b := c.age(key)
	if len(b) != 24 {
		return e, 0
	}
	e = decodeEpoch(b)
	return e, bus.Revision(binary.LittleEndian.Uint64(b[16:]))
}

// epochOf returns the epoch of the values of a set.
func (c *copyFile) epochOf(set string) bus.Epoch {
	if b := c.age(set); len(b) == 16 {
		return decodeEpoch(b)
	}
	return bus.Epoch{}
}

// age returns what the file says about the age of a set or a bucket.
func (c *copyFile) age(key string) []byte {
	if c.ages == nil {
		if c.ages = c.read(epochsBucket); c.ages == nil {
			c.ages = map[string][]byte{}
		}
	}
	return c.ages[key]
}

func encodeEpoch(e bus.Epoch) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, e.Count), e.ID)
}

func decodeEpoch(b []byte) bus.Epoch {
	return bus.Epoch{Count: binary.LittleEndian.Uint64(b), ID: binary.LittleEndian.Uint64(b[8:])}
}

// set returns the values of a set, by key, and the changes that were not sent, in order.
func (c *copyFile) set(set string) (values []store.Value, unsent []store.Change) {
	stored := c.read(valuesBucket + set)
	for _, key := range slices.Sorted(maps.Keys(stored)) {
		if v, ok := decodeValue(key, stored[key]); ok {
			values = append(values, v)
		} else {
			c.fail(errCopy)
		}
	}
	waiting := c.read(unsentBucket + set)
	at := map[string]uint64{}
	for _, key := range slices.Sorted(maps.Keys(waiting)) {
		if n, change, ok := decodeChange(key, waiting[key]); ok {
			at[key] = n
			unsent = append(unsent, change)
		} else {
			c.fail(errCopy)
		}
	}
	order.By(unsent, func(a, b store.Change) int { return int(at[a.Key]) - int(at[b.Key]) })
	return values, unsent
}

// list returns the entries of a list, by target.
func (c *copyFile) list(name string) (values []bus.Value) {
	stored := c.read(listBucket + name)
	for _, key := range slices.Sorted(maps.Keys(stored)) {
		if v, ok := decodeValue(key, stored[key]); ok {
			values = append(values, bus.Value{Key: v.Key, Data: v.Data, Rev: bus.Revision(v.Rev), Owner: v.Owner})
		} else {
			c.fail(errCopy)
		}
	}
	return values
}

// encodeValue returns a value as it is in the file: revision, owner, data.
func encodeValue(v store.Value) []byte {
	b := binary.AppendUvarint(nil, v.Rev)
	b = binary.AppendUvarint(b, uint64(len(v.Owner)))
	return append(append(b, v.Owner...), v.Data...)
}

func decodeValue(key string, b []byte) (v store.Value, ok bool) {
	rev, n := binary.Uvarint(b)
	if n <= 0 {
		return v, false
	}
	b = b[n:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return v, false
	}
	b = b[n:]
	return store.Value{Key: key, Rev: rev, Owner: string(b[:size]), Data: b[size:]}, uint64(len(b)) > size
}

// encodeChange returns a change as it is in the file: its place, base and data.
func encodeChange(place int, c store.Change) []byte {
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(place)), c.Base)
	return append(b, c.Data...)
}

func decodeChange(key string, b []byte) (place uint64, c store.Change, ok bool) {
	place, n := binary.Uvarint(b)
	if n <= 0 || place > 1<<20 {
		return 0, c, false
	}
	b = b[n:]
	base, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, c, false
	}
	c = store.Change{Key: key, Base: base}
	if len(b) > n {
		c.Data = b[n:]
	}
	return place, c, true
}

// writesOf returns what is to be written for the changes of sets.
func writesOf(saves []store.Save, epochs map[string]bus.Epoch, life bucketLife) (list []store.Write) {
	for _, s := range saves {
		values, unsent := valuesBucket+s.Set, unsentBucket+s.Set
		if s.Whole {
			list = append(list, store.Write{Mod: values, Purge: true})
		}
		for _, v := range s.Values {
			w := store.Write{Mod: values, Key: v.Key}
			if v.Data != nil {
				w.Value = encodeValue(v)
			}
			list = append(list, w)
		}
		list = append(list, store.Write{Mod: unsent, Purge: true})
		for i, c := range s.Unsent {
			list = append(list, store.Write{Mod: unsent, Key: c.Key, Value: encodeChange(i, c)})
		}
	}
	for _, set := range slices.Sorted(maps.Keys(epochs)) {
		list = append(list, store.Write{Mod: epochsBucket, Key: set, Value: encodeEpoch(epochs[set])})
	}
	return append(list, lifeWrites(lifeKey, life)...)
}

// lifeWrites returns what is to be written about the life of a bucket.
func lifeWrites(key string, l bucketLife) []store.Write {
	if l.epoch.Count == 0 {
		return nil
	}
	return []store.Write{{Mod: epochsBucket, Key: key, Value: binary.LittleEndian.AppendUint64(encodeEpoch(l.epoch), uint64(l.newest))}}
}
