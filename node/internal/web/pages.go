package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/torc-engine/torc/internal/compress"
)

const (
	brotliLevel = 9   // for a file that is compressed while a browser waits
	minCompress = 512 // bytes; smaller files are sent plain
	indexName   = "index.html"
	assetFolder = "/assets/"
)

// asset is a file as it is sent. A compressed form is made for the first browser that takes it: the
// memory of brotli is many times the file, and most servers never need it.
type asset struct {
	kind  string        // media type
	hash  string        // of the content, and of all files that it refers to
	plain []byte        // nil: only the compressed forms are known
	br    func() []byte // compressed with brotli; it returns nil if that is not smaller
	gz    func() []byte // the same with gzip
}

// pages are the files of the client. Each is at /assets/NAME.HASH.EXT, where HASH depends on the
// content of the file and of all files that it refers to. So a browser can keep each forever, and
// never mixes two builds. The page itself has the hash of what it refers to, and is always asked
// for. All references are relative: a page at /s/NAME/ has its files below that.
type pages struct {
	index  *asset
	assets map[string]*asset // by path
}

// newPages makes the pages of the files in all folders. A file of a later folder replaces one of
// the same name. A file that has a compressed form beside it, NAME.br or NAME.gz, is not
// compressed again. Then the plain form can be missing; it is not sent. Of a text, the form with
// brotli can be missing, too.
func newPages(folders ...fs.FS) (*pages, error) {
	files := map[string][]byte{}
	for _, folder := range folders {
		if err := readAll(folder, files); err != nil {
			return nil, err
		}
	}
	if files[indexName] == nil {
		return nil, errors.New("the client has no " + indexName)
	}
	names := newNames(files)
	p := &pages{assets: map[string]*asset{}}
	for name := range names.hashes {
		a := newAsset(name, names.rewrite(name), files[name+".br"], files[name+".gz"])
		a.hash = names.hashes[name]
		if name == indexName {
			p.index = a
			continue
		}
		p.assets[names.path(name)] = a
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

// plainName returns the name without the extension of a compressed form.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".br"), ".gz")
}

// reference is a quoted relative name of a file.
var reference = regexp.MustCompile("([\"'`(])(\\.\\.?/[^\"'`()\\s?#]+)([\"'`)])")

// names finds the references between files.
type names struct {
	files   map[string][]byte
	hashes  map[string]string
	targets map[string][]string // the files that a file refers to, of each file that was searched
}

func newNames(files map[string][]byte) *names {
	n := &names{files: files, hashes: map[string]string{}, targets: map[string][]string{}}
	for name := range files {
		n.hashes[plainName(name)] = ""
	}
	for name := range n.hashes {
		n.hashes[name] = n.hash(name)
	}
	return n
}

// text returns the content of a file that can refer to others.
func (n *names) text(name string) []byte {
	if strings.HasPrefix(mediaType(name), "text/") {
		return n.files[name]
	}
	return nil
}

// target returns the file that a reference in a file means; "" if there is none.
func (n *names) target(in, ref string) string {
	to := path.Join(path.Dir(in), ref)
	if _, known := n.hashes[to]; !known {
		return ""
	}
	return to
}

// reach adds a file and all files that it refers to.
func (n *names) reach(name string, all map[string]bool) {
	if all[name] {
		return
	}
	all[name] = true
	for _, to := range n.search(name) {
		n.reach(to, all)
	}
}

// search returns the files that a file refers to. It searches each file once.
func (n *names) search(name string) []string {
	found, done := n.targets[name]
	if done {
		return found
	}
	for _, m := range reference.FindAllSubmatch(n.text(name), -1) {
		if to := n.target(name, string(m[2])); to != "" {
			found = append(found, to)
		}
	}
	n.targets[name] = found
	return found
}

// hash returns the hash of a file and of all files that it refers to.
func (n *names) hash(name string) string {
	all := map[string]bool{}
	n.reach(name, all)
	h := sha256.New()
	for _, of := range slices.Sorted(maps.Keys(all)) {
		content := n.files[of]
		if content == nil {
			content = n.files[of+".gz"]
		}
		fmt.Fprintf(h, "%q %d\n", of, len(content))
		h.Write(content)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// path returns where a file is.
func (n *names) path(name string) string { return assetFolder + n.hashed(name) }

// hashed returns the name of a file with its hash.
func (n *names) hashed(name string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + n.hashes[name] + ext
}

// rewrite returns the content of a file with the hashes in all references.
func (n *names) rewrite(name string) []byte {
	if n.text(name) == nil {
		return n.files[name]
	}
	return reference.ReplaceAllFunc(n.files[name], func(m []byte) []byte {
		to := n.target(name, string(m[1:len(m)-1]))
		if to == "" {
			return m
		}
		return slices.Concat(m[:1], []byte(n.relative(name, to)), m[len(m)-1:])
	})
}

// relative returns how a file refers to another one: by the folder of all files, so a page can be read
// without resolving names. The page is one folder above the others.
func (n *names) relative(in, to string) string {
	if in == indexName {
		return "." + n.path(to)
	}
	return strings.Repeat("../", strings.Count(in, "/")) + ".." + n.path(to)
}

func newAsset(name string, content, br, gz []byte) *asset {
	kind := mediaType(name)
	a := &asset{kind: kind, plain: content, br: made(br), gz: made(gz)}
	if content == nil && br == nil && strings.HasPrefix(kind, "text/") { // a program takes many seconds
		a.br = sync.OnceValue(func() []byte { return smaller(gz, compress.Brotli(compress.Gunzip(gz), brotliLevel)) })
	}
	if len(content) < minCompress || kind == mediaTypes[".png"] || kind == mediaTypes[".webp"] {
		return a
	}
	if br == nil {
		a.br = sync.OnceValue(func() []byte { return smaller(content, compress.Brotli(content, brotliLevel)) })
	}
	if gz == nil {
		a.gz = sync.OnceValue(func() []byte { return smaller(content, compress.Gzip(content)) })
	}
	return a
}

// made returns the function of a form that is known.
func made(form []byte) func() []byte { return func() []byte { return form } }

// smaller returns b if it is smaller than a, else nil.
func smaller(a, b []byte) []byte {
	if len(b) < len(a) {
		return b
	}
	return nil
}
