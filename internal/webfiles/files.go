package webfiles

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/compress"
)

// A File is a file of a page, as a server sends it.
type File struct {
	Name    string // below its folder
	Path    string // for the browser: /assets/NAME.HASH.EXT
	Hash    string // of the content, and of all files that it refers to
	Kind    string // media type
	Content []byte // with the paths of the files that it refers to; nil: only the compressed forms are known
	Br      []byte // compressed with brotli; nil: unknown
	Gz      []byte // the same with gzip
}

const (
	// Index is the name of the page itself. It is one folder above all other files.
	Index = "index.html"

	assetFolder = "/assets/"
)

// Read returns the files in all folders, by name. A file of a later folder replaces one of the same
// name. NAME.br and NAME.gz are compressed forms of NAME, which can then be missing. NAME.HASH.br
// is one of NAME while it has this hash.
func Read(folders ...fs.FS) ([]File, error) {
	files := map[string][]byte{}
	for _, folder := range folders {
		if err := readAll(folder, files); err != nil {
			return nil, err
		}
	}
	n := newNames(files)
	var list []File
	for _, name := range slices.Sorted(maps.Keys(n.hashes)) {
		f := File{Name: name, Path: n.path(name), Hash: n.hashes[name], Kind: mediaType(name), Content: n.rewrite(name), Br: files[name+".br"], Gz: files[name+".gz"]}
		if f.Br == nil {
			f.Br = released(folders, f)
		}
		list = append(list, f)
	}
	return list, nil
}

// ReleasedName returns the name under which a release has the file compressed with brotli. The hash
// is not enough: files that refer to each other have the same one.
func (f File) ReleasedName() string { return f.Name + "." + f.Hash + ".br" }

// released returns the form of a file that a release has compressed; nil if no folder has it.
func released(folders []fs.FS, f File) []byte {
	for _, folder := range folders {
		if b, err := fs.ReadFile(folder, f.ReleasedName()); err == nil {
			return b
		}
	}
	return nil
}

// readAll reads the files of a folder and its subfolders, except those without a known media type,
// as Go files and licences.
func readAll(folder fs.FS, into map[string][]byte) error {
	return fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || mediaType(plainName(name)) == "" {
			return err
		}
		b, err := fs.ReadFile(folder, name)
		if path.Ext(name) == ".js" {
			b = compress.Script(b)
		}
		into[name] = b
		if plainName(name) == name { // forms of a file that this one replaces; its own come next
			delete(into, name+".br")
			delete(into, name+".gz")
		}
		return err
	})
}

// mediaTypes are the media types of the files that are sent, by extension. Those of the system are
// not used: they differ between machines.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webp": "image/webp",
}

// mediaType returns the media type of a file, or "" for a file that is not sent.
func mediaType(name string) string { return mediaTypes[path.Ext(name)] }

// IsText reports whether the content is a text, which can refer to other files.
func (f File) IsText() bool { return strings.HasPrefix(f.Kind, "text/") }

// IsPicture reports whether the content is compressed by itself.
func (f File) IsPicture() bool { return f.Kind == mediaTypes[".png"] || f.Kind == mediaTypes[".webp"] }

// plainName returns the name without the extension of a compressed form.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".br"), ".gz")
}
