package form

import (
	"errors"
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// pieceBits is the size from which a piece takes no further row: several pieces fit in a packet,
// and a piece fits in most of the small ones.
const pieceBits = 8 * 400

var errFormNumber = errors.New("the number of a form must be 1…2^32-1")

// A Piece is a part of a form on its way to the client: some of its rows, in order. The first one
// has the head of the form.
type Piece struct {
	Number uint32
	Head   bool // the five fields below count
	// Replaces is the number of the form whose place the form takes; 0: none.
	Replaces uint32
	Name     string
	Title    string
	Total    int // rows of the form
	Rows     []Row
}

// Serialize codes a piece.
//
//	var number | flag head: var replaces, text(32) name, text(128) title, ranged 0..256 rows of the form
//	ranged 0..256 rows here | the rows
func (p *Piece) Serialize(s *bitstream.Codec) {
	c := &coder{s, MaxBytes}
	Number(s, &p.Number)
	if s.Flag(&p.Head) {
		c.formNumber(&p.Replaces)
		c.text(&p.Name, MaxName)
		c.text(&p.Title, MaxTitle)
		s.Int(&p.Total, 0, MaxRows)
	}
	n := len(p.Rows)
	s.Int(&n, 0, MaxRows)
	if !s.Reading() {
		for i := range p.Rows {
			c.row(&p.Rows[i])
		}
		return
	}
	for range n {
		var r Row
		if c.row(&r); s.Err() != nil {
			return
		}
		p.Rows = append(p.Rows, r)
	}
}

// Number codes the number of a form. 0 is none and is refused.
func Number(s *bitstream.Codec, v *uint32) {
	(&coder{Codec: s}).formNumber(v)
	if *v == 0 {
		s.Fail(errFormNumber)
	}
}

// formNumber codes the number of a form, 0 for none.
func (c *coder) formNumber(v *uint32) {
	n := uint64(*v)
	if c.Var(&n); n > math.MaxUint32 {
		c.Fail(errFormNumber)
		n = 0
	}
	*v = uint32(n)
}

// Split returns the pieces of a valid form. The rows are those of the form.
func (f *Form) Split(replaces uint32) (list []*Piece) {
	p := &Piece{Number: f.Number, Head: true, Replaces: replaces, Name: f.Name, Title: f.Title, Total: len(f.Rows)}
	list = append(list, p)
	buffer := make([]byte, 2*MaxBytes)
	w := bitstream.NewWriter(buffer)
	for i := range f.Rows {
		if w.Pos() >= pieceBits {
			p = &Piece{Number: f.Number}
			list = append(list, p)
			w = bitstream.NewWriter(buffer)
		}
		(&coder{&w.Codec, 0}).row(&f.Rows[i])
		p.Rows = f.Rows[i-len(p.Rows) : i+1]
	}
	return list
}
