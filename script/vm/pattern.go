package vm

import (
	"errors"
	"strings"
)

// matcher matches Lua 5.1 patterns against a subject by backtracking. It counts every step, so that
// the budget of the caller stops a pattern with exponential running time.
type matcher struct {
	src, pat string
	depth    int
	captures []capture
	steps    int
	charge   func(steps int) // called about every chargeEvery steps with the new steps; may panic
}

// capture is a part of the subject. size is its length or one of the two constants below.
type capture struct{ at, size int }

const (
	captureOpen     = -1 // its closing parenthesis has not been reached
	capturePosition = -2 // the capture "()": a position
)

const (
	maxCaptures     = 32
	maxPatternDepth = 200
	chargeEvery     = 256
)

// A patternError is a mistake in a pattern. The matcher raises it as a panic, and match returns it.
type patternError struct{ error }

func failPattern(text string) { panic(patternError{errors.New(text)}) }

// match finds the first match that begins at init or later, or only at init if anchored. end is -1
// if there is none.
func (m *matcher) match(init int, anchored bool) (start, end int, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case patternError:
			start, end, err = 0, -1, r.error
		default:
			panic(r)
		}
	}()
	for at := init; at <= len(m.src); at++ {
		m.captures, m.depth = m.captures[:0], 0
		if e := m.matchAt(at, 0); e >= 0 {
			m.chargeSteps()
			return at, e, nil
		}
		if anchored {
			break
		}
	}
	m.chargeSteps()
	return 0, -1, nil
}

// step counts one step and charges the steps at regular intervals.
func (m *matcher) step() {
	if m.steps++; m.steps >= chargeEvery {
		m.chargeSteps()
	}
}

func (m *matcher) chargeSteps() {
	n := m.steps
	m.steps = 0
	if m.charge != nil {
		m.charge(n)
	}
}

// matchAt matches pat[p:] at src[s:]. It returns the end of the match, or -1.
func (m *matcher) matchAt(s, p int) int {
	if m.depth++; m.depth > maxPatternDepth {
		failPattern("the pattern is too complex")
	}
	end := m.matchItems(s, p)
	m.depth--
	return end
}

// matchItems matches pat[p:] at src[s:] without counting the depth. It matches items one after the
// other until one needs backtracking.
func (m *matcher) matchItems(s, p int) int {
	for p < len(m.pat) {
		m.step()
		switch m.pat[p] {
		case '(':
			if p+1 < len(m.pat) && m.pat[p+1] == ')' {
				return m.open(s, p+2, capturePosition)
			}
			return m.open(s, p+1, captureOpen)
		case ')':
			return m.close(s, p+1)
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if next, e, special := m.escape(s, p); special {
				if e < 0 {
					return -1
				}
				s, p = e, next
				continue
			}
		}
		end := m.classEnd(p)
		suffix := byte(0)
		if end < len(m.pat) {
			suffix = m.pat[end]
		}
		switch suffix {
		case '?':
			if m.matchesOne(s, p, end) {
				if e := m.matchAt(s+1, end+1); e >= 0 {
					return e
				}
			}
			p = end + 1
		case '*':
			return m.greedy(s, p, end, 0)
		case '+':
			return m.greedy(s, p, end, 1)
		case '-':
			return m.lazy(s, p, end)
		default:
			if !m.matchesOne(s, p, end) {
				return -1
			}
			s, p = s+1, end
		}
	}
	return s
}

// escape handles %b, %f and %1…%9. It returns the next positions in pattern and subject. special is
// false for any other escape.
func (m *matcher) escape(s, p int) (next, end int, special bool) {
	if p+1 >= len(m.pat) {
		failPattern("the pattern ends with '%'")
	}
	switch c := m.pat[p+1]; {
	case c == 'b':
		return p + 4, m.balanced(s, p+2), true
	case c == 'f':
		return m.frontier(s, p+2)
	case c >= '0' && c <= '9':
		return p + 2, m.backreference(s, c), true
	}
	return 0, 0, false
}

// frontier matches %f: the previous character is not in the set, and the current one is. Outside
// the subject both are '\0'.
func (m *matcher) frontier(s, p int) (next, end int, special bool) {
	if p >= len(m.pat) || m.pat[p] != '[' {
		failPattern("'[' is missing after '%f'")
	}
	next = m.classEnd(p)
	before, here := byte(0), byte(0)
	if s > 0 {
		before = m.src[s-1]
	}
	if s < len(m.src) {
		here = m.src[s]
	}
	m.steps += (next - p) / 2 // the set is searched twice
	if m.inSet(before, p, next-1) || !m.inSet(here, p, next-1) {
		return next, -1, true
	}
	return next, s, true
}

func (m *matcher) balanced(s, p int) int {
	if p+1 >= len(m.pat) {
		failPattern("'%b' needs two characters")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	open, shut, depth := m.pat[p], m.pat[p+1], 1
	for i := s + 1; i < len(m.src); i++ {
		m.step()
		switch m.src[i] {
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

func (m *matcher) backreference(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= len(m.captures) || m.captures[i].size == captureOpen {
		failPattern("%" + string(digit) + " refers to no finished capture")
	}
	c := m.captures[i]
	if c.size < 0 {
		return -1 // a position capture has no text
	}
	text := m.src[c.at : c.at+c.size]
	m.steps += len(text) / 16
	if strings.HasPrefix(m.src[s:], text) {
		return s + len(text)
	}
	return -1
}

func (m *matcher) greedy(s, p, end, least int) int {
	n := 0
	for m.matchesOne(s+n, p, end) {
		n++
		m.step()
	}
	for ; n >= least; n-- {
		if e := m.matchAt(s+n, end+1); e >= 0 {
			return e
		}
		m.step()
	}
	return -1
}

func (m *matcher) lazy(s, p, end int) int {
	for {
		if e := m.matchAt(s, end+1); e >= 0 {
			return e
		}
		if !m.matchesOne(s, p, end) {
			return -1
		}
		s++
		m.step()
	}
}

func (m *matcher) open(s, p, size int) int {
	if len(m.captures) >= maxCaptures {
		failPattern("the pattern has too many captures")
	}
	m.captures = append(m.captures, capture{s, size})
	n := len(m.captures)
	e := m.matchAt(s, p)
	if e < 0 {
		m.captures = m.captures[:n-1]
	}
	return e
}

func (m *matcher) close(s, p int) int {
	for i := len(m.captures) - 1; i >= 0; i-- {
		c := &m.captures[i]
		if c.size != captureOpen {
			continue
		}
		c.size = s - c.at
		e := m.matchAt(s, p)
		if e < 0 {
			m.captures[i].size = captureOpen
		}
		return e
	}
	failPattern("')' without '('")
	return -1
}

// classEnd returns the end of the single-character class at p.
func (m *matcher) classEnd(p int) int {
	c, from := m.pat[p], p
	p++
	switch c {
	case '%':
		if p >= len(m.pat) {
			failPattern("the pattern ends with '%'")
		}
		return p + 1
	case '[':
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
			if p >= len(m.pat) {
				failPattern("']' is missing")
			}
			if m.pat[p] == '%' {
				p++
			}
			p++
		}
		m.steps += (p - from) / 4
		return p + 1
	}
	return p
}

// matchesOne reports whether the character at s is in the class pat[p:end].
func (m *matcher) matchesOne(s, p, end int) bool {
	if s >= len(m.src) {
		return false
	}
	c := m.src[s]
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		m.steps += (end - p) / 4
		return m.inSet(c, p, end-1)
	}
	return m.pat[p] == c
}

// inSet reports whether c is in the set from its '[' at p to its ']' at end.
func (m *matcher) inSet(c byte, p, end int) bool {
	in := true
	p++
	if m.pat[p] == '^' {
		in = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.pat[p] == '%':
			p++
			if inClass(c, m.pat[p]) {
				return in
			}
		case p+2 < end && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return in
			}
			p += 2
		case m.pat[p] == c:
			return in
		}
	}
	return !in
}

// inClass reports whether c is in the class %k. An upper-case letter means the complement. Any k
// that names no class matches only itself.
func inClass(c, k byte) bool {
	var in bool
	switch k | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < 0x20 || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = c > 0x20 && c < 0x7f && !isLetter(c) && !isDigit(c)
	case 's':
		in = c == ' ' || c >= '\t' && c <= '\r'
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return k == c
	}
	if !isLetter(k) {
		return k == c
	}
	return in == (k >= 'a')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
