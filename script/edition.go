package script

import (
	"io/fs"
	"path"
	"slices"
)

// An edition is a folder as it was when it was read first: what a mod is tried
// with is what is loaded then, whoever writes to the disk meanwhile. It serves
// one goroutine at a time.
type edition struct {
	*pages
	dir string
}

// pages are what has been read of a folder so far, by path.
type pages struct {
	disk    fs.FS
	texts   map[string]read[[]byte]
	entries map[string]read[[]fs.DirEntry]
	infos   map[string]read[fs.FileInfo]
}

// A read is what the disk has given.
type read[T any] struct {
	is  T
	err error
}

// editions are folders as they are from now on.
func editions(folders []fs.FS) []fs.FS {
	list := make([]fs.FS, len(folders))
	for i, disk := range folders {
		list[i] = edition{&pages{disk, map[string]read[[]byte]{}, map[string]read[[]fs.DirEntry]{}, map[string]read[fs.FileInfo]{}}, "."}
	}
	return list
}

// outdate ends editions: whoever reads what was in them reads the disk.
func outdate(list []fs.FS) {
	for _, e := range list {
		p := e.(edition).pages
		p.texts, p.entries, p.infos = nil, nil, nil
	}
}

// once gives what was read before, if there is one; whole is the path in the
// folder, or that name is none.
func once[T any](e edition, before map[string]read[T], name string, ask func(whole string) (T, error)) (T, error) {
	var r read[T]
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

// Open is what the disk has; nothing of a mod is read by it.
func (e edition) Open(name string) (fs.File, error) {
	return once(e, nil, name, func(whole string) (fs.File, error) { return e.disk.Open(whole) })
}

func (e edition) Sub(dir string) (fs.FS, error) {
	return once(e, nil, dir, func(whole string) (fs.FS, error) { return edition{e.pages, whole}, nil })
}

func (e edition) ReadFile(name string) ([]byte, error) {
	text, err := once(e, e.texts, name, func(whole string) ([]byte, error) { return fs.ReadFile(e.disk, whole) })
	return slices.Clone(text), err
}

func (e edition) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := once(e, e.entries, name, func(whole string) ([]fs.DirEntry, error) { return fs.ReadDir(e.disk, whole) })
	return slices.Clone(entries), err
}

func (e edition) Stat(name string) (fs.FileInfo, error) {
	return once(e, e.infos, name, func(whole string) (fs.FileInfo, error) { return fs.Stat(e.disk, whole) })
}
