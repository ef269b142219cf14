package manifest

import (
	"io/fs"
	"path"
	"slices"
)

// An edition is a view of a folder. It caches each file on first read, so a reload loads the same
// contents it was checked with, even if the files change in between. It serves one goroutine at a
// time.
type edition struct {
	*folderCache
	dir string
}

// folderCache are the results read from a folder so far, by path.
type folderCache struct {
	disk    fs.FS
	texts   map[string]readResult[[]byte]
	entries map[string]readResult[[]fs.DirEntry]
	infos   map[string]readResult[fs.FileInfo]
}

// A readResult is the result of one read from disk.
type readResult[T any] struct {
	is  T
	err error
}

// NewEditions returns new editions of folders, with empty caches.
func NewEditions(folders []fs.FS) []fs.FS {
	list := make([]fs.FS, len(folders))
	for i, disk := range folders {
		list[i] = edition{&folderCache{disk, map[string]readResult[[]byte]{}, map[string]readResult[[]fs.DirEntry]{}, map[string]readResult[fs.FileInfo]{}}, "."}
	}
	return list
}

// EndEditions ends the caching of editions: later reads go to the disk.
func EndEditions(list []fs.FS) {
	for _, e := range list {
		p := e.(edition).folderCache
		p.texts, p.entries, p.infos = nil, nil, nil
	}
}

// cachedRead returns the earlier result for name, or calls ask and stores the result. whole is the
// path in the folder. An invalid name is an error.
func cachedRead[T any](e edition, before map[string]readResult[T], name string, ask func(whole string) (T, error)) (T, error) {
	var r readResult[T]
	if !fs.ValidPath(name) {
		return r.is, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	name = path.Join(e.dir, name)
	r, known := before[name]
	if !known {
		r.is, r.err = ask(name)
		if before != nil {
			before[name] = r
		}
	}
	return r.is, r.err
}

// Open opens a file on disk, without caching. Loading a mod does not use it.
func (e edition) Open(name string) (fs.File, error) {
	return cachedRead(e, nil, name, func(whole string) (fs.File, error) { return e.disk.Open(whole) })
}

func (e edition) Sub(dir string) (fs.FS, error) {
	return cachedRead(e, nil, dir, func(whole string) (fs.FS, error) { return edition{e.folderCache, whole}, nil })
}

func (e edition) ReadFile(name string) ([]byte, error) {
	text, err := cachedRead(e, e.texts, name, func(whole string) ([]byte, error) { return fs.ReadFile(e.disk, whole) })
	return slices.Clone(text), err
}

func (e edition) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := cachedRead(e, e.entries, name, func(whole string) ([]fs.DirEntry, error) { return fs.ReadDir(e.disk, whole) })
	return slices.Clone(entries), err
}

// ReadLink and Lstat go to the disk: they only check paths.
func (e edition) ReadLink(name string) (string, error) {
	return cachedRead(e, nil, name, func(whole string) (string, error) { return fs.ReadLink(e.disk, whole) })
}

func (e edition) Lstat(name string) (fs.FileInfo, error) {
	return cachedRead(e, nil, name, func(whole string) (fs.FileInfo, error) { return fs.Lstat(e.disk, whole) })
}

func (e edition) Stat(name string) (fs.FileInfo, error) {
	return cachedRead(e, e.infos, name, func(whole string) (fs.FileInfo, error) { return fs.Stat(e.disk, whole) })
}
