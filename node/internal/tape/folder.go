package tape

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/torc-engine/torc/node/internal/journal"
)

// An access is one question about a file.
type access struct {
	folder int
	how    string // text, dir, info, lstat or link
	path   string
}

// A result is what the disk answered.
type result struct {
	Error   *fileError `json:"error,omitempty"`
	Content *uint64    `json:"content,omitempty"` // number of the Content entry
	Entries []info     `json:"entries,omitempty"` // of a directory
	Info    *info      `json:"info,omitempty"`
	Link    string     `json:"link,omitempty"`
	text    []byte
}

// size returns how much memory the answer to a question needs without the content of a file, in
// bytes.
func (r result) size(a access) int {
	n := entryBytes + len(a.how) + len(a.path) + len(r.Link) + len(r.Entries)*entryBytes
	for _, e := range r.Entries {
		n += len(e.Name_)
	}
	if r.Error != nil {
		n += len(r.Error.Kind) + len(r.Error.Text) + len(r.Error.Op) + len(r.Error.Path)
	}
	if r.Info != nil {
		n += len(r.Info.Name_)
	}
	return n
}

// info describes a file.
type info struct {
	Name_ string      `json:"name"`
	Size_ int64       `json:"size"`
	Mode_ fs.FileMode `json:"mode"`
	Time  int64       `json:"time"` // ns since 1970
}

func infoOf(i fs.FileInfo) info {
	at := int64(0)
	if !i.ModTime().IsZero() {
		at = i.ModTime().UnixNano()
	}
	return info{i.Name(), i.Size(), i.Mode(), at}
}

func (i info) Name() string               { return i.Name_ }
func (i info) Size() int64                { return i.Size_ }
func (i info) Mode() fs.FileMode          { return i.Mode_ }
func (i info) ModTime() time.Time         { return time.Unix(0, i.Time) }
func (i info) IsDir() bool                { return i.Mode_.IsDir() }
func (i info) Sys() any                   { return nil }
func (i info) Type() fs.FileMode          { return i.Mode_.Type() }
func (i info) Info() (fs.FileInfo, error) { return i, nil }

// A fileError is the error of an access.
type fileError struct {
	Kind string `json:"kind"` // missing, denied, invalid or other
	Text string `json:"text"`
	Op   string `json:"op,omitempty"` // of an fs.PathError
	Path string `json:"path,omitempty"`
}

var errorKinds = map[string]error{"missing": fs.ErrNotExist, "denied": fs.ErrPermission, "invalid": fs.ErrInvalid}

func fileErrorOf(err error) *fileError {
	if err == nil {
		return nil
	}
	e := &fileError{Kind: "other"}
	for kind, is := range errorKinds {
		if errors.Is(err, is) {
			e.Kind = kind
		}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		e.Op, e.Path, err = p.Op, p.Path, p.Err
	}
	e.Text = err.Error()
	return e
}

// kindError is an error of a kind with the text of the machine.
type kindError struct{ fileError }

func (e kindError) Error() string        { return e.Text }
func (e kindError) Is(target error) bool { return errorKinds[e.Kind] == target }

func (e *fileError) error() error {
	switch {
	case e == nil:
		return nil
	case e.Op == "":
		return kindError{*e}
	}
	return &fs.PathError{Op: e.Op, Path: e.Path, Err: kindError{*e}}
}

// disk answers questions about files.
type disk interface{ ask(a access) result }

// taped is a folder of which a disk answers all questions.
type taped struct {
	disk   disk
	folder int
	dir    string
	path   string // on a real disk; "" for none
}

func (t taped) ask(how, name string) (result, error) {
	if !fs.ValidPath(name) {
		return result{}, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	r := t.disk.ask(access{t.folder, how, path.Join(t.dir, name)})
	return r, r.Error.error()
}

// Dir returns the path of the folder for messages.
func (t taped) Dir() string { return t.path }

func (t taped) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, &fs.PathError{Op: "sub", Path: dir, Err: fs.ErrInvalid}
	}
	t.dir = path.Join(t.dir, dir)
	return t, nil
}

func (t taped) ReadFile(name string) ([]byte, error) {
	r, err := t.ask("text", name)
	return append([]byte(nil), r.text...), err
}

func (t taped) ReadDir(name string) ([]fs.DirEntry, error) {
	r, err := t.ask("dir", name)
	var list []fs.DirEntry
	for _, e := range r.Entries {
		list = append(list, e)
	}
	return list, err
}

func (t taped) Stat(name string) (fs.FileInfo, error)  { return t.info("info", name) }
func (t taped) Lstat(name string) (fs.FileInfo, error) { return t.info("lstat", name) }

func (t taped) info(how, name string) (fs.FileInfo, error) {
	r, err := t.ask(how, name)
	switch {
	case err != nil:
		return nil, err
	case r.Info == nil: // a damaged journal
		return nil, &fs.PathError{Op: how, Path: name, Err: fs.ErrNotExist}
	}
	return *r.Info, nil
}

func (t taped) ReadLink(name string) (string, error) {
	r, err := t.ask("link", name)
	return r.Link, err
}

// Open opens a file that is read as a whole, or a directory.
func (t taped) Open(name string) (fs.File, error) {
	i, err := t.Stat(name)
	if err != nil {
		return nil, err
	}
	f := &file{info: i}
	if i.IsDir() {
		f.entries, err = t.ReadDir(name)
	} else {
		f.rest, err = t.ReadFile(name)
	}
	return f, err
}

// A file is an open file in memory.
type file struct {
	info    fs.FileInfo
	rest    []byte
	entries []fs.DirEntry
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

func (f *file) Read(b []byte) (n int, err error) {
	if len(f.rest) == 0 {
		return 0, io.EOF
	}
	n = copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *file) ReadDir(n int) (list []fs.DirEntry, err error) {
	if n <= 0 || n > len(f.entries) {
		n = len(f.entries)
		if n == 0 {
			return nil, io.EOF
		}
	}
	list, f.entries = f.entries[:n], f.entries[n:]
	return list, nil
}

// Numbers of folders that are none of mods.
const (
	consoleFolder = 1 << 16 // of the command exec
	wholeDisk     = consoleFolder + 1
)

// folders is what a Recorder knows of files.
type folders struct {
	own      map[int]fs.FS
	told     map[access]answer // the newest results
	contents map[[sha256.Size]byte]uint64
	held     int // bytes of contents and results, as a Player counts them
	most     int // of them
}

// answer is a result as it was told.
type answer struct {
	text string // JSON
	size int    // bytes
}

func newFolders() folders {
	return folders{own: map[int]fs.FS{}, told: map[access]answer{}, contents: map[[sha256.Size]byte]uint64{}, most: maxHeld / 2}
}

// pathOf returns the path of a folder on a disk, or "".
func pathOf(f fs.FS) string {
	if d, ok := f.(interface{ Dir() string }); ok {
		return d.Dir()
	}
	return ""
}

// Paths returns the paths of folders of mods, for a Config.
func Paths(folders []fs.FS) (paths []string) {
	for _, f := range folders {
		paths = append(paths, pathOf(f))
	}
	return paths
}

// Folders returns folders of mods that record what is read.
func (r *Recorder) Folders(own []fs.FS) []fs.FS {
	list := make([]fs.FS, len(own))
	for i, f := range own {
		r.own[i] = f
		list[i] = folderOf(r, i, pathOf(f))
	}
	return list
}

// folderOf returns a folder of mods. Only one on a disk has a path.
func folderOf(d disk, i int, dir string) fs.FS {
	t := taped{disk: d, folder: i, dir: ".", path: dir}
	if dir == "" {
		return struct{ pathless }{t}
	}
	return t
}

// pathless is a folder without the method Dir.
type pathless interface {
	fs.ReadFileFS
	fs.ReadDirFS
	fs.StatFS
	fs.SubFS
	fs.ReadLinkFS
}

// Files returns the folder of the command exec.
func (r *Recorder) Files(own fs.FS) fs.FS {
	if own == nil {
		return nil
	}
	r.own[consoleFolder] = own
	return folderOf(r, consoleFolder, "")
}

// ReadFile reads a file of the whole disk.
func (r *Recorder) ReadFile(name string) ([]byte, error) {
	b, err := readFile(name)
	return b, r.note(access{wholeDisk, "text", name}, result{text: b, Error: fileErrorOf(err)}).Error.error()
}

func readFile(name string) ([]byte, error) { return os.ReadFile(name) }

// ask asks the disk, and records the answer if it is new.
func (r *Recorder) ask(a access) (found result) {
	own := r.own[a.folder]
	var err error
	var i fs.FileInfo
	switch a.how {
	case "text":
		found.text, err = fs.ReadFile(own, a.path)
	case "dir":
		var list []fs.DirEntry
		if list, err = fs.ReadDir(own, a.path); err == nil {
			for _, e := range list {
				if i, err := e.Info(); err == nil {
					found.Entries = append(found.Entries, infoOf(i))
				}
			}
		}
	case "info":
		i, err = fs.Stat(own, a.path)
	case "lstat":
		i, err = fs.Lstat(own, a.path)
	case "link":
		found.Link, err = fs.ReadLink(own, a.path)
	}
	if i != nil && err == nil {
		is := infoOf(i)
		found.Info = &is
	}
	found.Error = fileErrorOf(err)
	return r.note(a, found)
}

// note records a result that differs from the last one.
func (r *Recorder) note(a access, found result) result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out == nil {
		return found
	}
	if a.how == "text" && found.Error == nil {
		hash := sha256.Sum256(found.text)
		n, known := r.contents[hash]
		if !known {
			n = uint64(len(r.contents))
			r.contents[hash] = n
			r.putContent(found.text)
		}
		found.Content = &n
	}
	said := answer{string(encode(found)), found.size(a)}
	if before := r.told[a]; before.text != said.text {
		r.told[a] = said
		e := journal.Entry{Kind: journal.File, Number: uint64(a.folder), Name: a.how + " " + a.path, Data: []byte(said.text)}
		r.putFile(e, said.size-before.size)
	}
	return found
}

// putContent writes the content of a file.
func (r *Recorder) putContent(text []byte) {
	e := journal.Entry{Kind: journal.Content, Data: text}
	r.putFile(e, sizeOf(&e))
}

// putFile writes an entry about files, for which a Player keeps so many bytes more. A journal with
// more of them than a Player keeps ends. The caller holds the lock.
func (r *Recorder) putFile(e journal.Entry, more int) {
	if r.out == nil {
		return
	}
	if r.folders.held += more; r.folders.held > r.most {
		r.cut(fmt.Sprintf("the files of mods in it have more than %d MiB", r.most>>20))
		return
	}
	r.put(e)
}

// shelf has the files that a Player knows at the moment.
type shelf struct {
	contents [][]byte
	files    map[access]result
	held     int           // bytes of contents, files and marks
	own      map[int]fs.FS // folders that replace those of the journal
}

// add adds a Content or a File entry.
func (s *shelf) add(e journal.Entry) error {
	if e.Kind == journal.Content {
		s.held += sizeOf(&e)
		s.contents = append(s.contents, e.Data)
		return nil
	}
	var r result
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return fmt.Errorf("a file of the journal cannot be read: %w", err)
	}
	if r.Content != nil && *r.Content < uint64(len(s.contents)) {
		r.text = s.contents[*r.Content]
	}
	a := access{folder: int(min(e.Number, wholeDisk))}
	for i := range e.Name {
		if e.Name[i] == ' ' {
			a.how, a.path = e.Name[:i], e.Name[i+1:]
			break
		}
	}
	if old, known := s.files[a]; known {
		s.held -= old.size(a)
	}
	s.held += r.size(a)
	s.files[a] = r
	return nil
}

func (s *shelf) ask(a access) result {
	if own := s.own[a.folder]; own != nil {
		return (&Recorder{folders: folders{own: s.own}}).ask(a)
	}
	r, known := s.files[a]
	if !known {
		r.Error = &fileError{Kind: "missing", Text: "the journal does not have this file", Op: "open", Path: a.path}
	}
	return r
}

// Folders returns the folders of mods in the journal.
func (p *Player) Folders([]fs.FS) (list []fs.FS) {
	for i, dir := range p.Config.Folders {
		list = append(list, folderOf(&p.shelf, i, dir))
	}
	return list
}

// Replace uses other mods than those in the journal. It must be called before the server is made.
func (p *Player) Replace(mods fs.FS) {
	p.shelf.own = map[int]fs.FS{len(p.Config.Folders): mods}
	p.Config.Folders = append(p.Config.Folders, pathOf(mods))
}

// Files returns the folder of the command exec.
func (p *Player) Files(fs.FS) fs.FS {
	if !p.Config.Files {
		return nil
	}
	return folderOf(&p.shelf, consoleFolder, "")
}

// ReadFile returns a file of the recorded disk.
func (p *Player) ReadFile(name string) ([]byte, error) {
	r := p.shelf.ask(access{wholeDisk, "text", name})
	return r.text, r.Error.error()
}
