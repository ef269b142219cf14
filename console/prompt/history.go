package prompt

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

const (
	historyLines   = 500     // number of lines kept from one run to the next
	maxHistoryRead = 1 << 20 // bytes read from the end of the file
)

// A historyFile is the file of typed lines. Only its owner can read it.
type historyFile struct {
	file *os.File // nil: no history is kept
	last string   // the last added line
}

// openHistory opens the file and returns its newest lines, oldest first.
func openHistory(path string) (*historyFile, []string, error) {
	if path == "" {
		return &historyFile{}, nil, nil
	}
	text, cut, err := tail(path)
	if err != nil {
		return nil, nil, err
	}
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 2*historyLines || cut {
		lines = lines[max(0, len(lines)-historyLines):]
		if err := rewrite(path, lines); err != nil {
			return nil, nil, err
		}
	}
	lines = lines[max(0, len(lines)-historyLines):]
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err := file.Chmod(0o600); err != nil { // an older version may have created it with other rights
		file.Close()
		return nil, nil, err
	}
	return &historyFile{file: file}, lines, nil
}

// tail returns the last lines of a file. cut reports whether the file has more. A
// missing file has no lines.
func tail(path string) (text []byte, cut bool, err error) {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return nil, false, nil
	}
	if err == nil && !info.Mode().IsRegular() { // opening a named pipe would block
		err = errors.New(path + ": the history must be a regular file")
	}
	if err != nil {
		return nil, false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	from := max(0, info.Size()-maxHistoryRead)
	text, err = io.ReadAll(io.NewSectionReader(f, from, maxHistoryRead))
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text, from > 0, err
}

// rewrite replaces the content of the file.
func rewrite(path string, lines []string) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// add appends a line unless it repeats the last one. It ignores write errors such
// as a full disk, because the console must go on.
func (h *historyFile) add(line string) {
	if h.file != nil && line != h.last {
		_, _ = h.file.WriteString(line + "\n")
	}
	h.last = line
}

func (h *historyFile) close() {
	if h.file != nil {
		h.file.Close()
	}
}
