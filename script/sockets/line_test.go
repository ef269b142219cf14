package sockets

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCutLine(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct {
		text, line string
		n          int
		ok         bool
	}{
		{"", "", 0, true}, {"a", "", 0, true}, {"a\n", "a", 2, true}, {"a\r\nb\n", "a", 3, true}, {"\n", "", 1, true}, {"\r\n", "", 2, true},
		{"a\r", "", 0, true}, {"a\rb\n", "a\rb", 4, true}, {"a\r\r\n", "a\r", 4, true}, {"a\x00b\n", "a\x00b", 4, true},
		{long, "", 0, true}, {long + "\n", long, maxLine + 1, true}, {long + "\r\n", long, maxLine + 2, true}, {long + "\r", "", 0, true},
		{long + "x\n", long + "x", maxLine + 2, false}, {long + "xx", "", 0, false}, {long + "xx\n", "", 0, false},
	} {
		line, n, ok := cutLine([]byte(c.text))
		assert.Equal(t, c.ok, ok, "%.10q", c.text)
		assert.Equal(t, c.n, n, "%.10q", c.text)
		assert.Equal(t, c.line, string(line), "%.10q", c.text)
	}
}

// FuzzCutLine checks that the lines of a stream do not depend on how it is cut into pieces.
func FuzzCutLine(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), uint8(1))
	f.Add(bytes.Repeat([]byte("x"), maxLine+3), uint8(255))
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		whole, wholeOK := linesOf(text, len(text))
		parts, partsOK := linesOf(text, int(step)+1)
		assert.Equal(t, whole, parts)
		assert.Equal(t, wholeOK, partsOK)
		for _, line := range whole {
			assert.LessOrEqual(t, len(line), maxLine)
			assert.NotContains(t, line, "\n")
		}
	})
}

// linesOf returns the lines of a text that arrives in pieces. ok is false after a line that is too
// long.
func linesOf(text []byte, step int) (lines []string, ok bool) {
	var buffer []byte
	for len(text) > 0 {
		n := min(step, len(text))
		buffer, text = append(buffer, text[:n]...), text[n:]
		for {
			line, n, ok := cutLine(buffer)
			if !ok {
				return lines, false
			}
			if n == 0 {
				break
			}
			lines, buffer = append(lines, string(line)), buffer[n:]
		}
	}
	return lines, true
}
