package prompt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// closeTimeout is the time that Close waits for a reader that does not read. Tests set it.
var closeTimeout = time.Second

const (
	// maxLine is the maximum length of an input line, in bytes.
	maxLine = 1 << 20
	// writeSize is the approximate number of bytes per call of Write.
	writeSize = 32 << 10
)

// A LineMode is a Source in line mode.
type LineMode struct {
	lines   chan Input
	backlog backlog
	wake    chan struct{} // capacity 1: output waits
	closing chan struct{}
	written chan struct{} // closed when the writer is done
	once    sync.Once
}

// NewLineMode returns a LineMode that reads lines from in and writes to out. If in is nil,
// it reads nothing.
func NewLineMode(in io.Reader, out io.Writer) *LineMode {
	p := &LineMode{
		lines:   make(chan Input, 16),
		wake:    make(chan struct{}, 1),
		closing: make(chan struct{}),
		written: make(chan struct{}),
	}
	if in == nil {
		close(p.lines)
	} else {
		go p.read(in)
	}
	go p.write(out)
	return p
}

// Lines implements Source.
func (p *LineMode) Lines() <-chan Input { return p.lines }

// Asks implements Source. Line mode asks nothing.
func (p *LineMode) Asks() <-chan Query { return nil }

// SetPrompt implements Source. A pipe has no prompt.
func (p *LineMode) SetPrompt(string) {}

// Print implements Source.
func (p *LineMode) Print(line string) {
	p.backlog.add(line)
	select {
	case p.wake <- struct{}{}:
	default: // the writer checks the backlog soon anyway
	}
}

// ErrOutputPending means that the reader has not read all output yet. Close can be
// called again to wait longer.
var ErrOutputPending = errors.New("the output was not read in time")

// Close implements Source. A goroutine that is still blocked in a read or a write
// of a file stays until the process ends.
func (p *LineMode) Close() error {
	p.once.Do(func() { close(p.closing) })
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-p.written:
	case <-timer.C:
		return ErrOutputPending
	}
	return nil
}

func (p *LineMode) read(in io.Reader) {
	defer close(p.lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for first := true; ; first = false {
		text, err := readLine(r)
		if first {
			text = strings.TrimPrefix(text, "\ufeff") // the byte order mark of a file from Windows
		}
		if err == nil || text != "" {
			select {
			case p.lines <- Input{Text: text, Incomplete: err != nil}:
			case <-p.closing:
				return
			}
		}
		if errors.Is(err, errLong) {
			p.Print(fmt.Sprintf("error: a line of more than %d KiB was ignored", maxLine>>10))
		}
		if err != nil && err != errLong {
			return
		}
	}
}

var errLong = errors.New("line too long")

// readLine reads one line without its end. The last line can lack an end. A line
// that is too long is skipped and returns errLong.
func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if b.Len()+len(part) > maxLine {
			long = true
			b.Reset()
		}
		if !long {
			b.Write(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && err == nil:
			return "", errLong
		case long:
			return "", errors.Join(errLong, err)
		}
		return strings.TrimRight(b.String(), "\r\n"), err
	}
}

func (p *LineMode) write(out io.Writer) {
	defer close(p.written)
	var buf []byte
	for open := true; open || !p.backlog.empty(); {
		if buf = p.backlog.take(buf[:0], writeSize); len(buf) > 0 {
			if _, err := out.Write(buf); err != nil {
				p.drain()
				return
			}
			continue
		}
		select {
		case <-p.wake:
		case <-p.closing:
			open = false
		}
	}
}

// drain discards output after a write error, until Close.
func (p *LineMode) drain() {
	for {
		p.backlog.take(nil, maxBacklog)
		select {
		case <-p.wake:
		case <-p.closing:
			return
		}
	}
}
