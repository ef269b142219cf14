package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// bbolt trusts the pages of a file. A damaged page can make it loop for ever or allocate any amount
// of memory. So the code here checks all pages by bytes and bounds before bbolt opens the file.

const (
	pageHeader = 16 // id, flags, count and overflow
	element    = 16 // of a branch: pos, key size, page; of a leaf: flags, pos, key size, value size
	bucketHead = 16 // root and sequence
	metaSize   = 64
	metaMagic  = 0xED0CDAED

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	isBucket     = 0x01 // of a leaf's element

	noFreelist = 1<<64 - 1
)

var order = binary.NativeEndian

// pages is a file under inspection.
type pages struct {
	file io.ReaderAt
	size uint64 // of a page
	high uint64 // pages from here on are not in use
	seen []bool
	next []uint64 // roots and children not yet read
}

// meta is the content of a meta page, where bbolt starts.
type meta struct{ size, root, freelist, high, txid uint64 }

// inspect returns the first damage in a file.
func inspect(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, err := newestMeta(f)
	if err != nil {
		return err
	}
	if m.high > uint64(info.Size())/m.size {
		return fmt.Errorf("it is truncated: %d pages of %d bytes are in use, and it has %d bytes", m.high, m.size, info.Size())
	}
	p := pages{file: f, size: m.size, high: m.high, seen: make([]bool, m.high), next: []uint64{m.root}}
	if m.freelist != noFreelist {
		if err := p.freelist(m.freelist); err != nil {
			return err
		}
	}
	for len(p.next) > 0 {
		id := p.next[len(p.next)-1]
		p.next = p.next[:len(p.next)-1]
		if err := p.look(id); err != nil {
			return err
		}
	}
	return nil
}

// newestMeta returns the newer valid meta page of the two.
func newestMeta(f io.ReaderAt) (best meta, err error) {
	size := uint64(0)
	for at := int64(0); at <= 1024<<14; at = max(1024, 2*at) {
		if m, ok := readMeta(f, at); ok {
			size = m.size
			break
		}
	}
	if size < 1024 || size > 1<<16 || size&(size-1) != 0 {
		return meta{}, errors.New("it is not a store file")
	}
	for _, at := range []int64{0, int64(size)} {
		if m, ok := readMeta(f, at); ok && m.size == size && m.txid >= best.txid {
			best = m
		}
	}
	return best, nil
}

func readMeta(f io.ReaderAt, at int64) (m meta, ok bool) {
	var b [pageHeader + metaSize]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		return m, false
	}
	d := b[pageHeader:]
	sum := fnv.New64a()
	_, _ = sum.Write(d[:metaSize-8])
	if order.Uint32(d) != metaMagic || sum.Sum64() != order.Uint64(d[metaSize-8:]) {
		return m, false
	}
	return meta{
		size: uint64(order.Uint32(d[8:])), root: order.Uint64(d[16:]), freelist: order.Uint64(d[32:]),
		high: order.Uint64(d[40:]), txid: order.Uint64(d[48:]),
	}, true
}

// read returns a page and its overflow pages. It fails if the page was read before.
func (p *pages) read(id uint64) ([]byte, error) {
	if id < 2 || id >= p.high {
		return nil, fmt.Errorf("page %d is out of bounds, there are %d", id, p.high)
	}
	var head [pageHeader]byte
	if _, err := p.file.ReadAt(head[:], int64(id*p.size)); err != nil {
		return nil, err
	}
	n := uint64(order.Uint32(head[12:])) + 1
	if order.Uint64(head[:]) != id || n > p.high-id {
		return nil, fmt.Errorf("page %d is not a page", id)
	}
	for i := id; i < id+n; i++ {
		if p.seen[i] {
			return nil, fmt.Errorf("page %d is in use twice", i)
		}
		p.seen[i] = true
	}
	b := make([]byte, n*p.size)
	_, err := p.file.ReadAt(b, int64(id*p.size))
	return b, err
}

func (p *pages) freelist(id uint64) error {
	b, err := p.read(id)
	if err != nil {
		return err
	}
	count, at := uint64(order.Uint16(b[10:])), uint64(pageHeader)
	if count == 0xffff { // the count did not fit, and is the first number of the list
		count, at = order.Uint64(b[at:]), at+8
	}
	if order.Uint16(b[8:]) != freelistPage || count > (uint64(len(b))-at)/8 {
		return fmt.Errorf("page %d is not a free list", id)
	}
	for i := range count {
		if free := order.Uint64(b[at+8*i:]); free < 2 || free >= p.high {
			return fmt.Errorf("page %d lists the free page %d, there are %d", id, free, p.high)
		}
	}
	return nil
}

// look checks a page of a tree, and notes its children.
func (p *pages) look(id uint64) error {
	b, err := p.read(id)
	if err != nil {
		return err
	}
	switch order.Uint16(b[8:]) {
	case branchPage:
		err = p.branch(b)
	case leafPage:
		err = p.leaf(b, true)
	default:
		err = errors.New("it is neither branch nor leaf")
	}
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

var errElement = errors.New("an element is out of bounds")

// elements returns the number of elements of a page, if they fit.
func elements(b []byte) (int, error) {
	n := int(order.Uint16(b[10:]))
	if pageHeader+n*element > len(b) {
		return 0, errElement
	}
	return n, nil
}

// within reports whether size bytes at pos, counted from the element at on, are in the page.
func within(b []byte, at int, pos, size uint64) bool { return uint64(at)+pos+size <= uint64(len(b)) }

func (p *pages) branch(b []byte) error {
	n, err := elements(b)
	if err != nil || n == 0 {
		return errElement
	}
	for i := range n {
		at := pageHeader + i*element
		if !within(b, at, uint64(order.Uint32(b[at:])), uint64(order.Uint32(b[at+4:]))) {
			return errElement
		}
		p.next = append(p.next, order.Uint64(b[at+8:]))
	}
	return nil
}

func (p *pages) leaf(b []byte, buckets bool) error {
	n, err := elements(b)
	if err != nil {
		return err
	}
	for i := range n {
		at := pageHeader + i*element
		pos, key, value := uint64(order.Uint32(b[at+4:])), uint64(order.Uint32(b[at+8:])), uint64(order.Uint32(b[at+12:]))
		if !within(b, at, pos, key+value) {
			return errElement
		}
		if order.Uint32(b[at:])&isBucket == 0 {
			continue
		}
		from := uint64(at) + pos + key
		if err := p.bucket(b[from:from+value], buckets); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket in a page. Its root is another page, or the bucket is inline.
func (p *pages) bucket(b []byte, allowed bool) error {
	if len(b) < bucketHead || !allowed {
		return errors.New("a bucket is malformed")
	}
	if root := order.Uint64(b); root != 0 {
		p.next = append(p.next, root)
		return nil
	}
	if len(b) < bucketHead+pageHeader || order.Uint16(b[bucketHead+8:]) != leafPage {
		return errors.New("a bucket is malformed")
	}
	return p.leaf(b[bucketHead:], false)
}
