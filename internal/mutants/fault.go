package mutants

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fault is one planted mistake: what it changes, and which tests must notice.
type fault struct {
	name  string // unique, lower case, with hyphens
	why   string // the mistake and its consequence
	tests []tests
	edits []edit
	where string // file and line of its entry
}

// tests are the tests of one package that must fail.
type tests struct {
	dir   string // relative to the module, "./netcore"
	names []string
}

// edit replaces lines of one source file.
type edit struct {
	file     string // relative to the module
	old, new string // whole lines
}

// readFaults reads all tables of a folder, in the order of their names.
func readFaults(dir string) (all []fault, err error) {
	names, err := fs.Glob(os.DirFS(dir), "*.txt")
	if err != nil {
		return nil, err
	}
	taken := map[string]string{}
	for _, name := range names {
		list, err := readTable(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if first, twice := taken[f.name]; twice {
				return nil, fmt.Errorf("%s: fault %s is already at %s", f.where, f.name, first)
			}
			taken[f.name] = f.where
		}
		all = append(all, list...)
	}
	return all, nil
}

// readTable reads the faults of one file.
func readTable(path string) (list []fault, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line, where := lines.Text(), fmt.Sprintf("%s:%d", filepath.Base(path), n)
		name, begins := strings.CutPrefix(line, "fault ")
		switch {
		case begins:
			list = append(list, fault{name: name, where: where})
		case line == "" || strings.HasPrefix(line, "#"):
		case len(list) == 0:
			return nil, fmt.Errorf("%s: %q stands before the first fault", where, line)
		default:
			if err := list[len(list)-1].add(line); err != nil {
				return nil, fmt.Errorf("%s: %w", where, err)
			}
		}
	}
	for _, f := range list {
		if f.why == "" || len(f.tests) == 0 || len(f.edits) == 0 {
			return nil, fmt.Errorf("%s: fault %s needs the lines why, test and file", f.where, f.name)
		}
	}
	return list, lines.Err()
}

// add takes one line of the fault's entry.
func (f *fault) add(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "why":
		f.why = rest
	case word == "test":
		words := strings.Fields(rest)
		if len(words) < 2 {
			return fmt.Errorf("%q: want a folder and at least one test", line)
		}
		f.tests = append(f.tests, tests{words[0], words[1:]})
	case word == "file":
		f.edits = append(f.edits, edit{file: rest})
	case len(f.edits) > 0 && strings.ContainsAny(line[:1], " -+"):
		f.edits[len(f.edits)-1].add(line[0], line[1:]+"\n")
	default:
		return fmt.Errorf("%q: want why, test, file, or a line that begins with a space, - or +", line)
	}
	return nil
}

// add takes a line as a diff has it: removed, added, or kept.
func (e *edit) add(kind byte, line string) {
	if kind != '+' {
		e.old += line
	}
	if kind != '-' {
		e.new += line
	}
}

// apply returns the changed source. The old lines must occur exactly once.
func (e edit) apply(source string) (string, error) {
	before, after, found := strings.Cut("\n"+source, "\n"+e.old)
	switch {
	case e.old == "" || e.old == e.new:
		return "", fmt.Errorf("%s: the edit changes nothing", e.file)
	case !found:
		return "", fmt.Errorf("%s has no lines\n%s", e.file, e.old)
	case strings.Contains("\n"+after, "\n"+e.old):
		return "", fmt.Errorf("%s has more than once the lines\n%s", e.file, e.old)
	}
	return strings.TrimPrefix(before+"\n"+e.new, "\n") + after, nil
}

// sources returns the changed text of each file that the fault changes.
func (f fault) sources(root string) (map[string]string, error) {
	changed := map[string]string{}
	for _, e := range f.edits {
		source, known := changed[e.file]
		if !known {
			text, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, fmt.Errorf("fault %s: %w", f.name, err)
			}
			source = string(text)
		}
		text, err := e.apply(source)
		if err != nil {
			return nil, fmt.Errorf("fault %s: %w", f.name, err)
		}
		changed[e.file] = text
	}
	return changed, nil
}
