package sockets

import "bytes"

// maxLine is the length of a line in bytes, without its end.
const maxLine = 8192

// cutLine returns the first line of a text without its end, which is "\n" or "\r\n", and the number
// of bytes that line and end have. n is 0 if the line is not complete yet. ok is false if the line
// is longer than maxLine.
func cutLine(text []byte) (line []byte, n int, ok bool) {
	end := bytes.IndexByte(text[:min(len(text), maxLine+2)], '\n')
	if end < 0 {
		return nil, 0, len(text) < maxLine+2
	}
	line = bytes.TrimSuffix(text[:end], []byte("\r"))
	return line, end + 1, len(line) <= maxLine
}
