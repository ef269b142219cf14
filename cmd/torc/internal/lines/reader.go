package lines

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 1 << 20

// ErrTooLong is sent in place of a line that is longer than MaxLine.
var ErrTooLong = errors.New("the line is longer than 1 MiB")

// Line is one line of input without its end, or why there is none.
type Line struct {
	Text string
	Err  error // ErrTooLong
}

// Read sends the lines of r until its end, then closes the channel. A last line needs no newline.
func Read(r io.Reader) <-chan Line {
	out := make(chan Line)
	go func() {
		defer close(out)
		b := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := readLine(b)
			if line.Text != "" || line.Err != nil || err == nil {
				out <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// readLine reads up to and with the next newline, but keeps no more than MaxLine of it.
func readLine(b *bufio.Reader) (line Line, err error) {
	var text []byte
	for {
		part, err := b.ReadSlice('\n')
		if len(text)+len(part) > MaxLine+1 {
			line.Err, part = ErrTooLong, nil
		}
		text = append(text, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if line.Err == nil {
			line.Text = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
		}
		return line, err
	}
}
