package picture

import "fmt"

// An Album has the pictures that a client got from its server. The zero value is an empty one.
type Album struct {
	pages map[uint32]*page
	bytes int // of all files, as they were announced
}

// page is a picture, or the bytes of it that have arrived.
type page struct {
	size    int
	hash    Hash
	data    []byte
	picture *Picture // nil before the last piece
}

// Find returns the picture with a number, or nil.
func (a *Album) Find(number uint32) *Picture {
	if p := a.pages[number]; p != nil {
		return p.picture
	}
	return nil
}

// Add adds a piece, and reports whether a picture is complete or gone now. An error means that the
// server has broken a rule.
func (a *Album) Add(p *Piece) (changed bool, err error) {
	it := a.pages[p.Number]
	switch {
	case p.Use == First:
		it, err = a.begin(p)
	case it == nil:
		return false, fmt.Errorf("picture %d is unknown", p.Number)
	case p.Use == Forgotten:
		delete(a.pages, p.Number)
		a.bytes -= it.size
		return it.picture != nil, nil
	}
	if err != nil {
		return false, err
	}
	return a.grow(p.Number, it, p.Data)
}

// begin makes room for a new picture.
func (a *Album) begin(p *Piece) (*page, error) {
	switch {
	case a.pages[p.Number] != nil:
		return nil, fmt.Errorf("picture %d comes twice", p.Number)
	case len(a.pages) >= MaxCount:
		return nil, fmt.Errorf("more than %d pictures", MaxCount)
	case a.bytes+p.Size > MaxAll:
		return nil, fmt.Errorf("the pictures have more than %d bytes", MaxAll)
	}
	if a.pages == nil {
		a.pages = map[uint32]*page{}
	}
	it := &page{size: p.Size, hash: p.Hash}
	a.pages[p.Number] = it
	a.bytes += p.Size
	return it, nil
}

// grow adds bytes to a picture, and checks it when it has all.
func (a *Album) grow(number uint32, it *page, data []byte) (complete bool, err error) {
	if len(it.data)+len(data) > it.size {
		return false, fmt.Errorf("picture %d has more bytes than the %d that were announced", number, it.size)
	}
	it.data = append(it.data, data...)
	if len(it.data) < it.size {
		return false, nil
	}
	if HashOf(it.data) != it.hash {
		return false, fmt.Errorf("picture %d has another hash than was announced", number)
	}
	if it.picture, err = Read(it.data); err != nil {
		return false, fmt.Errorf("picture %d: %w", number, err)
	}
	return true, nil
}
