package store

import (
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
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

// Storage holds the stored values of mods in memory, in front of a Store. It is keyed by the names
// of sets, so the values survive a reload. Each mod has two sets: that of the global store has the
// name of the mod, and that of the global shared has sharedSuffix behind it.
type Storage struct {
	Console    *vm.Mod // the state of the console, which prints values
	MaxBytes   int     // stored bytes of one mod
	MaxShared  int     // bytes of a set that the servers of a fleet share
	ShareStore string  // names of mods whose store the servers of a fleet share, with spaces between
	runtime    *vm.Runtime
	store      Store // nil if there is no store
	remote     remote
	modStores  map[string]*modStore
	next       []pendingChange  // changes since the last batch
	sent       []batch          // batches sent to the store, oldest first
	finished   []finishedChange // changes with a pending callback
}

// DefaultMaxBytes is the number of stored bytes that a mod can have by default, in each of its
// sets.
const DefaultMaxBytes = 16 << 20

// sharedSuffix ends the names of the sets of the global shared. No name of a mod has a hyphen.
const sharedSuffix = "-shared"

// SharedSet returns the set of the global shared of a mod.
func SharedSet(mod string) string { return mod + sharedSuffix }

// ownerOf returns the mod of a set.
func ownerOf(set string) string { return strings.TrimSuffix(set, sharedSuffix) }

// A remote keeps the sets that a fleet shares. A page in a browser has none, so its program does
// not contain the code behind it.
type remote interface {
	// shares reports whether a set is shared.
	shares(set string) bool
	// load reads the newest known values of a set, and asks for those of the fleet.
	load(b *modStore)
	// begin takes what has happened in the fleet, and end sends the changes of a tick.
	begin()
	end()
	// callbacks runs the callbacks that are about other servers.
	callbacks()
	// flush ends all claims, and sends everything.
	flush()
	mark() int
	undo(mark int, mod string)
}

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
	return &Storage{MaxBytes: DefaultMaxBytes, MaxShared: DefaultMaxBytes, runtime: runtime, store: store, modStores: map[string]*modStore{}}
}

// modStore holds a set of stored values of one mod.
type modStore struct {
	name           string            // of the set
	shared         *sharedSet        // nil: no other server has the values
	values         map[string][]byte // as scripts see them, including changes that are not safe yet
	keys           []string          // keys of values, sorted
	hears          bool              // news of the fleet: keys waits for moved
	moved          []string          // keys that have come or gone meanwhile
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

// finishedChange is the result of one change, as the callback gets it.
type finishedChange struct {
	storeCallback
	results []lua.LValue
}

// Load reads the stored values of a mod, unless they are already in memory. The set of the global
// shared is read when the mod uses it, unless other servers have it too.
func (st *Storage) Load(m *vm.Mod) {
	if st.store == nil {
		return
	}
	st.open(m.Name)
	if st.remote != nil {
		st.open(SharedSet(m.Name))
	}
}

// open returns a set, and reads it if it is not in memory.
func (st *Storage) open(set string) *modStore {
	if have := st.modStores[set]; have != nil && have.err == nil {
		return have
	}
	b := newModStore(set)
	if st.remote != nil && st.remote.shares(set) {
		st.remote.load(b)
	} else {
		b = st.read(set)
	}
	st.modStores[set] = b
	if b.err != nil {
		st.runtime.Log(slog.LevelError, b.err.Error(), "mod", ownerOf(set))
	}
	return b
}

// newModStore makes one without values.
func newModStore(set string) *modStore {
	return &modStore{name: set, values: map[string][]byte{}, pendingKeys: map[string]*pendingKey{}}
}

// read reads a set from the store of this server.
func (st *Storage) read(set string) *modStore {
	b := newModStore(set)
	loaded, err := st.store.Load(set)
	if err != nil {
		b.err = fmt.Errorf("cannot read the store of %s: %w", set, err)
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
	if value == nil {
		delete(b.values, key)
	} else {
		b.values[key] = value
	}
	switch {
	case (old == nil) == (value == nil):
	case b.hears:
		b.moved = append(b.moved, key)
	default:
		b.place(key)
	}
}

// place brings a key into the sorted keys, or takes it out.
func (b *modStore) place(key string) {
	i, found := slices.BinarySearch(b.keys, key)
	switch has := b.values[key] != nil; {
	case has && !found:
		b.keys = slices.Insert(b.keys, i, key)
	case found && !has:
		b.keys = slices.Delete(b.keys, i, i+1)
	}
}

// fewKeys is how many keys are placed one by one. Each of them moves all that follow it.
const fewKeys = 16

// heard brings the keys of news into order. Many of them are merged with the others at once:
// another server can change thousands in a tick.
func (b *modStore) heard() {
	moved := b.moved
	b.hears, b.moved = false, nil
	if len(moved) <= fewKeys {
		for _, key := range moved {
			b.place(key)
		}
		return
	}
	slices.Sort(moved)
	merged, rest := make([]string, 0, len(b.values)), b.keys
	for _, key := range slices.Compact(moved) {
		i, found := slices.BinarySearch(rest, key)
		merged, rest = append(merged, rest[:i]...), rest[i:]
		if found {
			rest = rest[1:]
		}
		if b.values[key] != nil {
			merged = append(merged, key)
		}
	}
	b.keys = append(merged, rest...)
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

// checkChange returns the reason why a change is not allowed, or nil.
func (st *Storage) checkChange(b *modStore, key string, value []byte) error {
	grown := entrySize(key, value) - entrySize(key, b.values[key])
	whom, limit, variable := "disk", st.MaxBytes, "mod.maxStore"
	if b.shared != nil {
		whom, limit, variable = "fleet", st.MaxShared, "fleet.maxShared"
	}
	switch {
	case b.err != nil:
		return b.err
	case b.pendingChanges >= maxPending || b.pendingBytes+len(key)+len(value) > maxPendingBytes:
		return fmt.Errorf("%d changes of %d bytes are waiting for the %s, the limit: continue when done is called", b.pendingChanges, b.pendingBytes, whom)
	case grown > 0 && b.bytes+grown > limit:
		return fmt.Errorf("a mod can store at most %d bytes (%s), this would make %d", limit, variable, b.bytes+grown)
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
	if st.remote != nil {
		st.remote.end()
	}
	if len(st.sent) < maxBatches {
		st.send()
	}
}

// Flush sends everything, because the server ends.
func (st *Storage) Flush() {
	if st.remote != nil {
		st.remote.flush()
	}
	st.send()
}

// send sends the queued changes to the store of this server.
func (st *Storage) send() {
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

// A Mark is a place among the changes of this tick.
type Mark struct{ local, shared int }

// Mark returns the place behind the changes so far, for Undo in the same tick.
func (st *Storage) Mark() Mark {
	m := Mark{local: len(st.next)}
	if st.remote != nil {
		m.shared = st.remote.mark()
	}
	return m
}

// Undo reverts the changes of a mod behind a mark, because the mod has failed to load.
func (st *Storage) Undo(at Mark, mod string) {
	if st.remote != nil {
		st.remote.undo(at.shared, mod)
	}
	n := at.local
	undone := func(c pendingChange) bool { return ownerOf(c.Mod) == mod && !c.Purge }
	for _, c := range slices.Backward(st.next[n:]) {
		if b := st.modStores[c.Mod]; undone(c) {
			b.set(c.Key, c.before)
			b.finish(c)
		}
	}
	st.next = append(st.next[:n], slices.DeleteFunc(st.next[n:], undone)...)
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
	st.answer(c.done, err)
}

// answer queues the callback of a change that has ended.
func (st *Storage) answer(done storeCallback, err error) {
	if err == nil {
		st.give(done, lua.LTrue)
	} else {
		st.give(done, lua.LFalse, lua.LString(err.Error()))
	}
}

// give queues a callback.
func (st *Storage) give(done storeCallback, results ...lua.LValue) {
	if done.fn != nil {
		st.finished = append(st.finished, finishedChange{done, results})
	}
}

// RunCallbacks runs the callbacks of finished changes while this tick has time left. It skips those
// of unloaded instances.
func (st *Storage) RunCallbacks() {
	st.takeOutcomes()
	if st.remote != nil {
		st.remote.begin()
	}
	for len(st.finished) > 0 && !st.runtime.Busy() {
		e := st.finished[0]
		st.finished = st.finished[1:]
		if !e.mod.Binding.(Holder).Disabled() {
			st.runtime.Dispatch(e.mod, event, e.fn, e.results...)
		}
	}
	if st.remote != nil {
		st.remote.callbacks()
	}
}

// event is the event of the callbacks of storage, for the usage of mods.
const event = "store"

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

// Bind makes console variables of what servers share.
func (st *Storage) Bind(to *console.Console) error {
	for _, v := range []console.Var{
		{Name: "fleet.maxShared", Help: "limit of the bytes of a mod that the servers of a fleet share", Value: console.Int(&st.MaxShared, 0, 1<<30)},
		{Name: "fleet.shareStore", Help: "names of mods whose store all servers of the fleet share, with spaces between; set it before they are loaded", Value: console.String(&st.ShareStore)},
	} {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}
