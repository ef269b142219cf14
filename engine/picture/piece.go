package picture

import (
	"errors"
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// MaxPiece is how many bytes of a picture a piece has at most.
const MaxPiece = 4 << 10

// MinBytes is the size of the smallest file that counts.
const MinBytes = 20

var (
	errNumber = errors.New("the number of a picture must be 1…2^32-1")
	errEmpty  = errors.New("a piece of a picture is empty")
)

// Use is what a piece says.
type Use int

// The uses of pieces.
const (
	First     Use = iota // the size and the hash of a new picture, and its first bytes
	More                 // further bytes
	Forgotten            // the picture is not needed any more
	uses
)

// A Piece is a part of a picture on its way to the client, or its end.
type Piece struct {
	Number uint32
	Use    Use
	Size   int  // bytes of the file; with First
	Hash   Hash // of the file; with First
	Data   []byte
}

// Serialize codes a piece.
//
//	var number | ranged 0..2 use | 0: ranged 20..16,384 size, hash(16 bytes) | 0 and 1: bytes(4,096)
func (p *Piece) Serialize(s *bitstream.Codec) {
	Number(s, &p.Number)
	use := int(p.Use)
	s.Int(&use, 0, int(uses)-1)
	if p.Use = Use(use); p.Use == Forgotten || s.Err() != nil {
		return
	}
	if p.Use == First {
		s.Int(&p.Size, MinBytes, MaxBytes)
		for i := range p.Hash {
			b := uint64(p.Hash[i])
			s.Bits(&b, 8)
			p.Hash[i] = byte(b)
		}
	}
	if s.Bytes(&p.Data, MaxPiece); s.Reading() && len(p.Data) == 0 && s.Err() == nil {
		s.Fail(errEmpty)
	}
}

// Number codes the number of a picture. 0 is none and is refused.
func Number(s *bitstream.Codec, v *uint32) {
	n := uint64(*v)
	if s.Var(&n); n == 0 || n > math.MaxUint32 {
		s.Fail(errNumber)
		n = 0
	}
	*v = uint32(n)
}
