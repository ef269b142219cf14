package bitstream

import "encoding/binary"

// minPrefix to maxPrefix bytes of the previous text can be reused. A higher
// maximum would let a peer create long strings from a few bits each.
const (
	minPrefix = 3
	maxPrefix = 31
)

// Text codes any byte string of at most max bytes. Text that resembles chat or
// names takes few bits. A longer text fails with ErrRange, in both directions. A
// failed read returns "".
//
//	flag reuse, length of the prefix   only if the previous text is long enough
//	flag coded
//	  1: codes, the last one is the end
//	  0: length as Var, bytes
//
// The previous text is the last one of this stream since Reset. Rewind restores
// the previous text of the mark.
func (s *Codec) Text(v *string, max int) {
	if s.reading {
		*v = s.readText(max)
	} else {
		s.writeText(*v, max)
	}
	s.prevText, s.texts = *v, true
}

// CodedText reports whether a Text was coded since Reset. The bits of a Text, and of the next one,
// depend on the texts before. Without a Text, Splice can write the same bits to other streams.
func (s *Codec) CodedText() bool { return s.texts }

// prefix codes the number n of reused bytes of the previous text and returns it.
func (s *Codec) prefix(n int) int {
	if len(s.prevText) < minPrefix {
		return 0
	}
	reuse := n >= minPrefix
	if !s.Flag(&reuse) {
		return 0
	}
	s.Int(&n, minPrefix, min(len(s.prevText), maxPrefix))
	return n
}

// common returns the length of the usable common prefix of text and the previous text.
func (s *Codec) common(text string) int {
	most := min(len(s.prevText), len(text), maxPrefix)
	n := 0
	for n < most && s.prevText[n] == text[n] {
		n++
	}
	return n
}

// contextAfter returns the context after the first n bytes of text.
func contextAfter(text string, n int) int {
	if n == 0 {
		return ctxSpace
	}
	return int(contextOf[text[n-1]])
}

func (s *Codec) writeText(text string, max int) {
	if len(text) > max {
		s.Fail(ErrRange)
	}
	n := s.prefix(s.common(text))
	if s.err != nil {
		return
	}
	ctx, rest := contextAfter(text, n), text[n:]
	start, end := s.pos, s.end
	s.writeFlag(true)
	s.writeCodes(rest, ctx)
	if s.err == nil && s.pos-start <= 1+varBits(uint64(len(rest)))+8*len(rest) {
		return
	}
	s.pos, s.end, s.err = start, end, nil // longer than the bytes, or no room
	s.writeFlag(false)
	s.writeRaw(rest)
}

// writeCodes writes the codes of text and of the end.
func (s *Codec) writeCodes(text string, ctx int) {
	var acc uint64
	n := 0
	for i := range len(text) {
		c := codes[ctx][text[i]]
		acc |= c.bits() << n
		n += c.width()
		ctx = int(contextOf[text[i]])
		if n > 64-codeBits-8 {
			s.write(acc, n)
			acc, n = 0, 0
		}
	}
	c := ends[ctx]
	s.write(acc|c.bits()<<n, n+c.width())
}

func (s *Codec) writeRaw(text string) {
	n := uint64(len(text))
	s.Var(&n)
	for ; len(text) >= 8; text = text[8:] {
		s.write(binary.LittleEndian.Uint64([]byte(text[:8])), 64)
	}
	for i := range len(text) {
		s.write(uint64(text[i]), 8)
	}
}

func (s *Codec) readText(max int) string {
	n := s.prefix(0)
	coded := s.readFlag()
	if n > max {
		s.Fail(ErrRange)
	}
	if s.err != nil {
		return ""
	}
	var room [128]byte // most texts fit, so the string is the only allocation
	text := append(room[:0], s.prevText[:n]...)
	if coded {
		text = s.readCodes(text, contextAfter(s.prevText, n), max)
	} else {
		text = s.readRaw(text, max)
	}
	switch {
	case s.err != nil:
		return ""
	case len(text) == n:
		return s.prevText[:n]
	}
	return string(text)
}

// readCodes decodes up to the end of the text and appends to text. The text
// grows only by bytes that were read.
func (s *Codec) readCodes(text []byte, ctx, max int) []byte {
	for s.err == nil && len(text) <= max {
		x := s.at(s.pos)
		used := 0
		for used <= 64-codeBits {
			y := symbols[ctx][x%(1<<codeBits)]
			x >>= y.width()
			used += y.width()
			if y.notByte() {
				s.read(used)
				if y.first() == symEnd {
					return s.within(text, max)
				}
				c := s.readEscaped(ctx)
				text = append(text, c)
				ctx, used = int(contextOf[c]), 0
				break
			}
			text = append(text, y.first(), y.second())[:len(text)+1+y.more()]
			ctx = y.context()
		}
		s.read(used)
	}
	return s.within(text, max)
}

// readEscaped reads a byte that has no code in the context.
func (s *Codec) readEscaped(ctx int) byte {
	c := byte(s.read(8))
	if codes[ctx][c].width() <= codeBits {
		s.Fail(ErrText)
	}
	return c
}

// within fails with ErrRange if text is longer than max.
func (s *Codec) within(text []byte, max int) []byte {
	if len(text) > max {
		s.Fail(ErrRange)
	}
	return text
}

func (s *Codec) readRaw(text []byte, max int) []byte {
	for n := s.readLength(max - len(text)); n > 0; n-- {
		text = append(text, byte(s.read(8)))
	}
	return text
}
