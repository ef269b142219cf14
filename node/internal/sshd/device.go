package sshd

import (
	"bytes"
	"io"
	"sync"
)

// device is the terminal at the other end of a channel. It implements prompt.Device.
type device struct {
	in  io.Reader
	out io.Writer

	mu            sync.Mutex
	width, height int
	changed       func() // nil: nobody wants to know
}

func (d *device) Read(p []byte) (int, error) { return d.in.Read(p) }

// Write writes with the line ends of a raw terminal.
func (d *device) Write(p []byte) (int, error) {
	if _, err := d.out.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (d *device) Size() (width, height int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.width, d.height
}

// maxSize is the largest width and height, in characters.
const maxSize = 1000

func (d *device) resize(width, height uint32) {
	d.mu.Lock()
	d.width, d.height = int(min(width, maxSize)), int(min(height, maxSize))
	changed := d.changed
	d.mu.Unlock()
	if changed != nil {
		changed()
	}
}

func (d *device) Watch(changed func()) (stop func()) {
	set := func(f func()) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.changed = f
	}
	set(changed)
	return func() { set(nil) }
}

func (d *device) Close() error { return nil }

// active calls typed after each read.
type active struct {
	io.Reader
	typed func()
}

func (a active) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.typed()
	}
	return n, err
}

// shortLines ends the input at a line of more than maxPiped bytes.
type shortLines struct {
	io.Reader
	length int
}

const maxPiped = 64 << 10

func (s *shortLines) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p[:min(len(p), maxPiped)])
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		s.length = n - end - 1
	} else if s.length += n; s.length > maxPiped {
		return 0, io.EOF
	}
	return n, err
}
