package web

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/torc-engine/torc/internal/compress"
	"github.com/torc-engine/torc/internal/webfiles"
)

// minCompress is the size in bytes from which a file is compressed.
const minCompress = 512

// asset is a file as it is sent. The form with brotli is that of a release. The form with gzip is
// made for the first browser that takes it, because most servers never need it.
type asset struct {
	kind  string        // media type
	hash  string        // of the content, and of all files that it refers to
	plain []byte        // nil: only the compressed forms are known
	br    []byte        // compressed with brotli; nil: unknown
	gz    func() []byte // the same with gzip; it returns nil if that is not smaller
}

// pages are the files of the client. A browser can keep each of them for ever, because its path has
// its hash. The page itself has the hash of what it refers to, and is always asked for. All
// references are relative: a page at /s/NAME/ has its files below that.
type pages struct {
	index  *asset
	assets map[string]*asset // by path
}

// newPages makes the pages of the files in all folders (webfiles.Read). A plain form that is
// missing is not sent, and a form with gzip that is there is not made again.
func newPages(folders ...fs.FS) (*pages, error) {
	files, err := webfiles.Read(folders...)
	if err != nil {
		return nil, err
	}
	p := &pages{assets: map[string]*asset{}}
	for _, f := range files {
		if f.Name == webfiles.Index {
			p.index = newAsset(f)
			continue
		}
		p.assets[f.Path] = newAsset(f)
	}
	if p.index == nil {
		return nil, errors.New("the client has no " + webfiles.Index)
	}
	return p, nil
}

// asset returns the file at a path, or nil.
func (p *pages) asset(path string) *asset {
	if p == nil {
		return nil
	}
	return p.assets[path]
}

func newAsset(f webfiles.File) *asset {
	a := &asset{kind: f.Kind, hash: f.Hash, plain: f.Content, br: f.Br, gz: func() []byte { return f.Gz }}
	if f.Gz == nil && len(f.Content) >= minCompress && !f.IsPicture() {
		a.gz = sync.OnceValue(func() []byte { return smaller(f.Content, compress.Gzip(f.Content)) })
	}
	return a
}

// smaller returns b if it is smaller than a, else nil.
func smaller(a, b []byte) []byte {
	if len(b) < len(a) {
		return b
	}
	return nil
}
