package bitstream

import (
	_ "embed"
	"math/bits"
	"strings"
)

// The code of Text has one canonical prefix code per context. The context is
// the kind of the byte before. The code lengths were fitted to English chat
// lines, command names and, at lower weight, prose. The table is part of the
// protocol.

// codeBits is the length of the longest code. With 9 bits the reader's table
// takes 58 KiB. With 10 bits texts would be 2 % shorter and the table twice as
// large.
const codeBits = 9

// Symbols 0 and 1 are not bytes. Bytes without a code are escaped.
const (
	symEnd    = 0 // the text ends
	symEscape = 1 // 8 bits follow, the byte itself
	symBytes  = 2 // from here on the symbol is the byte
)

// Contexts 0 to 25 are the letters, of either case. The others are:
const (
	ctxSpace = 26 // also the start of a text
	ctxDigit = 27
	ctxOther = 28
	contexts = 29
)

// lengths holds one row per context. Each row has one digit per symbol, the
// length of its code. The symbols are end, escape and the bytes ' ' to '~'.
var lengths = strings.Fields(lengthsText)

//go:embed lengths.txt
var lengthsText string

// A code encodes one byte or symbol in one context. The low 5 bits are its
// length, the bits above are the code itself.
type code uint32

func (c code) width() int   { return int(c & 31) }
func (c code) bits() uint64 { return uint64(c >> 5) }

// A tableEntry is an entry of the reader's table: one symbol, or two bytes at once.
// Its fields, from the lowest bit:
//
//	4 bits   length of the code or codes
//	5 bits   context after them
//	1 bit    1 if there is a second byte
//	6 bits   unused
//	8 bits   second byte
//	8 bits   first symbol
type tableEntry uint32

func makeSymbol(width, context, value int) tableEntry {
	return tableEntry(width | context<<4 | value<<24)
}

func (y tableEntry) width() int    { return int(y & 15) }
func (y tableEntry) context() int  { return int(y >> 4 & 31) }
func (y tableEntry) more() int     { return int(y >> 9 & 1) }
func (y tableEntry) second() byte  { return byte(y >> 16) }
func (y tableEntry) first() byte   { return byte(y >> 24) }
func (y tableEntry) notByte() bool { return y.first() < symBytes }

var (
	contextOf = makeContexts()
	codes     [contexts][256]code           // the code of a byte, with its escape if it needs one
	ends      [contexts]code                // the code of the end
	symbols   [32][1 << codeBits]tableEntry // decoded from the next bits
)

func init() {
	for ctx, row := range lengths {
		makeRow(ctx, row)
	}
	single := symbols
	for ctx := range contexts {
		makePairs(ctx, &single)
	}
}

func makeContexts() (of [256]uint8) {
	for c := range of {
		switch {
		case c|32 >= 'a' && c|32 <= 'z':
			of[c] = uint8(c|32) - 'a'
		case c == ' ':
			of[c] = ctxSpace
		case c >= '0' && c <= '9':
			of[c] = ctxDigit
		default:
			of[c] = ctxOther
		}
	}
	return of
}

// makeRow assigns the codes of one context, in order of length, then symbol.
func makeRow(ctx int, row string) {
	var escape code
	next := uint32(0)
	for width := 1; width <= codeBits; width++ {
		for i := range len(row) {
			if int(row[i]-'0') != width {
				continue
			}
			c := code(bits.Reverse32(next)>>(32-width)<<5) | code(width)
			next++
			sym := i
			if i >= symBytes {
				sym = i - symBytes + ' '
			}
			switch sym {
			case symEnd:
				ends[ctx] = c
			case symEscape:
				escape = c
			default:
				codes[ctx][sym] = c
			}
			entry := makeSymbol(width, int(contextOf[sym]), sym)
			for x := int(c.bits()); x < 1<<codeBits; x += 1 << width {
				symbols[ctx][x] = entry
			}
		}
		next <<= 1
	}
	for c := range codes[ctx] {
		if codes[ctx][c] == 0 {
			codes[ctx][c] = escape + code(c)<<(5+escape.width()) + 8
		}
	}
}

// makePairs joins each byte with the next one if codeBits bits hold both codes.
func makePairs(ctx int, single *[32][1 << codeBits]tableEntry) {
	for x, y := range single[ctx] {
		next := single[y.context()][x>>y.width()]
		width := y.width() + next.width()
		if width > codeBits || y.notByte() || next.notByte() {
			continue
		}
		pair := makeSymbol(width, next.context(), int(y.first()))
		symbols[ctx][x] = pair | 1<<9 | tableEntry(next.first())<<16
	}
}
