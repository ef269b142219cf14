package recording

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A Log encodes the changes of a world. Calls between two calls of Tick belong to one tick.
type Log struct {
	tick    uint64 // the newest complete one
	cut     uint64 // the newest one of the last chunk
	entries []byte // since the last chunk
	whole   int    // of them, those of complete ticks, in bytes

	classes [][]byte
	blocks  map[int][]byte
	objects map[uint32]*logged
	kept    map[string][]byte // the newest lasting commands, by key
	view    View
	voices  int // since the last tick
	packer  packer
}

// logged is the newest state of an object.
type logged struct {
	class  int
	groups []Values
	has    uint32 // groups with values
}

// NewLog returns a log of an empty world after a tick.
func NewLog(tick uint64) *Log {
	return &Log{tick: tick, cut: tick, blocks: map[int][]byte{}, objects: map[uint32]*logged{}, kept: map[string][]byte{}}
}

// Tick completes a tick. Ticks must increase.
func (l *Log) Tick(tick uint64) {
	if tick <= l.tick {
		panic(fmt.Sprintf("BUG: recording tick %d after tick %d", tick, l.tick))
	}
	l.entries = append(l.entries, entryTick)
	l.entries = binary.AppendUvarint(l.entries, tick-l.tick)
	l.tick, l.whole = tick, len(l.entries)
	l.voices = 0
}

// Class records the description of a declared class.
func (l *Log) Class(description []byte) {
	l.classes = append(l.classes, slices.Clone(description))
	l.entries = appendBytes(append(l.entries, entryClass), description)
}

// Block records a datablock, by the index of its table.
func (l *Log) Block(index int, description []byte) {
	l.blocks[index] = slices.Clone(description)
	l.entries = appendBytes(append(l.entries, entryBlock), description)
}

// Create records a new object. It returns false if there is one with this number, and beyond the
// most objects. The other methods ignore objects that do not exist.
func (l *Log) Create(id uint32, class int) bool {
	if l.objects[id] != nil || len(l.objects) >= maxObjects {
		return false
	}
	l.objects[id] = &logged{class: class}
	l.entries = appendCreate(l.entries, id, class)
	return true
}

func appendCreate(b []byte, id uint32, class int) []byte {
	b = binary.AppendUvarint(append(b, entryCreate), uint64(id))
	return binary.AppendUvarint(b, uint64(class))
}

// Group records the values of a group of an object. Equal values are not recorded again.
func (l *Log) Group(id uint32, group int, v *Values) {
	o := l.objects[id]
	if o == nil || group >= maxGroups {
		return
	}
	for group >= len(o.groups) {
		o.groups = append(o.groups, Values{})
	}
	was := &o.groups[group]
	if o.has>>group&1 != 0 && was.equal(v) {
		return
	}
	o.has |= 1 << group
	l.entries = appendGroup(l.entries, id, group, v, was.Cells)
	was.copy(v)
}

func appendGroup(b []byte, id uint32, group int, v *Values, before []uint64) []byte {
	b = binary.AppendUvarint(append(b, entryGroup), uint64(id))
	b = binary.AppendUvarint(b, uint64(group))
	return appendValues(b, v, before)
}

func (v *Values) equal(w *Values) bool {
	return v.Bits == w.Bits && slices.Equal(v.Cells, w.Cells) && slices.Equal(v.Texts, w.Texts) && slices.Equal(v.Raw, w.Raw[:(w.Bits+7)/8])
}

func (v *Values) copy(w *Values) {
	v.Cells, v.Texts = append(v.Cells[:0], w.Cells...), append(v.Texts[:0], w.Texts...)
	v.Raw, v.Bits = append(v.Raw[:0], w.Raw[:(w.Bits+7)/8]...), w.Bits
}

// Delete records the end of an object.
func (l *Log) Delete(id uint32) {
	if l.objects[id] == nil {
		return
	}
	delete(l.objects, id)
	l.entries = binary.AppendUvarint(append(l.entries, entryDelete), uint64(id))
}

// Command records a command to all viewers.
func (l *Log) Command(data []byte) {
	l.entries = appendBytes(append(l.entries, entryCommand), data)
}

// Keep records a command whose effect lasts until the next one with its key. States repeat the
// newest one of each key. An equal command is not recorded again.
func (l *Log) Keep(key string, data []byte) {
	was, known := l.kept[key]
	if known && bytes.Equal(was, data) || !known && len(l.kept) == maxKept || len(key) > maxKey {
		return
	}
	l.kept[key] = slices.Clone(data)
	l.entries = appendKept(l.entries, key, data)
}

// View records what the player who records sees. An equal view is not recorded again.
func (l *Log) View(v View) {
	if l.view != v {
		l.view = v
		l.entries = appendView(l.entries, v)
	}
}

// Ticks returns the number of ticks since the last chunk.
func (l *Log) Ticks() int { return int(l.tick - l.cut) }

// Cut packs the ticks since the last chunk into one. ok is false if they have more than MaxChunk
// bytes: then a state must follow. Call it after Tick. Entries of an incomplete tick are lost.
func (l *Log) Cut() (c Chunk, ok bool) {
	c = Chunk{First: l.cut + 1, Last: l.tick, size: l.whole}
	if ok = l.whole <= MaxChunk; ok {
		c.Body = l.packer.pack(l.entries[:l.whole])
	}
	l.Drop()
	return c, ok
}

// Drop forgets the ticks since the last chunk. A state must follow.
func (l *Log) Drop() {
	l.cut, l.whole, l.entries = l.tick, 0, l.entries[:0]
	if cap(l.entries) > keptEntries {
		l.entries = nil
	}
}

// keptEntries is the size of the buffer that a log keeps, in bytes.
const keptEntries = 1 << 20

// State packs the whole state after the newest tick. ok is false if it has more than MaxChunk
// bytes.
func (l *Log) State() (c Chunk, ok bool) {
	b := []byte{entryReset}
	for _, d := range l.classes {
		b = appendBytes(append(b, entryClass), d)
	}
	for _, index := range sorted(l.blocks) {
		b = appendBytes(append(b, entryBlock), l.blocks[index])
	}
	ids := sorted(l.objects)
	for _, id := range ids { // first all of them, because groups refer to objects
		b = appendCreate(b, id, l.objects[id].class)
	}
	for _, id := range ids {
		o := l.objects[id]
		for g := range o.groups {
			if o.has>>g&1 != 0 {
				b = appendGroup(b, id, g, &o.groups[g], nil)
			}
		}
	}
	for _, key := range sorted(l.kept) {
		b = appendKept(b, key, l.kept[key])
	}
	if l.view != (View{}) {
		b = appendView(b, l.view)
	}
	b = binary.AppendUvarint(append(b, entryTick), l.tick)
	c = Chunk{State: true, First: l.tick, Last: l.tick, size: len(b)}
	if ok = len(b) <= MaxChunk; ok {
		c.Body = l.packer.pack(b)
	}
	return c, ok
}

// sorted returns the keys of a map in order.
func sorted[K int | uint32 | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
