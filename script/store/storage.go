package store

import (
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// Write sets one value, deletes a key, or deletes all values of a mod.
type Write struct {
	Mod, Key string
	Value    []byte // encoded value, nil to delete; the bytes must not be modified
	Purge    bool   // deletes all values of the mod; Key and Value are empty
}

// Usage is how much of a store a mod uses.
type Usage struct {
	Mod   string
	Bytes int // of keys and values, with those that a mod's limit counts for each entry
	Keys  int
}

// UsageOf returns how much of a store the values of a mod use.
func UsageOf(mod string, values map[string][]byte) Usage {
	u := Usage{Mod: mod, Keys: len(values)}
	for key, value := range values { // any order: it is a sum
		u.Bytes += EntrySize(len(key), len(value))
	}
	return u
}

// EntrySize returns what an entry with a key and a value of these lengths uses, in bytes.
func EntrySize(key, value int) int { return key + value + entryOverhead }

// Outcome is the result of a batch.
type Outcome struct {
	Batch uint64
	Err   error // nil: the batch is safe on the disk
}

// Store keeps the stored values of mods. The goroutine of the scripts calls it. Only Load and Usage
// may wait for a disk.
type Store interface {
	// Load returns all saved values of a mod, by key. Scripts call it when the mod is loaded for
	// the first time, and not again on a reload.
	Load(mod string) (map[string][]byte, error)
	// Usage returns the mods with saved values, sorted by name. Mods can be among them that are no
	// longer installed.
	Usage() ([]Usage, error)
	// Commit queues a batch for saving and returns its number. The store saves batches in order,
	// and each batch completely or not at all.
	Commit(batch []Write) uint64
	// Done returns the batches that have ended since the last call, in order.
	Done() []Outcome
}

const (
	maxBatches      = 2        // batches sent to the store at a time; later changes form the next batch
	maxPending      = 16_384   // changes of one mod that are not safe yet
	maxPendingBytes = 16 << 20 // bytes of their keys and values
	entryOverhead   = 32       // bytes that an entry counts in addition to its key and value
)

// Storage holds the stored values of mods in memory, in front of a Store. It is keyed by mod name,
// so the values survive a reload.
type Storage struct {
	Console   *vm.Mod // the state of the console, which prints values
	MaxBytes  int     // stored bytes of one mod
	runtime   *vm.Runtime
	store     Store // nil if there is no store
	modStores map[string]*modStore
	next      []pendingChange  // changes since the last batch
	sent      []batch          // batches sent to the store, oldest first
	finished  []finishedChange // changes with a pending callback
}

// DefaultMaxBytes is the number of stored bytes that a mod can have by default.
const DefaultMaxBytes = 16 << 20

// Holder is the data of a mod that can store values: the value of vm.Mod.Binding.
type Holder interface {
	// Storage returns the stored values of all mods.
	Storage() *Storage
	// ConsoleName returns the Lua value of a console name, such as the command store.purge; nil:
	// there is none.
	ConsoleName(name string) lua.LValue
	// Disabled reports whether the instance runs no more code.
	Disabled() bool
}

// New makes the storage of a host. store can be nil.
func New(runtime *vm.Runtime, store Store) *Storage {
	return &Storage{MaxBytes: DefaultMaxBytes, runtime: runtime, store: store, modStores: map[string]*modStore{}}
}

// modStore holds the stored values of one mod.
type modStore struct {
	values         map[string][]byte // as scripts see them, including changes that are not safe yet
	keys           []string          // keys of values, sorted
	bytes          int               // total size of values in bytes, with entryOverhead per entry
	pendingKeys    map[string]*pendingKey
	pendingChanges int   // number of changes that are not safe yet
	pendingBytes   int   // their size in bytes
	err            error // set if the values could not be read; every operation then fails
}

// pendingKey is the state of a key with changes that are not safe yet.
type pendingKey struct {
	durable []byte // value on the disk, nil for none
	changes int
}

// pendingChange is a Write with its callback and the previous value of the key.
type pendingChange struct {
	Write
	before []byte // value that scripts saw before
	done   storeCallback
}

type storeCallback struct {
	mod *vm.Mod
	fn  *lua.LFunction // nil: no callback
}

type batch struct {
	number  uint64
	changes []pendingChange
}

// finishedChange is the result of one change.
type finishedChange struct {
	storeCallback
	err error
}

// Load reads the stored values of a mod, unless they are already in memory.
func (st *Storage) Load(m *vm.Mod) {
	if st.store == nil {
		return
	}
	if have := st.modStores[m.Name]; have != nil && have.err == nil {
		return
	}
	b := st.read(m.Name)
	st.modStores[m.Name] = b
	if b.err != nil {
		st.runtime.Log(slog.LevelError, b.err.Error(), "mod", m.Name)
	}
}

// newModStore makes one without values.
func newModStore() *modStore {
	return &modStore{values: map[string][]byte{}, pendingKeys: map[string]*pendingKey{}}
}

// read reads the stored values of a mod.
func (st *Storage) read(mod string) *modStore {
	b := newModStore()
	loaded, err := st.store.Load(mod)
	if err != nil {
		b.err = fmt.Errorf("cannot read the store of %s: %w", mod, err)
		return b
	}
	b.values = loaded
	if b.values == nil {
		b.values = map[string][]byte{}
	}
	for key, value := range b.values {
		b.keys = append(b.keys, key)
		b.bytes += entrySize(key, value)
	}
	slices.Sort(b.keys)
	return b
}

// entrySize returns the size of an entry in a mod's storage; it is 0 if value is nil.
func entrySize(key string, value []byte) int {
	if value == nil {
		return 0
	}
	return EntrySize(len(key), len(value))
}

// set changes the value that scripts see; nil deletes it.
func (b *modStore) set(key string, value []byte) {
	old := b.values[key]
	b.bytes += entrySize(key, value) - entrySize(key, old)
	if (old == nil) != (value == nil) {
		if i, found := slices.BinarySearch(b.keys, key); found {
			b.keys = slices.Delete(b.keys, i, i+1)
		} else {
			b.keys = slices.Insert(b.keys, i, key)
		}
	}
	if value == nil {
		delete(b.values, key)
		return
	}
	b.values[key] = value
}

// after returns the first key after last that begins with prefix. If begun is false, last itself
// qualifies.
func (b *modStore) after(last, prefix string, begun bool) (string, bool) {
	i, found := slices.BinarySearch(b.keys, max(last, prefix))
	if begun && found {
		i++
	}
	if i == len(b.keys) || !strings.HasPrefix(b.keys[i], prefix) {
		return "", false
	}
	return b.keys[i], true
}

// before returns the last key before last that begins with prefix. If begun is false, last itself
// qualifies, and every key of prefix does if last is "".
func (b *modStore) before(last, prefix string, begun bool) (string, bool) {
	end := sort.Search(len(b.keys), func(i int) bool {
		k := b.keys[i]
		return last != "" && (k > last || begun && k == last) || k > prefix && !strings.HasPrefix(k, prefix)
	})
	if end == 0 || !strings.HasPrefix(b.keys[end-1], prefix) {
		return "", false
	}
	return b.keys[end-1], true
}

// checkChange returns the reason why a change is not allowed, or nil. limit is the mod's storage
// limit in bytes.
func (b *modStore) checkChange(key string, value []byte, limit int) error {
	grown := entrySize(key, value) - entrySize(key, b.values[key])
	switch {
	case b.err != nil:
		return b.err
	case b.pendingChanges >= maxPending || b.pendingBytes+len(key)+len(value) > maxPendingBytes:
		return fmt.Errorf("%d changes of %d bytes are waiting for the disk, the limit: continue when done is called", b.pendingChanges, b.pendingBytes)
	case grown > 0 && b.bytes+grown > limit:
		return fmt.Errorf("a mod can store at most %d bytes (mod.maxStore), this would make %d", limit, b.bytes+grown)
	}
	return nil
}

// put makes a change. Scripts see it immediately; the store gets it at the end of the tick.
func (st *Storage) put(b *modStore, c pendingChange) {
	w := b.pendingKeys[c.Key]
	if w == nil {
		w = &pendingKey{durable: b.values[c.Key]}
		b.pendingKeys[c.Key] = w
	}
	w.changes++
	b.pendingChanges++
	b.pendingBytes += len(c.Key) + len(c.Value)
	c.before = b.values[c.Key]
	b.set(c.Key, c.Value)
	st.next = append(st.next, c)
}

// Commit sends the queued changes unless maxBatches batches are pending.
func (st *Storage) Commit() {
	if len(st.sent) < maxBatches {
		st.Flush()
	}
}

func (st *Storage) Flush() {
	if st.store == nil || len(st.next) == 0 {
		return
	}
	plain := make([]Write, len(st.next))
	for i, c := range st.next {
		plain[i] = c.Write
	}
	st.sent = append(st.sent, batch{st.store.Commit(plain), st.next})
	st.next = nil
}

// takeOutcomes processes the batches that have ended.
func (st *Storage) takeOutcomes() {
	if st.store == nil {
		return
	}
	for _, o := range st.store.Done() {
		if len(st.sent) == 0 || st.sent[0].number != o.Batch {
			continue
		}
		for _, c := range st.sent[0].changes {
			st.finishChange(c, o.Err)
		}
		st.sent = st.sent[1:]
	}
}

// Undo reverts the changes of a mod after the first n in next, because the mod has failed to load.
func (st *Storage) Undo(n int, mod string) {
	for _, c := range slices.Backward(st.next[n:]) {
		if b := st.modStores[c.Mod]; c.Mod == mod && !c.Purge {
			b.set(c.Key, c.before)
			b.finish(c)
		}
	}
	st.next = append(st.next[:n], slices.DeleteFunc(st.next[n:], func(c pendingChange) bool { return c.Mod == mod && !c.Purge })...)
}

// finish removes a change from the pending ones. It returns its key with the value on the disk.
// last reports whether no other change of the key is pending.
func (b *modStore) finish(c pendingChange) (w *pendingKey, last bool) {
	w = b.pendingKeys[c.Key]
	w.changes--
	b.pendingChanges--
	b.pendingBytes -= len(c.Key) + len(c.Value)
	if w.changes == 0 {
		delete(b.pendingKeys, c.Key)
	}
	return w, w.changes == 0
}

// finishChange processes the result of one change. After the last pending change of a key fails,
// scripts see the value on the disk again.
func (st *Storage) finishChange(c pendingChange, err error) {
	if c.Purge {
		st.purged(c.Mod, err)
		return
	}
	b := st.modStores[c.Mod]
	w, last := b.finish(c)
	if err == nil {
		w.durable = c.Value
	} else if last {
		b.set(c.Key, w.durable)
	}
	if c.done.fn != nil {
		st.finished = append(st.finished, finishedChange{c.done, err})
	}
}

// RunCallbacks runs the callbacks of finished changes while this tick has time left. It skips those
// of unloaded instances.
func (st *Storage) RunCallbacks() {
	st.takeOutcomes()
	for len(st.finished) > 0 && !st.runtime.Busy() {
		e := st.finished[0]
		st.finished = st.finished[1:]
		switch {
		case e.mod.Binding.(Holder).Disabled():
		case e.err == nil:
			st.runtime.Dispatch(e.mod, "store", e.fn, lua.LTrue)
		default:
			st.runtime.Dispatch(e.mod, "store", e.fn, lua.LFalse, lua.LString(e.err.Error()))
		}
	}
}

// Contents returns the values of the mods that have any, by mod and key.
func (st *Storage) Contents() map[string]map[string][]byte {
	all := map[string]map[string][]byte{}
	for mod, b := range st.modStores { // any order: the result is a map
		if len(b.keys) > 0 {
			all[mod] = b.values
		}
	}
	return all
}

// Mark returns the number of queued changes, for undo.
func (st *Storage) Mark() int { return len(st.next) }
