// Package demos writes the files of demos, or keeps demos in memory. A goroutine for each file
// takes the bytes from a bounded queue, so a slow disk never stops the game.
package demos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// Ext is the end of the names of demos.
const Ext = ".torc"

const (
	maxName   = 64       // bytes of a name, without Ext
	maxQueued = 16 << 20 // bytes that wait for the disk
	maxWrites = 1024     // pieces that wait
)

var errSlow = errors.New("the disk is too slow")

// FileName returns the name of the file of a demo. A name is no path.
func FileName(name string) (string, error) {
	plain := strings.TrimSuffix(name, Ext)
	known := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_.", r)
	}
	bad := strings.ContainsFunc(plain, func(r rune) bool { return !known(r) })
	if bad || plain == "" || len(plain) > maxName || strings.HasPrefix(plain, ".") || strings.HasPrefix(plain, "-") {
		return "", fmt.Errorf("the name %q must have 1 to %d letters, digits, dots, - and _, and begin with a letter, a digit or _", name, maxName)
	}
	return plain + Ext, nil
}

// A File is the file of a demo that is being written.
type File struct {
	path   string
	size   int64 // bytes given to Write, and the header
	most   int64
	queue  chan []byte
	queued atomic.Int64
	failed atomic.Pointer[error]
	done   chan struct{} // closed when the file is
}

// Create makes a file that only its owner can read, with a header. An existing file stays as it is.
// most is the largest size of the file in bytes.
func Create(path string, header []byte, most int64) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the folder for the demo cannot be made: %w", err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists already: name another demo", path)
	}
	if err != nil {
		return nil, fmt.Errorf("the demo cannot be made: %w", err)
	}
	f := &File{path: path, most: most, queue: make(chan []byte, maxWrites), done: make(chan struct{})}
	go f.write(out)
	return f, f.Write(header)
}

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// Size returns the size of the file in bytes, with what waits for the disk.
func (f *File) Size() int64 { return f.size }

// Write takes the next bytes, which then belong to the file. It does not wait for the disk. An
// error says why the demo must end.
func (f *File) Write(b []byte) error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	if f.size+int64(len(b)) > f.most {
		return full(f.most)
	}
	if f.queued.Add(int64(len(b))) > maxQueued {
		return errSlow
	}
	select {
	case f.queue <- b:
		f.size += int64(len(b))
		return nil
	default:
		return errSlow
	}
}

// write writes what is in the queue until Close.
func (f *File) write(out *os.File) {
	defer close(f.done)
	for b := range f.queue {
		if f.failed.Load() == nil {
			if _, err := out.Write(b); err != nil {
				f.failed.Store(&err)
			}
		}
		f.queued.Add(-int64(len(b)))
	}
	if err := out.Close(); err != nil && f.failed.Load() == nil {
		f.failed.Store(&err)
	}
}

// Close ends the file. It does not wait for the disk.
func (f *File) Close() { close(f.queue) }

// Done reports whether everything is in the file after Close.
func (f *File) Done() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// Wait waits until everything is in the file after Close. It returns why that has failed.
func (f *File) Wait() error {
	<-f.done
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Drop removes a file that has nothing but a header.
func (f *File) Drop() {
	f.Close()
	_ = f.Wait()
	_ = os.Remove(f.path) // a file without a demo does no harm
}
