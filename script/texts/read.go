package texts

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/torc-engine/torc/internal/boundtoml"
	"github.com/torc-engine/torc/internal/names"
)

// Folder is the folder of the tables in that of a mod.
const Folder = "texts"

// Limits of the tables of a mod.
const (
	MaxLanguages = 32
	MaxBytes     = 256 << 10 // of all tables of a mod; one table has boundtoml.MaxSize at most
	MaxKeys      = 1000      // of a table
	MaxKey       = 64        // bytes of a key
	MaxText      = 512       // bytes of a text
	maxPlaces    = 20        // arguments in a text: with its isolates it is still a tag
)

// isLanguage reports whether a text is a language with a script and a region at most, such as
// "zh-Hant-TW".
func isLanguage(text string) bool {
	parts := strings.Split(text, "-")
	if n := len(parts[0]); n < 2 || n > 3 || !within(parts[0], 'a', 'z') {
		return false
	}
	parts = parts[1:]
	if len(parts) > 0 && len(parts[0]) == 4 && within(parts[0][:1], 'A', 'Z') && within(parts[0][1:], 'a', 'z') {
		parts = parts[1:]
	}
	if len(parts) > 0 && (len(parts[0]) == 2 && within(parts[0], 'A', 'Z') || len(parts[0]) == 3 && within(parts[0], '0', '9')) {
		parts = parts[1:]
	}
	return len(parts) == 0
}

// within reports whether each byte of a text is one of lo…hi.
func within(text string, lo, hi byte) bool {
	for i := range len(text) {
		if text[i] < lo || text[i] > hi {
			return false
		}
	}
	return true
}

// isKey reports whether a text can be a key.
func isKey(text string) bool {
	for i := range len(text) {
		if !names.Small(text[i]) {
			return false
		}
	}
	return 0 < len(text) && len(text) <= MaxKey && within(text[:1], 'a', 'z')
}

// A Problem is a mistake in a table.
type Problem struct {
	File string // path in the folder of the mod
	Line int    // from 1
	Text string // what is wrong, as a sentence
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// Options are what Read needs besides the files.
type Options struct {
	// Plural returns the function that names the plural form of a number in a language. nil: all
	// numbers have the form other.
	Plural func(language string) func(n float64) string
	// Saw gets each file that is read. It can be nil.
	Saw func(file string, content []byte)

	cache *Cache // nil: each file is parsed
}

// Read reads the tables in the folder of a mod, and returns what is wrong with them, in the order
// of the files. A table or a key with a mistake is left out. The result is nil without tables.
func Read(dir fs.FS, o Options) (*Tables, []Problem) {
	entries, err := fs.ReadDir(dir, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := reader{o: o, dir: dir, tables: &Tables{byLanguage: map[string]*LanguageTable{}}}
	if err != nil {
		r.wrong(Folder, 1, "%v", err)
		return nil, r.problems
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") {
			files = append(files, e.Name())
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	slices.Sort(files)
	for i, name := range files {
		if i == MaxLanguages {
			r.wrong(path.Join(Folder, name), 1, "a mod can have at most %d languages", MaxLanguages)
			break
		}
		r.read(path.Join(Folder, name), strings.TrimSuffix(name, ".toml"))
	}
	if r.tables.byLanguage[English] == nil && len(r.problems) == 0 {
		r.wrong(path.Join(Folder, "en.toml"), 1, "the file is missing: English is the language of consoles, and of readers whose language no table has")
	}
	slices.Sort(r.tables.languages)
	return r.tables, r.problems
}

// A reader reads the tables of a mod.
type reader struct {
	o        Options
	dir      fs.FS
	tables   *Tables
	size     int
	problems []Problem
}

func (r *reader) wrong(file string, line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{file, line, fmt.Sprintf(format, args...)})
}

// read reads the table of a language.
func (r *reader) read(file, language string) {
	if !isLanguage(language) {
		r.wrong(file, 1, "%q must be a language such as en, pt or pt-BR", cut(language))
		return
	}
	content, err := r.content(file)
	if err != nil {
		r.wrong(file, 1, "%v", err)
		return
	}
	if r.o.Saw != nil {
		r.o.Saw(file, content)
	}
	if t := r.o.cache.find(file, content); t != nil {
		r.tables.add(t)
		return
	}
	text := strings.TrimPrefix(string(content), "\ufeff") // Windows editors write a byte order mark
	var raw map[string]any
	if _, err := boundtoml.Decode(text, &raw); err != nil {
		line, why := lineOf(err)
		r.wrong(file, line, "%s", why)
		return
	}
	t := &LanguageTable{Language: language, File: file, entries: map[string]*Entry{}, leftward: writesLeftward(language)}
	if r.o.Plural != nil {
		t.form = r.o.Plural(language)
	}
	before := len(r.problems)
	r.fill(t, text, raw)
	r.tables.add(t)
	if len(r.problems) == before {
		r.o.cache.keep(t, content)
	}
}

// content returns the bytes of a file, if the mod may have as many.
func (r *reader) content(file string) ([]byte, error) {
	info, err := fs.Stat(r.dir, file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > boundtoml.MaxSize:
		return nil, boundtoml.SizeError()
	}
	if r.size += int(info.Size()); r.size > MaxBytes {
		return nil, fmt.Errorf("the tables of a mod can have at most %d KiB", MaxBytes>>10)
	}
	return fs.ReadFile(r.dir, file)
}

// lineOf returns the line of an error of the parser, and the error without it.
func lineOf(err error) (line int, why string) {
	var bound *boundtoml.LineError
	var bad toml.ParseError
	switch {
	case errors.As(err, &bound):
		return bound.Line, bound.Err.Error()
	case errors.As(err, &bad):
		return max(1, bad.Position.Line), strings.ToValidUTF8(bad.Message, "\ufffd")
	}
	return 1, err.Error()
}

// fill adds the keys of a file to its table.
func (r *reader) fill(t *LanguageTable, text string, raw map[string]any) {
	keys := make([]string, 0, len(raw))
	for key := range raw { // any order: it is sorted
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if len(keys) > MaxKeys {
		r.wrong(t.File, 1, "the table has %d keys: must be at most %d", len(keys), MaxKeys)
		return
	}
	lines := linesOf(text)
	for _, key := range keys {
		line := max(1, lines[key])
		if !isKey(key) {
			r.wrong(t.File, line, "the key %q must be 1 to %d of a–z, 0–9 and _, and begin with a letter", cut(key), MaxKey)
			continue
		}
		e, err := newEntry(raw[key])
		if err != nil {
			r.wrong(t.File, line, "%s %v", key, err)
			continue
		}
		e.Line = line
		t.entries[key] = e
	}
}

// linesOf returns the first line of each key, counted from 1. In a text of several lines it can
// take a line for a key. The first one counts, so that a key is found where it stands in most
// files.
func linesOf(text string) map[string]int {
	lines, n := map[string]int{}, 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimLeft(strings.TrimLeft(strings.TrimLeft(line, " \t"), "["), " \t\"'")
		key := line
		if end := strings.IndexAny(line, " \t\r\n.=]\"'"); end >= 0 {
			key = line[:end]
		}
		if lines[key] == 0 {
			lines[key] = n
		}
	}
	return lines
}
