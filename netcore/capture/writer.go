package capture

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
)

// A Writer writes a capture. Each line is one Write, so the lines before a crash are complete. The
// first error sticks, and later calls write nothing.
type Writer struct {
	w        io.Writer
	line     []byte
	sessions int
	err      error
}

// NewWriter writes the header of a capture, and returns its Writer.
func NewWriter(w io.Writer, h Header) *Writer {
	h.Capture, h.Format = Magic, Format
	c := &Writer{w: w}
	line, err := json.Marshal(h)
	if c.err = err; err == nil {
		c.line = append(line, '\n')
		c.flush()
	}
	return c
}

// Session writes the keys of the next session. time is in µs.
func (c *Writer) Session(time int64, client, server [32]byte) {
	c.sessions++
	c.line = append(c.line[:0], `{"session":`...)
	c.line = strconv.AppendInt(c.line, int64(c.sessions), 10)
	c.line = append(c.line, `,"time":`...)
	c.line = strconv.AppendInt(c.line, time, 10)
	c.line = append(c.line, `,"client":"`...)
	c.line = hex.AppendEncode(c.line, client[:])
	c.line = append(c.line, `","server":"`...)
	c.line = hex.AppendEncode(c.line, server[:])
	c.line = append(c.line, "\"}\n"...)
	c.flush()
}

// Packet writes a datagram. time is in µs.
func (c *Writer) Packet(time int64, from Side, datagram []byte) {
	c.line = append(c.line[:0], `{"time":`...)
	c.line = strconv.AppendInt(c.line, time, 10)
	c.line = append(c.line, `,"from":"`...)
	c.line = append(c.line, from...)
	c.line = append(c.line, `","data":"`...)
	c.line = hex.AppendEncode(c.line, datagram)
	c.line = append(c.line, "\"}\n"...)
	c.flush()
}

// Err returns the first error of the underlying writer.
func (c *Writer) Err() error { return c.err }

func (c *Writer) flush() {
	if c.err == nil {
		_, c.err = c.w.Write(c.line)
	}
}
