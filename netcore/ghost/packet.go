package ghost

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// packet is the section under construction, and the memory that this takes. Each worker has one,
// for all of its connections in turn.
type packet struct {
	header    header
	oldest    uint32 // header.oldestBaseline
	encodings encodings

	kills   []uint16   // ghosts to delete
	creates candidates // ghosts that the peer lacks
	updates candidates
	keys    []keyPlanes // by word, of the words with candidates
	ranked  bool        // the keys were computed
	weights [64]uint8   // memory of Stream.weigh

	lists     [3]itemList
	runs      [][]item         // of a list, see writeItems
	word      wordKeys         // of the word whose updates are being taken
	loaded    uint32           // what lacking has read; without it, the compiler would drop the reads
	scratch   bitstream.Writer // the bits of long items
	mark      bitstream.Mark   // state of scratch before the newest item
	from      int              // position of the newest item in scratch
	buffer    []byte           // of scratch
	room      int              // bits available for the lists
	used      int              // upper bound of the bits of room in use
	triedBits int              // size of the newest item that did not fit
}

// item is a ghost in a list, without its id.
type item struct {
	low, high uint64 // the bits; low is the place of a long item in scratch
	mask      uint32 // groups that it carries
	size      uint16 // in bits; above shortCapacity the item is long
	id        uint16
}

const maxRuns = 16

// itemList is one of the three lists of a section.
type itemList struct {
	items []item
	turns []int // indexes of the items with a lower id than their predecessor
	high  int   // the highest id
	bits  int   // total bits of the items
	gap   int   // gap parameter that the estimate of most uses
	cost  int   // upper bound of the list's size in bits
	usual int   // number of items with the usual mask, at least
}

// reset empties the section.
func (p *packet) reset(words, room int) {
	for i := range p.lists {
		p.lists[i] = itemList{items: p.lists[i].items[:0], turns: p.lists[i].turns[:0], cost: 1}
	}
	p.kills = p.kills[:0]
	p.creates.reset(words)
	p.updates.reset(words)
	p.keys, p.ranked = resize(p.keys, words), false
	// Larger than room, so that an item that does not fit can still be measured.
	if need := room/8 + netcore.MaxDatagram; len(p.buffer) < need {
		p.buffer = make([]byte, need)
	}
	p.scratch.Reset(p.buffer)
	p.room, p.used = room, len(p.lists)
}

// items returns the number of items in all lists.
func (p *packet) items() (n int) {
	for i := range p.lists {
		n += len(p.lists[i].items)
	}
	return n
}

// begin starts an item in the scratch buffer.
func (p *packet) begin() *bitstream.Writer {
	p.mark, p.from = p.scratch.Mark(), p.scratch.Pos()
	return &p.scratch
}

// end returns the item that begin started. One that is not long leaves the scratch buffer.
func (p *packet) end(id int, mask uint32) item {
	it := item{low: uint64(p.from), mask: mask, id: uint16(id)}
	switch n := p.scratch.Pos() - p.from; {
	case p.scratch.Err() != nil:
		it.size = 8 * netcore.MaxDatagram
		p.scratch.Rewind(p.mark)
	case n <= shortCapacity:
		p.scratch.Rewind(p.mark)
		it.low, it.high, it.size = p.scratch.Peek(p.from)&lowBits(n), p.scratch.Peek(p.from+64)&lowBits(n-64), uint16(n)
	default:
		it.size = uint16(n)
	}
	return it
}

// maxCost returns an upper bound of the bits of a list with n items, a highest id, and a total size
// of the items. The real gap parameter is the cheapest one, so the cost with any parameter is an
// upper bound. The search for a good parameter starts at the previous one.
func (l *itemList) maxCost(n, high, size int) int {
	left := high + 1 - n // number of unused ids in between
	for l.gap > 0 && n<<l.gap > left {
		l.gap--
	}
	for n<<(l.gap+1) <= left {
		l.gap++
	}
	return countBits(n) + n*(1+l.gap) + left>>l.gap + size
}

// countBits returns the size of codeCount in bits.
func countBits(n int) int { return 2*bits.Len(uint(n+1)) - 1 + gapBitsWidth }

// grow makes room in a list for the items of a word of ids with a highest id, and returns the room.
// left is a number of bits: while the items take less, each with its gap, the lists fit the packet.
func (p *packet) grow(l *itemList, high int) (items *[64]item, left int) {
	n := len(l.items)
	l.items = slices.Grow(l.items, 64)
	unused := max(l.high, high) + 1 - n
	left = p.room - p.used + l.cost - countBits(n+64) - l.bits - n*l.gapBits() - unused>>l.gap
	return (*[64]item)(l.items[n : n+64]), left
}

// gapBits returns the least size of the gap before an item.
func (l *itemList) gapBits() int { return 1 + l.gap }

// extend adds n items in the room that grow returned to the list, with their total size.
func (p *packet) extend(l *itemList, n, size int) {
	old := len(l.items)
	l.items = l.items[:old+n]
	if old > 0 && l.items[old].id < l.items[old-1].id {
		l.turns = append(l.turns, old)
	}
	l.high, l.bits = max(l.high, int(l.items[old+n-1].id)), l.bits+size
	p.used -= l.cost
	l.cost = l.maxCost(len(l.items), l.high, l.bits)
	p.used += l.cost
}

// add adds an item to a list if all lists then take at most room bits. Otherwise the item is gone.
func (p *packet) add(kind itemKind, it item, room int) bool {
	l := &p.lists[kind]
	high := max(l.high, int(it.id))
	cost := l.maxCost(len(l.items)+1, high, l.bits+int(it.size))
	if p.used-l.cost+cost > room || len(l.items) == maxItems {
		if p.triedBits = int(it.size); it.size > shortCapacity {
			p.scratch.Rewind(p.mark)
		}
		return false
	}
	if n := len(l.items); n > 0 && it.id < l.items[n-1].id {
		l.turns = append(l.turns, n)
	}
	l.items = append(l.items, it)
	l.high = high
	l.bits += int(it.size)
	p.used += cost - l.cost
	l.cost = cost
	return true
}

// write writes the lists, each in ascending order of ids.
func (p *packet) write(w *bitstream.Writer) {
	for kind := range p.lists {
		l := &p.lists[kind]
		n, gap := uint32(len(l.items)), uint8(0)
		if n > 0 {
			gap = gapParameter(int(n), l.low(), l.high)
		}
		codeCount(&w.Codec, &n, &gap)
		if itemKind(kind) == kindUpdate && n > 0 {
			codeUsual(&w.Codec, &p.header.usual)
		}
		p.writeItems(w, l, gap)
	}
	if err := w.Err(); err != nil {
		panic(fmt.Sprintf("BUG: the selected ghosts do not fit the packet: %v", err))
	}
}

// low returns the lowest id of a list.
func (l *itemList) low() int {
	low := l.items[0].id
	for _, at := range l.turns {
		low = min(low, l.items[at].id)
	}
	return int(low)
}

// writeItems writes the items of a list in ascending order of ids. The list consists of a few runs
// of ascending ids, because each round of a choice walks over the ids once. The runs are merged
// here. Only a list of many copies has more than maxRuns of them.
func (p *packet) writeItems(w *bitstream.Writer, l *itemList, gap uint8) {
	if len(l.turns) > maxRuns {
		slices.SortFunc(l.items, func(a, b item) int { return int(a.id) - int(b.id) })
		l.turns = l.turns[:0]
	}
	runs, rest := p.runs[:0], l.items
	for i := len(l.turns) - 1; i >= 0; i-- {
		runs, rest = append(runs, rest[l.turns[i]:]), rest[:l.turns[i]]
	}
	p.runs = append(runs, rest)
	for runs, next := p.runs, uint32(0); len(runs) > 0 && len(rest) > 0; {
		lowest, n := firstPiece(runs)
		run := runs[lowest]
		next = p.writePiece(w, run[:n], next, gap)
		if runs[lowest] = run[n:]; n == len(run) {
			runs[lowest] = runs[len(runs)-1]
			runs = runs[:len(runs)-1]
		}
	}
}

// firstPiece returns the run with the lowest id of all, and the number of its items before the
// lowest id of the other runs.
func firstPiece(runs [][]item) (lowest, n int) {
	least, limit := uint32(1<<16), uint32(1<<16) // the lowest ids of this run and of the others
	for i, run := range runs {
		if id := uint32(run[0].id); id < least {
			least, limit, lowest = id, least, i
		} else {
			limit = min(limit, id)
		}
	}
	run := runs[lowest]
	if uint32(run[len(run)-1].id) < limit {
		return lowest, len(run)
	}
	for uint32(run[n].id) < limit {
		n++
	}
	return lowest, n
}

// writePiece writes items, each with the gap before its id in the encoding of codeGap. next is the
// lowest possible id of the first item. It returns that of an item after the last one.
func (p *packet) writePiece(w *bitstream.Writer, items []item, next uint32, k uint8) uint32 {
	for len(items) > 0 {
		var n int
		n, next = p.writeShortItems(w, items, next, int(k))
		if items = items[n:]; len(items) == 0 {
			break
		}
		it := &items[0]
		gap := uint32(it.id) - next
		next = uint32(it.id) + 1
		w.Rice(&gap, int(k))
		switch {
		case it.size <= 64:
			w.WriteBits(it.low, int(it.size))
		case it.size <= shortCapacity:
			w.WriteBits(it.low, 64)
			w.WriteBits(it.high, int(it.size)-64)
		default:
			w.Splice(p.buffer, int(it.low), int(it.size))
		}
		items = items[1:]
	}
	return next
}

// writeShortItems is the fast form of writePiece, for gaps that are in shortGaps. It stops at the
// first item with another gap, or that is long, or that is near the end of the buffer. It returns
// the number of items before.
func (p *packet) writeShortItems(w *bitstream.Writer, items []item, next uint32, k int) (n int, after uint32) {
	if k >= len(shortGaps) {
		return 0, next
	}
	buf, acc, first := w.Window()
	gaps, at, have := &shortGaps[k], 0, uint(first)
	for n < len(items) && at+longestShort <= len(buf) {
		it := &items[n]
		gap := uint32(it.id) - next
		if gap >= uint32(len(gaps)) || it.size > shortCapacity {
			break
		}
		lead := gaps[gap]
		code, size := lead.code()|it.low<<(lead.size()&63), lead.size()+uint(it.size)
		if size > 56 {
			code, size, at, acc = writeAhead(buf, at, acc, have, lead, it)
		}
		// have <= 7, so have + size is at most 63, and the eight bytes hold all bits so far
		acc |= code << (have & 63)
		binary.LittleEndian.PutUint64(buf[at:], acc)
		have += size
		at += int(have >> 3)
		acc >>= have & 56
		have &= 7
		next = uint32(it.id) + 1
		n++
	}
	w.Advance(8*at + int(have) - first)
	return n, next
}

// longestShort is the most bytes that a short item and its gap can touch.
const longestShort = (7+16+shortCapacity)/8 + 8

// writeAhead writes the first bits of an item and its gap, in whole bytes, so that at most 56 are
// left. It returns those, and the position behind its bytes.
func writeAhead(buf []byte, at int, acc uint64, have uint, lead shortGap, it *item) (code uint64, size uint, behind int, rest uint64) {
	n := lead.size()
	// at most 144 bits: the last 16 are in top
	low, high, top := lead.code()|it.low<<n, it.low>>(64-n)|it.high<<n, it.high>>(64-n)
	for size = n + uint(it.size); size > 56; size -= 48 {
		acc |= low & (1<<48 - 1) << have
		binary.LittleEndian.PutUint64(buf[at:], acc)
		at, acc = at+6, acc>>48
		low, high, top = low>>48|high<<16, high>>48|top<<16, top>>48
	}
	return low, size, at, acc
}

// lowBits returns a mask of the lowest n bits, none if n is negative.
func lowBits(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return 1<<n - 1
}

// shortGaps holds the codes of short gaps, by gap parameter.
var shortGaps = func() (gaps [4][16]shortGap) {
	for k := range gaps {
		for gap := range uint32(len(gaps[k])) {
			var b [8]byte
			w := bitstream.NewWriter(b[:])
			w.Rice(&gap, k)
			gaps[k][gap] = shortGap(binary.LittleEndian.Uint32(b[:])<<8) | shortGap(w.Pos())
		}
	}
	return gaps
}()

// shortGap is the code of a gap: its size in bits in the low byte, and the bits.
type shortGap uint32

func (g shortGap) size() uint   { return uint(g & 255) }
func (g shortGap) code() uint64 { return uint64(g >> 8) }

// usualMask picks the mask that more than half of the updates carry. It picks none if there are too
// few updates to save bits. The next section announces the mask. The result can also be a less
// common mask, and then it only costs bits. Nearly always it is the previous one.
func (l *itemList) usualMask(previous uint32) (usual uint32) {
	if len(l.items) < minUsualUpdates {
		return 0
	}
	if 2*l.usual > len(l.items) {
		return previous
	}
	votes := 0
	for i := range l.items {
		switch mask := l.items[i].mask; {
		case votes == 0:
			usual, votes = mask, 1
		case mask == usual:
			votes++
		default:
			votes--
		}
	}
	return usual
}
