package script

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Change is one value that is put, or a key that is deleted.
type Change struct {
	Mod, Key string
	Value    []byte // as the code of stored values has it; nil: delete. Nobody changes the bytes any more
}

// Outcome is how a batch has ended.
type Outcome struct {
	Batch uint64
	Err   error // nil: it is safe on the disk
}

// Store keeps what mods store. It is called by the owner of the scripts and never lets it wait for a disk, but in Load.
type Store interface {
	// Load is all that is safe of a mod, by key. It is asked for when the mod is loaded, and not again when it is
	// reloaded.
	Load(mod string) (map[string][]byte, error)
	// Commit makes a batch safe some time later, all of it or nothing, one batch after the other. It returns the
	// batch's number.
	Commit(batch []Change) uint64
	// Done lists, in order, the batches that have ended since it was called last.
	Done() []Outcome
}

const (
	maxBatches      = 2        // on their way to the disk; what is put meanwhile is the next batch
	maxWaiting      = 16_384   // changes of one mod that are not safe yet
	maxWaitingBytes = 16 << 20 // and their keys and values
	storeCost       = 32       // bytes that an entry counts beside its key and value
)

// storage is the memory of what mods store, in front of a Store. It belongs to mods by their names, so that it is
// still there when a mod is loaded anew.
type storage struct {
	store   Store // nil: there is none
	shelves map[string]*shelf
	next    []change  // put since the last batch
	sent    []batch   // given to the store, oldest first
	ended   []settled // whose callbacks are still to run
}

// A shelf is what one mod stores.
type shelf struct {
	values  map[string][]byte // as scripts see it: what waits is there already
	keys    []string          // of values, in order
	bytes   int               // what values count
	waiting map[string]*awaited
	changes int   // not safe yet
	pending int   // bytes of them
	err     error // why it could not be read: nothing works then
}

// An awaited is a key with changes that are not safe yet.
type awaited struct {
	durable []byte // what the disk has, nil for nothing
	changes int
}

// A change is a Change with who wants to know.
type change struct {
	Change
	before []byte // what scripts saw until then
	done   callback
}

type callback struct {
	mod *Mod
	fn  *lua.LFunction // nil: nobody wants to know
}

type batch struct {
	number  uint64
	changes []change
}

// settled is the end of one change.
type settled struct {
	callback
	err error
}

// shelve reads what a mod has stored, unless it is known already.
func (s *Scripts) shelve(m *Mod) {
	st := &s.storage
	if st.store == nil {
		return
	}
	if have := st.shelves[m.Name]; have != nil && have.err == nil {
		return
	}
	b := &shelf{values: map[string][]byte{}, waiting: map[string]*awaited{}}
	st.shelves[m.Name] = b
	loaded, err := st.store.Load(m.Name)
	if err != nil {
		b.err = fmt.Errorf("what %s has stored cannot be read: %w", m.Name, err)
		s.log(slog.LevelError, b.err.Error(), "mod", m.Name)
		return
	}
	b.values = loaded
	if b.values == nil {
		b.values = map[string][]byte{}
	}
	for key, value := range b.values {
		b.keys = append(b.keys, key)
		b.bytes += counts(key, value)
	}
	slices.Sort(b.keys)
}

// counts is what an entry adds to a mod's storage; nil adds nothing.
func counts(key string, value []byte) int {
	if value == nil {
		return 0
	}
	return len(key) + len(value) + storeCost
}

// set changes what scripts see; nil deletes.
func (b *shelf) set(key string, value []byte) {
	old := b.values[key]
	b.bytes += counts(key, value) - counts(key, old)
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

// after is the first key behind last that begins with prefix.
func (b *shelf) after(last, prefix string, begun bool) (string, bool) {
	i, found := slices.BinarySearch(b.keys, max(last, prefix))
	if begun && found {
		i++
	}
	if i == len(b.keys) || !strings.HasPrefix(b.keys[i], prefix) {
		return "", false
	}
	return b.keys[i], true
}

// refusal says why a change may not be made; limit is what the mod may store.
func (b *shelf) refusal(key string, value []byte, limit int) error {
	grown := counts(key, value) - counts(key, b.values[key])
	switch {
	case b.err != nil:
		return b.err
	case b.changes >= maxWaiting || b.pending+len(key)+len(value) > maxWaitingBytes:
		return fmt.Errorf("%d changes of %d bytes wait for the disk, more may not: go on when done is called", b.changes, b.pending)
	case grown > 0 && b.bytes+grown > limit:
		return fmt.Errorf("a mod may store %d bytes (mod.maxStore), with this it were %d", limit, b.bytes+grown)
	}
	return nil
}

// put makes a change that scripts see at once and the disk with the end of the tick.
func (st *storage) put(b *shelf, c change) {
	w := b.waiting[c.Key]
	if w == nil {
		w = &awaited{durable: b.values[c.Key]}
		b.waiting[c.Key] = w
	}
	w.changes++
	b.changes++
	b.pending += len(c.Key) + len(c.Value)
	c.before = b.values[c.Key]
	b.set(c.Key, c.Value)
	st.next = append(st.next, c)
}

// commit hands over what was put, if the store has time for it.
func (st *storage) commit() {
	if len(st.sent) < maxBatches {
		st.flush()
	}
}

func (st *storage) flush() {
	if st.store == nil || len(st.next) == 0 {
		return
	}
	plain := make([]Change, len(st.next))
	for i, c := range st.next {
		plain[i] = c.Change
	}
	st.sent = append(st.sent, batch{st.store.Commit(plain), st.next})
	st.next = nil
}

// collect takes in which batches have ended.
func (st *storage) collect() {
	if st.store == nil {
		return
	}
	for _, o := range st.store.Done() {
		if len(st.sent) == 0 || st.sent[0].number != o.Batch {
			continue
		}
		for _, c := range st.sent[0].changes {
			st.settle(c, o.Err)
		}
		st.sent = st.sent[1:]
	}
}

// undo takes back what a mod has put since next had n changes: it has failed to load, and has done nothing.
func (st *storage) undo(n int, mod string) {
	for _, c := range slices.Backward(st.next[n:]) {
		if b := st.shelves[c.Mod]; c.Mod == mod {
			b.set(c.Key, c.before)
			b.ended(c)
		}
	}
	st.next = append(st.next[:n], slices.DeleteFunc(st.next[n:], func(c change) bool { return c.Mod == mod })...)
}

// ended strikes a change off those that wait, and tells what the disk had before it. last is whether no other of its key
// waits.
func (b *shelf) ended(c change) (w *awaited, last bool) {
	w = b.waiting[c.Key]
	w.changes--
	b.changes--
	b.pending -= len(c.Key) + len(c.Value)
	if w.changes == 0 {
		delete(b.waiting, c.Key)
	}
	return w, w.changes == 0
}

// settle ends one change. After the last one of a key scripts see what the disk has.
func (st *storage) settle(c change, err error) {
	b := st.shelves[c.Mod]
	w, last := b.ended(c)
	if err == nil {
		w.durable = c.Value
	} else if last {
		b.set(c.Key, w.durable)
	}
	if c.done.fn != nil {
		st.ended = append(st.ended, settled{c.done, err})
	}
}

// stored tells mods what has become safe, as long as this tick has time for it. One that is gone hears nothing.
func (s *Scripts) stored() {
	st := &s.storage
	st.collect()
	for len(st.ended) > 0 && !s.Busy() {
		e := st.ended[0]
		st.ended = st.ended[1:]
		switch {
		case extOf(e.mod).gone:
		case e.err == nil:
			s.Dispatch(e.mod, "store", e.fn, lua.LTrue)
		default:
			s.Dispatch(e.mod, "store", e.fn, lua.LFalse, lua.LString(e.err.Error()))
		}
	}
}

// Flush gives the store what was put since the last tick: for the end of a server, before its store is closed.
func (s *Scripts) Flush() { s.storage.flush() }
