package pictures

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/internal/names"
)

// Folder is the folder of the pictures in that of a mod.
const Folder = "pictures"

// MaxName is how many bytes the name of a picture has at most.
const MaxName = 64

// endings are those of the files. The content decides about the type.
var endings = []string{".png", ".jpg", ".jpeg", ".webp"}

// A Set has the pictures of a mod. A nil one has none.
type Set struct {
	byName map[string]*picture.Picture
	names  []string // sorted
}

// Find returns the picture with a name, or nil.
func (s *Set) Find(name string) *picture.Picture {
	if s == nil {
		return nil
	}
	return s.byName[name]
}

// Names lists the names of the pictures, sorted. The caller must not change the list.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return s.names
}

// A Problem is a mistake in a file, or in the folder.
type Problem struct {
	File string // path in the folder of the mod
	Text string // what is wrong, as a sentence
}

func (p Problem) Error() string { return p.File + ": " + p.Text }

// Read reads the pictures in the folder of a mod, and returns what is wrong with them, in the order
// of the files. A file with a mistake is left out. saw gets each file that is read; it can be nil.
// The result is nil without pictures.
func Read(dir fs.FS, saw func(file string, content []byte)) (*Set, []Problem) {
	entries, err := fs.ReadDir(dir, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{{Folder, err.Error()}}
	}
	r := reader{dir: dir, saw: saw, set: &Set{byName: map[string]*picture.Picture{}}}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // of an editor or of the operating system
		}
		file := path.Join(Folder, e.Name())
		if err := r.read(file, e.Name()); err != nil {
			r.problems = append(r.problems, Problem{file, err.Error()})
		}
	}
	slices.Sort(r.set.names)
	if len(r.set.names) == 0 {
		r.set = nil
	}
	return r.set, r.problems
}

// A reader reads the pictures of a mod.
type reader struct {
	dir      fs.FS
	saw      func(file string, content []byte)
	set      *Set
	bytes    int
	problems []Problem
}

// read reads a file.
func (r *reader) read(file, base string) error {
	name, err := nameOf(base)
	if err != nil {
		return err
	}
	info, err := fs.Stat(r.dir, file)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() > picture.MaxBytes:
		return fmt.Errorf("it has %d bytes: must be at most %d", info.Size(), picture.MaxBytes)
	case r.set.byName[name] != nil:
		return fmt.Errorf("another file has the name %q, too", name)
	case len(r.set.names) == picture.MaxCount:
		return fmt.Errorf("a mod can have at most %d pictures", picture.MaxCount)
	}
	if r.bytes += int(info.Size()); r.bytes > picture.MaxAll {
		return fmt.Errorf("the pictures of a mod can have at most %d KiB", picture.MaxAll>>10)
	}
	content, err := fs.ReadFile(r.dir, file)
	if err != nil {
		return err
	}
	if r.saw != nil {
		r.saw(file, content)
	}
	p, err := picture.Read(content)
	if err != nil {
		return err
	}
	r.set.byName[name] = p
	r.set.names = append(r.set.names, name)
	return nil
}

// nameOf returns the name of the picture in a file.
func nameOf(base string) (string, error) {
	ending := path.Ext(base)
	if !slices.Contains(endings, strings.ToLower(ending)) {
		return "", fmt.Errorf("its name must end in %s", strings.Join(endings, ", "))
	}
	name := strings.TrimSuffix(base, ending)
	if !isName(name) {
		return "", fmt.Errorf("the name before %s must be 1 to %d of a–z, 0–9, _ and -", ending, MaxName)
	}
	return name, nil
}

func isName(text string) bool {
	for i := range len(text) {
		if !names.Small(text[i]) && text[i] != '-' {
			return false
		}
	}
	return 0 < len(text) && len(text) <= MaxName
}
