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

const (
	// maxLine bounds a line that comes in over a pipe, in bytes.
	maxLine = 1 << 20
	// farewell is how long Close waits for a reader that does not read.
	farewell = time.Second
	// oneWrite is about how much output goes into one call of Write.
	oneWrite = 32 << 10
)

// A Pipe is line mode.
type Pipe struct {
	lines   chan Line
	waiting backlog
	wake    chan struct{} // 1: something waits
	closing chan struct{}
	written chan struct{} // closed when the writer is done
	once    sync.Once
}

// NewPipe reads lines from in, or none if it is nil, and writes to out.
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

// Asks implements Source; a pipe asks nothing.
func (p *Pipe) Asks() <-chan Ask { return nil }

// SetPrompt implements Source; a pipe has no prompt.
func (p *Pipe) SetPrompt(string) {}

// Print implements Source.
func (p *Pipe) Print(line string) {
	p.waiting.add(line)
	select {
	case p.wake <- struct{}{}:
	default: // the writer is about to look anyway
	}
}

// ErrUndrained says that somebody has yet to read the output; Close may be
// called again to wait for him.
var ErrUndrained = errors.New("the output was not drained")

// Close implements Source. A goroutine that is still blocked in reading or
// writing a file is left to the end of the process.
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

// readLine reads one line, without its end; the last one may lack it. A line
// that is too long is skipped and gives errLong.
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

// drain throws output away: nobody is there to read it any more.
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
