package sim

import (
	"fmt"
	"slices"
)

// MaxBlocks is the maximum number of datablocks in a table.
const MaxBlocks = 1 << indexBits

const indexBits = 14

// Datablock is an object of a block class.
type Datablock interface {
	Object
	Data() *Block
}

// Block is the base of every datablock: embed it in each class of BlockClass. The fields are
// constant data, equal on every machine. Changing one through its Field gives the block a new
// modified key.
type Block struct {
	Identity
	table  *Blocks
	index  uint16
	key    uint64
	parent string
}

// Data returns the block itself, so that any struct that embeds Block is a Datablock.
func (b *Block) Data() *Block { return b }

// Index returns the block's number, 0…MaxBlocks-1. It is the same on every machine.
func (b *Block) Index() uint16 { return b.index }

// Key returns the modified key. It is higher than the keys of all earlier changes. On clients it is
// the server's key.
func (b *Block) Key() uint64 { return b.key }

// Parent returns the name of the block that the declaration inherits from, or "".
func (b *Block) Parent() string { return b.parent }

// Disinherit clears the parent of the block. Call it from the set function of Declare when the
// declaration begins from the defaults again.
func (b *Block) Disinherit() { b.parent = "" }

// ParentBlock returns the block that the declaration inherits from. It is nil if the block has no
// parent or the parent is not in the table.
func (b *Block) ParentBlock() Object {
	if b.table == nil || b.parent == "" {
		return nil
	}
	return b.table.ByName(b.parent)
}

// Ref returns a reference to the block, for other objects.
func (b *Block) Ref() BlockRef { return BlockRef(b.index) + 1 }

// touch updates the modified key after a change of a field.
func (b *Block) touch() {
	if b.table != nil {
		b.table.Touch(b.self)
	}
}

// BlockRef refers to a datablock by its index; the zero value refers to none. It needs no
// translation on the wire. A reference to a block that arrives later becomes valid when the block
// arrives.
type BlockRef uint16

// BlockOf returns the datablock of o. It is nil if o has none or the block is not in the table.
func BlockOf(o Object) Object {
	i := o.Ident()
	if i.class == nil || i.class.data == nil || i.world == nil {
		return nil
	}
	return i.world.Find(i.class.data.Get(o).Object())
}

// Blocks is a table of datablocks. Each has a number, a unique name (ignoring case) and a modified
// key from one counter.
type Blocks struct {
	world *World
	list  map[uint16]Object // by index; a peer may leave any of them out
	next  int               // one more than the highest index given
	spare Datablock         // a draft that Unpack has finished with, reused for the next block
	byKey []Object          // in key order
	names map[string]Object
	last  uint64 // newest key given
}

func newBlocks(w *World) *Blocks {
	return &Blocks{world: w, list: make(map[uint16]Object), names: make(map[string]Object)}
}

// NewBlocks returns another table in the same world. It holds the blocks of a peer if the world has
// blocks of its own. Objects refer only to World.Blocks.
func (w *World) NewBlocks() *Blocks { return newBlocks(w) }

// Declare declares a datablock, or changes the existing one with this name. set sets the fields; it
// may be nil.
//
// A new block starts with the values of its parent, or without a parent with the defaults of its
// class. An existing block keeps all values that set does not change. If the declaration names a
// different parent than before, the block starts again from that parent. The block gets a new key
// only if it differs afterwards. An error changes nothing.
func (b *Blocks) Declare(class, name, parent string, set func(Object) error) (o Object, changed bool, err error) {
	c, err := b.world.classes.Find(class)
	if err != nil {
		return nil, false, err
	}
	old := b.ByName(name)
	if err := b.declarable(c, name, old); err != nil {
		return nil, false, err
	}
	from, err := b.parentOf(c, name, parent)
	if err != nil {
		return nil, false, err
	}
	draft := b.draft(c, name)
	switch data := draft.Data(); {
	case old != nil && (from == nil || from == old.(Datablock).Data().ParentBlock()):
		data.parent = old.(Datablock).Data().parent
		copyFields(c, draft, old)
	case from != nil:
		data.parent = from.Ident().name
		copyFields(from.Ident().class, draft, from)
	}
	if set != nil {
		if err := set(draft); err != nil {
			return nil, false, err
		}
	}
	if old == nil {
		return draft, true, b.append(draft)
	}
	if !b.replace(old, draft) {
		return old, false, nil
	}
	b.Touch(old)
	return old, true, nil
}

// declarable returns an error if the name cannot be declared in this class.
func (b *Blocks) declarable(c *Class, name string, old Object) error {
	switch {
	case c.Kind != BlockClass || c.Abstract:
		return fmt.Errorf(`%s is not a datablock class: make an object with new "%s" { ... }`, c.Name, c.Name)
	case name == "" || len(name) > MaxName:
		return fmt.Errorf("the name of a datablock must have 1 to %d bytes, got %d", MaxName, len(name))
	case old != nil && old.Ident().class != c:
		return fmt.Errorf("cannot re-declare %s as %s", old.Ident(), c.Name)
	case old == nil && b.next == MaxBlocks:
		return fmt.Errorf("too many datablocks: the maximum is %d", MaxBlocks)
	}
	return nil
}

// parentOf returns the block to inherit from, nil for none.
func (b *Blocks) parentOf(c *Class, name, parent string) (Object, error) {
	if parent == "" {
		return nil, nil
	}
	from := b.ByName(parent)
	if from == nil {
		known := make([]string, len(b.byKey))
		for i, o := range b.byKey {
			known[i] = o.Ident().name
		}
		return nil, fmt.Errorf("unknown datablock %s to inherit from%s", String(parent).Literal(), suggestion(parent, known))
	}
	if !c.IsA(from.Ident().class) {
		return nil, fmt.Errorf("%s %q cannot inherit from %s", c.Name, name, from.Ident())
	}
	for up := from; up != nil; up = up.(Datablock).Data().ParentBlock() {
		if fold(up.Ident().name) == fold(name) {
			return nil, fmt.Errorf("%s cannot inherit from itself", up.Ident())
		}
	}
	return from, nil
}

// draft makes a block that is in no table yet.
func (b *Blocks) draft(c *Class, name string) Datablock {
	o := b.world.Make(c).(Datablock)
	o.Ident().name = name
	return o
}

// append adds a draft at the next index.
func (b *Blocks) append(draft Datablock) error {
	if b.ByName(draft.Ident().name) != nil {
		return fmt.Errorf("%s is already declared", draft.Ident())
	}
	b.insert(draft, b.next)
	return nil
}

// insert puts a draft into the table, at a free index, and into the world.
func (b *Blocks) insert(o Datablock, index int) {
	o.Data().index = uint16(index)
	b.list[uint16(index)] = o
	b.next = max(b.next, index+1)
	b.names[fold(o.Ident().name)] = o
	o.Data().table = b
	b.setKey(o, b.last+1)
	b.world.Add(o)
	b.world.DataBlocks.take(o)
	o.Ident().fixed = true
}

// replace makes old equal to draft and reports whether it differed.
func (b *Blocks) replace(old Object, draft Datablock) bool {
	changed := old.(Datablock).Data().parent != draft.Data().parent
	old.(Datablock).Data().parent = draft.Data().parent
	for _, f := range old.Ident().class.fields {
		if !f.same(old, draft) {
			f.copy(old, draft)
			changed = true
		}
	}
	return changed
}

func copyFields(c *Class, dst, src Object) {
	for _, f := range c.fields {
		f.copy(dst, src)
	}
}

// Touch gives a block a new modified key.
func (b *Blocks) Touch(o Object) { b.setKey(o.(Datablock), b.last+1) }

// setKey sets the key of a block and moves the block to its place in key order.
func (b *Blocks) setKey(o Datablock, key uint64) {
	b.removeFromOrder(o)
	o.Data().key = key
	b.last = max(b.last, key)
	i, _ := slices.BinarySearchFunc(b.byKey, key+1, compareKey)
	b.byKey = slices.Insert(b.byKey, i, Object(o))
}

// removeFromOrder removes a block from the key order.
func (b *Blocks) removeFromOrder(o Datablock) {
	i, _ := slices.BinarySearchFunc(b.byKey, o.Data().key, compareKey)
	for ; i < len(b.byKey) && compareKey(b.byKey[i], o.Data().key) == 0; i++ { // a peer may send the same key twice
		if b.byKey[i] == Object(o) {
			b.byKey = slices.Delete(b.byKey, i, i+1)
			return
		}
	}
}

func compareKey(o Object, key uint64) int {
	switch k := o.(Datablock).Data().key; {
	case k < key:
		return -1
	case k > key:
		return 1
	}
	return 0
}

// ByName returns the block with this name, ignoring case, or nil.
func (b *Blocks) ByName(name string) Object { return foldedIn(b.names, name) }

// ByIndex returns the block with this number, or nil.
func (b *Blocks) ByIndex(i int) Object {
	if i < 0 || i >= MaxBlocks {
		return nil
	}
	return b.list[uint16(i)]
}

// At returns the block that ref refers to, or nil.
func (b *Blocks) At(ref BlockRef) Object { return b.ByIndex(int(ref) - 1) }

// Len returns the number of blocks.
func (b *Blocks) Len() int { return len(b.byKey) }

// Newest returns the newest modified key given so far.
func (b *Blocks) Newest() uint64 { return b.last }

// Newer returns all blocks with a key above this one, in key order.
func (b *Blocks) Newer(key uint64) []Object {
	i, _ := slices.BinarySearchFunc(b.byKey, key+1, compareKey)
	return slices.Clone(b.byKey[i:])
}

// Put ensures that index holds a block of this class and name. Clients call it for the server's
// blocks. A block of the same class at that index stays and keeps its fields. A block of another
// class is deleted.
func (b *Blocks) Put(index int, class *Class, name string) (Object, error) {
	switch {
	case index < 0 || index >= MaxBlocks:
		return nil, fmt.Errorf("datablock index %d: must be at most %d", index, MaxBlocks-1)
	case class == nil || class.Kind != BlockClass || class.Abstract:
		return nil, fmt.Errorf("datablock %d: its class is not a datablock class", index)
	case name == "" || len(name) > MaxName:
		return nil, fmt.Errorf("datablock %d: name of %d bytes: must be 1…%d", index, len(name), MaxName)
	}
	if o, ok := b.ByIndex(index).(Datablock); ok && o.Ident().class == class {
		b.rename(o, name)
		return o, nil
	}
	b.remove(index)
	o := b.draft(class, name)
	b.insert(o, index)
	return o, nil
}

func (b *Blocks) rename(o Object, name string) {
	if o.Ident().name == name {
		return
	}
	b.forget(o)
	o.Ident().rename(name)
	b.names[fold(name)] = o
}

// forget removes the name of a block, unless another block now has this name.
func (b *Blocks) forget(o Object) {
	if key := fold(o.Ident().name); b.names[key] == o {
		delete(b.names, key)
	}
}

func (b *Blocks) remove(index int) {
	o, ok := b.ByIndex(index).(Datablock)
	if !ok {
		return
	}
	delete(b.list, uint16(index))
	b.forget(o)
	b.removeFromOrder(o)
	o.Data().table = nil
	b.world.markDead(o)
}

// Clear deletes all blocks. Clients call it when they leave a server. The key counter continues.
func (b *Blocks) Clear() {
	for len(b.byKey) > 0 {
		b.remove(int(b.byKey[len(b.byKey)-1].(Datablock).Data().index))
	}
	b.next = 0
}

// blockID returns the id of the block that ref refers to in o's world, 0 if it is not there.
func blockID(o Object, ref BlockRef) ID {
	w := o.Ident().world
	if w == nil || ref == 0 {
		return 0
	}
	if block := w.Blocks.At(ref); block != nil {
		return block.Ident().id
	}
	return 0
}

// refTo returns a reference to the block with this id; id 0 gives the empty reference.
func refTo(o Object, id ID) BlockRef {
	if id == 0 {
		return 0
	}
	return o.Ident().world.Find(id).(Datablock).Data().Ref()
}
