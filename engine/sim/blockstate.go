package sim

// blocksState is a copy of all blocks, for a rollback.
type blocksState struct {
	next   int
	last   uint64
	blocks []blockState // in key order
}

type blockState struct{ block, was Datablock }

func (b *Blocks) state() blocksState {
	s := blocksState{next: b.next, last: b.last, blocks: make([]blockState, len(b.byKey))}
	for i, o := range b.byKey {
		block := o.(Datablock)
		was := b.draft(o.Ident().class, o.Ident().name)
		was.Data().key, was.Data().parent = block.Data().key, block.Data().parent
		copyFields(o.Ident().class, was, o)
		s.blocks[i] = blockState{block, was}
	}
	return s
}

// restore sets the blocks back to the state s. Blocks declared since then are removed.
func (b *Blocks) restore(s blocksState) {
	for i := s.next; i < b.next; i++ {
		b.remove(i)
	}
	b.byKey = b.byKey[:0]
	for _, saved := range s.blocks {
		o, data := Object(saved.block), saved.block.Data()
		copyFields(o.Ident().class, o, saved.was)
		data.key, data.parent = saved.was.Data().key, saved.was.Data().parent
		b.byKey = append(b.byKey, o)
	}
	b.next, b.last = s.next, s.last
}
