package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the most that a small file of the folder may hold, in bytes: all of it is read into memory.
const maxFile = 16 << 20

// Read reads a small file: more than 16 MiB is an error, as is a file that is missing (fs.ErrNotExist), and what is none: to
// open a pipe would be to wait for somebody.
func Read(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	return text, err
}

// Lines hands each line of a small file that is not empty to parse, without its end; a file that is missing has none.
// The error names the file and the line.
func Lines(path string, parse func(line string) error) error {
	text, err := Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if err := parse(line); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	return nil
}

// Save replaces a file, or makes it (0600): who reads it, also after the end of the power, finds all of the text or what
// was there before.
func Save(path, text string) error {
	fresh, err := Beside(path, text)
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		os.Remove(fresh)
		return err
	}
	return nil
}

// Beside writes a text, safe on the disk, to a new file (0600) in the folder of path, and returns the name of that. What
// becomes of it is up to the caller.
func Beside(path, text string) (fresh string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".torc-*") // 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
