package manifest

import (
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/spell"
)

const (
	maxFiles    = 2000    // a folder with more Lua files is not checked
	maxSize     = 4 << 20 // larger files are not read, and count as unreadable, in bytes
	maxMistakes = 10      // of one mod
)

// A Mistake is a mistake in the files of a mod.
type Mistake struct {
	Path string // in the mod's folder; "." for the whole folder
	Text string
}

// running names the files that torc runs without being asked.
const running = "server/init.lua, client/init.lua, shared/*.lua and missions/*.lua"

// Files are the Lua files of a mod's folder. Each is read once.
type Files struct {
	dir    fs.FS
	names  []string // without hidden folders and test/
	nested []string // manifests in sub-folders
	texts  map[string]string
	failed map[string]bool // files that cannot be read
}

// FilesOf finds the Lua files of a folder.
func FilesOf(dir fs.FS) *Files {
	f := &Files{dir: dir, texts: map[string]string{}, failed: map[string]bool{}}
	f.names, f.nested = walk(dir)
	return f
}

// text returns the text of a file. ok is false if the file cannot be read.
func (f *Files) text(name string) (text string, ok bool) {
	text, known := f.texts[name]
	if !known {
		text, ok = read(f.dir, name)
		f.texts[name], f.failed[name] = text, !ok
	}
	return text, !f.failed[name]
}

// Mistakes returns the mistakes of a mod's folder, in order of their paths, at most 10.
func (f *Files) Mistakes() (list []Mistake) {
	names := f.names
	for _, name := range f.nested {
		list = append(list, Mistake{name, "torc does not read this file: the folder of a mod must lie directly in a folder of mods"})
	}
	switch {
	case len(names) > maxFiles:
	case !slices.ContainsFunc(names, runs):
		text := "the mod has no code that runs: torc runs " + running
		if len(names) > 0 {
			text += ", not " + names[0]
		}
		list = append(list, Mistake{".", text})
	default:
		list = append(list, f.unused()...)
	}
	return list[:min(len(list), maxMistakes)]
}

// walk returns the Lua files of a folder, and the manifests in its sub-folders. Hidden folders and
// test/ are left out.
func walk(dir fs.FS) (lua, nested []string) {
	_ = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the access to the file reports it
		case d.IsDir() && (name == "test" || name != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir():
		case strings.HasSuffix(name, ".lua"):
			lua = append(lua, name)
		case d.Name() == "mod.toml" && name != d.Name():
			nested = append(nested, name)
		}
		return nil
	})
	return lua, nested
}

// runs reports whether torc runs a file without being asked.
func runs(name string) bool {
	folder, _, _ := strings.Cut(name, "/")
	return name == "server/init.lua" || name == "client/init.lua" || folder == "missions" || path.Dir(name) == "shared"
}

// meansToRun reports whether a file is certainly meant to run: it is in a folder of code, or its
// name is nearly init.lua. Other files can be tools and examples.
func meansToRun(name string) bool {
	folder, _, nested := strings.Cut(strings.ToLower(name), "/")
	if nested {
		return folder == "server" || folder == "client" || folder == "shared"
	}
	return folder[0] == 'i' && spell.Distance(folder, "init.lua") <= 1
}

// unused returns the Lua files that torc does not run, and should, and that no file names in
// require or exec. It returns none if a file computes such a name or cannot be read.
func (f *Files) unused() (list []Mistake) {
	var first, others, suspects []string
	for _, name := range f.names {
		if runs(name) {
			first = append(first, name)
			continue
		}
		others = append(others, name)
		if meansToRun(name) {
			suspects = append(suspects, name)
		}
	}
	named := map[string]bool{}
	for _, name := range append(first, others...) { // the first ones name most of the others
		if suspects = slices.DeleteFunc(suspects, func(name string) bool { return named[name] }); len(suspects) == 0 {
			return nil
		}
		if text, ok := f.text(name); !ok || !addNamed(named, text) {
			return nil
		}
	}
	for _, name := range suspects {
		if !named[name] {
			module := strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), "/", ".")
			list = append(list, Mistake{name, fmt.Sprintf("nothing runs this file: torc runs %s, and no other file requires %q", running, module)})
		}
	}
	return list
}

// read returns the text of a file. ok is false if the file cannot be read.
func read(dir fs.FS, name string) (text string, ok bool) {
	if info, err := fs.Stat(dir, name); err != nil || info.Size() > maxSize {
		return "", false
	}
	all, err := fs.ReadFile(dir, name)
	return string(all), err == nil
}

// literal returns the argument of require and exec, if it is a literal, and the text behind it.
func literal(text string) (value, rest string, ok bool) {
	text = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(text, spaces), "("), spaces)
	for _, quotes := range [][2]string{{`"`, `"`}, {"'", "'"}, {"[[", "]]"}} {
		if begun, is := strings.CutPrefix(text, quotes[0]); is {
			value, rest, ok = strings.Cut(begun, quotes[1])
			return value, rest, ok && value != "" && !strings.ContainsAny(value, "\n")
		}
	}
	return "", "", false
}

const spaces = " \t\n\f\r"

// addNamed adds the files that a text names in require and exec. It returns false if a name is
// computed.
func addNamed(to map[string]bool, text string) bool {
	for _, word := range []string{"require", "exec"} {
		for rest := range uses(text, word) {
			name, after, ok := literal(rest)
			if !ok || strings.HasPrefix(strings.TrimSpace(after), "..") {
				return false
			}
			module := strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), ".", "/")
			to[name], to[module+".lua"], to[module+"/init.lua"] = true, true, true
		}
	}
	return true
}

// uses yields the text after each place that has a word as a whole name.
func uses(text, word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for before := byte(0); ; {
			i := strings.Index(text, word)
			if i < 0 {
				return
			}
			if i > 0 {
				before = text[i-1]
			}
			text = text[i+len(word):]
			if !inName(before) && (text == "" || !inName(text[0])) && !yield(text) {
				return
			}
			before = word[len(word)-1]
		}
	}
}

func inName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Mentions returns how often the files use some names, also in strings and in definitions. Lines
// that are only a comment do not count.
func (f *Files) Mentions(names ...string) (n int) {
	for _, file := range f.names[:min(len(f.names), maxFiles)] {
		text, _ := f.text(file)
		for _, name := range names {
			n += mentions(text, name)
		}
	}
	return n
}

// mentions returns how often a text uses a name.
func mentions(text, name string) (n int) {
	if !strings.Contains(text, name) {
		return 0
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			for range uses(line, name) {
				n++
			}
		}
	}
	return n
}
