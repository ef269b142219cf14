package prompt

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/chzyer/readline"
)

// A Device is what a Terminal runs on: the terminal of this machine, or one at the other end of a
// connection. Its input is raw: each key at once, without echo. It moves to the first column before
// it writes a line feed's next line.
type Device interface {
	io.ReadWriter

	// Size returns the size in characters, or 0, 0 if it is unknown.
	Size() (width, height int)

	// Watch calls changed when the size changes, on any goroutine, until stop is called.
	Watch(changed func()) (stop func())

	// Close gives the device back. It need not end Read.
	Close() error
}

// files is the terminal of this machine, in raw mode.
type files struct {
	in, out *os.File
	before  *readline.State
	reading sync.Mutex // held by suspend as well: meanwhile the shell reads
}

func openFiles(in, out *os.File) (*files, error) {
	before, err := readline.MakeRaw(int(in.Fd()))
	return &files{in: in, out: out, before: before}, err
}

func (f *files) Write(p []byte) (int, error) { return f.out.Write(p) }

func (f *files) Size() (width, height int) {
	width, height, err := readline.GetSize(int(f.out.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

func (f *files) Watch(changed func()) (stop func()) {
	signals, end := notifyResize()
	done := make(chan struct{})
	go func() {
		defer end()
		for {
			select {
			case <-signals:
				changed()
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

func (f *files) Close() error { return readline.Restore(int(f.in.Fd()), f.before) }

// drawing returns the writer for readline: for stdout its translation for the platform.
func drawing(d Device) io.Writer {
	if f, ok := d.(*files); ok && f.out == os.Stdout {
		return readline.Stdout
	}
	return d
}

// NewTerminal takes over the terminal of o until Close.
func NewTerminal(o SourceOptions) (*Terminal, error) {
	if o.Device != nil {
		return openTerminal(o.Device, o)
	}
	device, err := openFiles(o.In, o.Out)
	if err != nil {
		return nil, err
	}
	t, err := openTerminal(device, o)
	if err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return t, nil
}
