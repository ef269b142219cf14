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

// farewell is the time that Close waits for a reader that does not read. Tests set it.
var farewell = time.Second

const (
	// maxLine is the maximum length of an input line, in bytes.
	maxLine = 1 << 20
	// oneWrite is the approximate number of bytes per call of Write.
	oneWrite = 32 << 10
)

// A Pipe is a Source in line mode.
type Pipe struct {
	lines   chan Line
	waiting backlog
	wake    chan struct{} // capacity 1: output waits
	closing chan struct{}
	written chan struct{} // closed when the writer is done
	once    sync.Once
}

// NewPipe returns a Pipe that reads lines from in and writes to out. If in is nil,
// it reads nothing.
func NewPipe(in io.Reader, out io.Writer) *Pipe {
	p := &Pipe{
		lines:   make(chan Line, 16),
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
func (p *Pipe) Lines() <-chan Line { return p.lines }

// Asks implements Source. A pipe asks nothing.
func (p *Pipe) Asks() <-chan Ask { return nil }

// SetPrompt implements Source. A pipe has no prompt.
func (p *Pipe) SetPrompt(string) {}

// Print implements Source.
func (p *Pipe) Print(line string) {
	p.waiting.add(line)
	select {
	case p.wake <- struct{}{}:
	default: // the writer checks the backlog soon anyway
	}
}

// ErrUndrained means that the reader has not read all output yet. Close can be
// called again to wait longer.
var ErrUndrained = errors.New("the output was not drained")

// Close implements Source. A goroutine that is still blocked in a read or a write
// of a file stays until the process ends.
func (p *Pipe) Close() error {
	p.once.Do(func() { close(p.closing) })
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-p.written:
	case <-timer.C:
		return ErrUndrained
	}
	return nil
}

func (p *Pipe) read(in io.Reader) {
	defer close(p.lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readLine(r)
		if err == nil || text != "" {
			select {
			case p.lines <- Line{Text: text, Torn: err != nil}:
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

func (p *Pipe) write(out io.Writer) {
	defer close(p.written)
	var buf []byte
	for open := true; open || !p.waiting.empty(); {
		if buf = p.waiting.take(buf[:0], oneWrite); len(buf) > 0 {
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
func (p *Pipe) drain() {
	for {
		p.waiting.take(nil, maxWaiting)
		select {
		case <-p.wake:
		case <-p.closing:
			return
		}
	}
}
