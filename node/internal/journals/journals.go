// Package journals keeps the journals of a server in a folder: one file for each run, which a
// goroutine writes. A slow disk never stops the game, and old journals make room for new ones.
package journals

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	suffix = ".torcj"
	keeper = ".keep"   // of the empty file beside a journal that stays
	marker = ".marked" // of the empty file beside a journal with a mark, which is deleted later than others
	queued = 64        // blocks that wait for the disk
	layout = "20060102-150405"
)

// ErrBehind says that the disk does not keep up.
var ErrBehind = errors.New("the disk does not keep up")

// A File is the journal of this run. One goroutine at a time may call Write, Mark and Close.
type File struct {
	path   string
	most   func() int64 // bytes of the folder
	queue  chan []byte  // nil in it: the journal has a mark
	done   chan struct{}
	size   atomic.Int64
	closed bool
	marked bool
	failed atomic.Pointer[error]
}

// Open makes a file in a folder, and the folder (0700) if it is missing. most returns the most
// bytes of all journals in the folder; any goroutine can call it. The oldest ones that are not kept
// are deleted.
func Open(folder string, now time.Time, most func() int64) (*File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of journals cannot be made: %w", err)
	}
	path, f, err := create(folder, now)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be made: %w", err)
	}
	j := &File{path: path, most: most, queue: make(chan []byte, queued), done: make(chan struct{})}
	go j.run(f)
	return j, nil
}

// create makes a new file. Two servers can begin in one second.
func create(folder string, now time.Time) (path string, f *os.File, err error) {
	for n := 1; ; n++ {
		path = filepath.Join(folder, now.UTC().Format(layout))
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		path += suffix
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, os.ErrExist) || n == 100 {
			return path, f, err
		}
	}
}

// Path returns the path of the file.
func (j *File) Path() string { return j.path }

// Size returns the bytes so far.
func (j *File) Size() int64 { return j.size.Load() }

// Write queues bytes for the disk. The error of an earlier write is returned once the disk has
// reported it.
func (j *File) Write(b []byte) (int, error) {
	if err := j.failed.Load(); err != nil {
		return 0, *err
	}
	if j.closed {
		return 0, os.ErrClosed
	}
	if most := j.most(); j.size.Load()+int64(len(b)) > most {
		return 0, fmt.Errorf("the journal of this run has %d MiB, as many as sv.journalMax allows", most>>20)
	}
	select {
	case j.queue <- slices.Clone(b):
		j.size.Add(int64(len(b)))
		return len(b), nil
	default:
		return 0, ErrBehind
	}
}

// Mark lets the journal of this run be deleted later than others. It does not wait for the disk. It
// reports whether it is the first mark.
func (j *File) Mark() bool {
	if j.marked || j.closed {
		return false
	}
	select {
	case j.queue <- nil:
		j.marked = true
	default: // the next mark tries again
	}
	return j.marked
}

// Keep keeps the journal of this run, whatever comes later.
func (j *File) Keep() error { return keep(j.path) }

// Close waits until all is on the disk.
func (j *File) Close() error {
	if !j.closed {
		j.closed = true
		close(j.queue)
	}
	<-j.done
	if err := j.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// run writes.
func (j *File) run(f *os.File) {
	defer close(j.done)
	var written int64
	for b := range j.queue {
		if b == nil {
			if err := os.WriteFile(j.path+marker, nil, 0o600); err != nil {
				j.fail(err)
			}
			continue
		}
		if written>>20 != (written+int64(len(b)))>>20 { // not before the server has its settings
			tidy(j.path, j.most()-written-1<<20)
		}
		n, err := f.Write(b)
		if written += int64(n); err != nil {
			j.fail(err)
		}
	}
	if err := f.Close(); err != nil {
		j.fail(err)
	}
}

func (j *File) fail(err error) {
	err = fmt.Errorf("the journal cannot be written: %w", err)
	j.failed.CompareAndSwap(nil, &err)
}

// tidy deletes the oldest journals beside the one at path until the others have at most so many
// bytes: first those without a mark. Those that are kept stay, and do not count.
func tidy(path string, most int64) {
	all, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"+suffix))
	if err != nil {
		return // the pattern is valid
	}
	slices.Sort(all) // by time
	sum := int64(0)
	for _, marked := range []bool{true, false} {
		for _, other := range slices.Backward(all) {
			info, err := os.Stat(other)
			if err != nil || other == path || has(other, keeper) || has(other, marker) != marked {
				continue
			}
			if sum += info.Size(); sum > most {
				_ = errors.Join(os.Remove(other), os.RemoveAll(other+marker)) // the next run tries again
			}
		}
	}
}

func keep(path string) error { return os.WriteFile(path+keeper, nil, 0o600) }

// has reports whether there is a file with an ending beside a journal.
func has(path, ending string) bool {
	_, err := os.Stat(path + ending)
	return err == nil
}

// KeepOther keeps a journal of the folder of this one by its name.
func (j *File) KeepOther(name string) (path string, err error) {
	name = strings.TrimSuffix(name, suffix)
	if name == "" || strings.ContainsAny(name, `/\`) {
		return "", fmt.Errorf("%q is not the name of a journal", name)
	}
	path = filepath.Join(filepath.Dir(j.path), name+suffix)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("there is no journal %s in the folder", name)
	}
	return path, keep(path)
}
