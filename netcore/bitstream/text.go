package bitstream

// Of the previous text, minPrefix to maxPrefix bytes can be reused. More would
// let a peer have long strings made from a few bits each.
const (
	minPrefix = 3
	maxPrefix = 31
)

// Text is any bytes, at most max of them, in few bits if they look like chat
// or like names. More than max fails with ErrRange, in both directions. A
// failed read gives "".
//
//	flag reuse, length of the prefix   only if the previous text is long enough
//	flag coded
//	  1: codes, the last of them the end
//	  0: length as Var, bytes
//
// The previous text is that of this stream since its Reset; Rewind brings back
// the one of the mark.
func (s *Stream) Text(v *string, max int) {
	if s.reading {
		*v = s.readText(max)
	} else {
		s.writeText(*v, max)
	}
	s.last = *v
}

// prefix writes or reads how much of the previous text is reused: n bytes.
func (s *Stream) prefix(n int) int {
	if len(s.last) < minPrefix {
		return 0
	}
	reuse := n >= minPrefix
	if !s.Flag(&reuse) {
		return 0
	}
	s.Int(&n, minPrefix, min(len(s.last), maxPrefix))
	return n
}

// common returns how many bytes of text the previous one can stand for.
func (s *Stream) common(text string) int {
	most := min(len(s.last), len(text), maxPrefix)
	n := 0
	for n < most && s.last[n] == text[n] {
		n++
	}
	return n
}

// before returns the context in which the text goes on after its first n bytes.
func before(text string, n int) int {
	if n == 0 {
		return ctxSpace
	}
	return int(contextOf[text[n-1]])
}

func (s *Stream) writeText(text string, max int) {
	if len(text) > max {
		s.Fail(ErrRange)
	}
	n := s.prefix(s.common(text))
	if s.err != nil {
		return
	}
	ctx, rest := before(text, n), text[n:]
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

// writeCodes writes the codes of text and of its end.
func (s *Stream) writeCodes(text string, ctx int) {
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

func (s *Stream) writeRaw(text string) {
	n := uint64(len(text))
	s.Var(&n)
	for i := range len(text) {
		s.write(uint64(text[i]), 8)
	}
}

func (s *Stream) readText(max int) string {
	n := s.prefix(0)
	coded := s.readFlag()
	if n > max {
		s.Fail(ErrRange)
	}
	if s.err != nil {
		return ""
	}
	var room [128]byte // most texts fit: the string is the only allocation
	text := append(room[:0], s.last[:n]...)
	if coded {
		text = s.readCodes(text, before(s.last, n), max)
	} else {
		text = s.readRaw(text, max)
	}
	switch {
	case s.err != nil:
		return ""
	case len(text) == n:
		return s.last[:n]
	}
	return string(text)
}

// readCodes appends what codes say, up to the end of the text. The text grows
// by what was read, not by what was announced.
func (s *Stream) readCodes(text []byte, ctx, max int) []byte {
	for s.err == nil && len(text) <= max {
		x := s.at(s.pos)
		used := 0
		for used <= 64-codeBits {
			y := symbols[ctx][x%(1<<codeBits)]
			x >>= y.width()
			used += y.width()
			if y.special() {
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
func (s *Stream) readEscaped(ctx int) byte {
	c := byte(s.read(8))
	if codes[ctx][c].width() <= codeBits {
		s.Fail(ErrText)
	}
	return c
}

// within fails if there is more text than allowed.
func (s *Stream) within(text []byte, max int) []byte {
	if len(text) > max {
		s.Fail(ErrRange)
	}
	return text
}

func (s *Stream) readRaw(text []byte, max int) []byte {
	for n := s.readLength(max - len(text)); n > 0; n-- {
		text = append(text, byte(s.read(8)))
	}
	return text
}
