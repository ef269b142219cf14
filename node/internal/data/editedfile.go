package data

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
)

// maxWrong is how many wrong lines of a file are named. Further ones are counted.
const maxWrong = 10

// A Form is how the entries of a file look. Parse gets a line without its line end, and Format
// returns one.
type Form[T any] struct {
	Parse  func(line string) (T, error)
	Format func(T) string
}

// A Reading reads a file again. changed is false if it is as before. The text is what is read,
// with the changes that the file lacks because they could not be saved.
type Reading func() (text string, changed bool, err error)

// An Editor is how a program learns of the changes of people. The zero value has the usual one.
type Editor struct {
	// Ask stands between a file and its disk, such as for a journal. nil: the disk is read.
	Ask func(Reading) (text string, changed bool, err error)
	// Wrong gets a sentence for each line that cannot be used; nil discards them.
	Wrong func(error)
}

// An EditedFile is a list that people edit in a file while a program changes it: one entry per
// line. Empty lines, lines that begin with #, and lines that are wrong are kept in their places.
// They have no effect. Before each change the file is read again, so that the changes of both are
// kept.
//
// The zero value is an empty list without a file.
type EditedFile[T any] struct {
	path    string
	form    Form[T]
	editor  Editor
	lines   []line[T]
	disk    string      // the text of the file, when it was last read or written
	unsaved []change[T] // that the file lacks
	version uint64
}

// A line is one of the file, with its line end.
type line[T any] struct {
	text    string
	entry   T
	isEntry bool
}

// A change replaces or removes entries.
type change[T any] struct {
	old  func(T) bool
	put  T
	puts bool
}

// OpenEdited reads a file. A missing file is an empty list. Wrong lines are no error.
func OpenEdited[T any](path string, form Form[T], editor Editor) (*EditedFile[T], error) {
	f := &EditedFile[T]{path: path, form: form, editor: editor}
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	f.disk = text
	f.report(f.parse(text))
	return f, nil
}

// All returns the entries, in the order of the file.
func (f *EditedFile[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, l := range f.lines {
			if l.isEntry && !yield(l.entry) {
				return
			}
		}
	}
}

// Version is another number after each change of the entries, 0 before the first one. An index of
// the entries is old when the version has changed.
func (f *EditedFile[T]) Version() uint64 { return f.version }

// Put puts an entry in the place of the old ones, or at the end, and saves the file.
func (f *EditedFile[T]) Put(entry T, old func(T) bool) error {
	err := f.refresh()
	return f.change(change[T]{old, entry, true}, err)
}

// Remove removes entries and saves the file. It reports whether there were any.
func (f *EditedFile[T]) Remove(old func(T) bool) (bool, error) {
	err := f.refresh()
	for entry := range f.All() {
		if old(entry) {
			return true, f.change(change[T]{old: old}, err)
		}
	}
	return false, err
}

// Reread reads what people have changed in the file. The error also has the lines that are wrong.
func (f *EditedFile[T]) Reread() error {
	if err := f.refresh(); err != nil || f.path == "" {
		return err
	}
	return errors.Join(f.parse(f.text())...)
}

// refresh reads the file again if it has changed.
func (f *EditedFile[T]) refresh() error {
	if f.path == "" {
		return nil
	}
	ask := f.editor.Ask
	if ask == nil {
		ask = func(own Reading) (string, bool, error) { return own() }
	}
	text, changed, err := ask(f.again)
	if err == nil && changed {
		f.report(f.parse(text))
	}
	return err
}

// again is a Reading.
func (f *EditedFile[T]) again() (text string, changed bool, err error) {
	if text, err = f.read(); err != nil || text == f.disk {
		return "", false, err
	}
	f.disk = text
	fresh := EditedFile[T]{path: f.path, form: f.form}
	fresh.parse(text)
	for _, c := range f.unsaved {
		fresh.apply(c)
	}
	return fresh.text(), true, nil
}

// read reads the file.
func (f *EditedFile[T]) read() (string, error) {
	text, err := Read(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// change makes a change. Without an error so far it saves the file: a file that cannot be read is
// not replaced.
func (f *EditedFile[T]) change(c change[T], err error) error {
	f.apply(c)
	if f.path == "" {
		return nil
	}
	f.unsaved = append(f.unsaved, c)
	text := f.text()
	if err == nil {
		err = Save(f.path, text)
	}
	if err != nil {
		return fmt.Errorf("the change holds until the server ends, but cannot be saved: %w", err)
	}
	f.disk, f.unsaved = text, nil
	return nil
}

// apply applies a change to the lines.
func (f *EditedFile[T]) apply(c change[T]) {
	var lines []line[T]
	for _, l := range f.lines {
		if !l.isEntry || !c.old(l.entry) {
			lines = append(lines, l)
		} else if c.puts {
			lines = append(lines, f.line(c.put))
			c.puts = false
		}
	}
	if c.puts {
		lines = append(lines, f.line(c.put))
	}
	f.lines = lines
	f.version++
}

// line returns the line of an entry.
func (f *EditedFile[T]) line(entry T) line[T] {
	text := ""
	if f.path != "" {
		text = f.form.Format(entry) + "\n"
	}
	return line[T]{text, entry, true}
}

// text returns the text of the file. Its last line can lack the line end, and no other.
func (f *EditedFile[T]) text() string {
	var b strings.Builder
	for i, l := range f.lines {
		b.WriteString(l.text)
		if i+1 < len(f.lines) && !strings.HasSuffix(l.text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// parse sets the lines, and returns a sentence for each wrong one.
func (f *EditedFile[T]) parse(text string) (wrong []error) {
	f.lines = f.lines[:0:0]
	f.version++
	number, more := 0, 0
	for whole := range strings.Lines(text) {
		number++
		l := line[T]{text: whole}
		if words := strings.TrimSpace(whole); words != "" && words[0] != '#' {
			var err error
			l.entry, err = f.form.Parse(strings.TrimRight(whole, "\r\n"))
			l.isEntry = err == nil
			switch {
			case err == nil:
			case len(wrong) == maxWrong:
				more++
			default:
				wrong = append(wrong, fmt.Errorf("%s:%d: %w: the line has no effect", f.path, number, err))
			}
		}
		f.lines = append(f.lines, l)
	}
	if more > 0 {
		wrong = append(wrong, fmt.Errorf("%s: %d more lines have no effect", f.path, more))
	}
	return wrong
}

// report reports wrong lines.
func (f *EditedFile[T]) report(wrong []error) {
	if f.editor.Wrong == nil {
		return
	}
	for _, err := range wrong {
		f.editor.Wrong(err)
	}
}
