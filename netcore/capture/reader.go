package capture

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line in bytes. A longer one is damage.
const maxLine = 4 << 20

// maxDatagram is the size of the largest datagram in bytes: that of UDP.
const maxDatagram = 65_535

// A Reader reads a capture from untrusted bytes.
type Reader struct {
	Header Header

	scan *bufio.Scanner
	line int
}

// NewReader reads the header of a capture. The error is one sentence.
func NewReader(r io.Reader) (*Reader, error) {
	c := &Reader{scan: bufio.NewScanner(r)}
	c.scan.Buffer(nil, maxLine)
	if !c.next() {
		if err := c.scan.Err(); err != nil {
			return nil, c.failed(err)
		}
		return nil, errors.New("not a capture of torc: the file is empty")
	}
	if err := json.Unmarshal(c.scan.Bytes(), &c.Header); err != nil || c.Header.Capture != Magic {
		return nil, errors.New("not a capture of torc: the first line is no header")
	}
	if c.Header.Format != Format {
		return nil, fmt.Errorf("capture format %d: this program reads format %d", c.Header.Format, Format)
	}
	return c, nil
}

// Next returns the next session or packet; the other one is nil. At the end it returns io.EOF. Any
// other error is one sentence and names the line.
func (c *Reader) Next() (*Session, *Packet, error) {
	if !c.next() {
		if err := c.scan.Err(); err != nil {
			return nil, nil, c.failed(err)
		}
		return nil, nil, io.EOF
	}
	var l line
	if err := json.Unmarshal(c.scan.Bytes(), &l); err != nil {
		return nil, nil, c.failed(errors.New("it is damaged or incomplete"))
	}
	if l.Session != 0 {
		s := &Session{Number: l.Session, Time: l.Time}
		if !key(&s.Client, l.Client) || !key(&s.Server, l.Server) {
			return nil, nil, c.failed(errors.New("the keys of a session must have 64 hexadecimal digits"))
		}
		return s, nil, nil
	}
	data, err := hex.DecodeString(l.Data)
	switch {
	case l.From != Client && l.From != Server:
		err = fmt.Errorf("from = %.20q: must be client or server", l.From)
	case err != nil || len(data) == 0 || len(data) > maxDatagram:
		err = fmt.Errorf("data must be 1 to %d bytes in hexadecimal digits", maxDatagram)
	}
	if err != nil {
		return nil, nil, c.failed(err)
	}
	return nil, &Packet{l.Time, l.From, data}, nil
}

// line is a line after the header.
type line struct {
	Session int    `json:"session"`
	Time    int64  `json:"time"`
	Client  string `json:"client"`
	Server  string `json:"server"`
	From    Side   `json:"from"`
	Data    string `json:"data"`
}

func (c *Reader) next() bool {
	c.line++
	return c.scan.Scan()
}

func (c *Reader) failed(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		err = errors.New("it is too long")
	}
	return fmt.Errorf("line %d of the capture: %w", c.line, err)
}

// key reads a key, and reports whether it is one.
func key(k *[32]byte, digits string) bool {
	b, err := hex.DecodeString(digits)
	return err == nil && copy(k[:], b) == len(k) && len(b) == len(k)
}
