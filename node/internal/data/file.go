package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the maximum size of a small file in bytes. Such a file is read into memory.
const maxFile = 16 << 20

// Exists reports whether there is a file or folder. A link whose target is missing is an error, and
// not a missing file: a new file would hide what is on a volume that is not mounted.
func Exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	target, err := os.Readlink(path)
	if err != nil {
		return false, nil
	}
	return false, fmt.Errorf("%s is a link to %s, and there is nothing: is its volume mounted? To begin anew, remove the link", path, target)
}

// byteOrderMark is what editors of Windows write before the text of a file.
var byteOrderMark = []byte("\ufeff")

// Read reads a small file, without its byte order mark. It fails if the file is missing
// (fs.ErrNotExist), is larger than 16 MiB, is a link whose target is missing, or is not a regular
// file: opening a pipe would block.
func Read(path string) ([]byte, error) {
	if _, err := Exists(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	return bytes.TrimPrefix(text, byteOrderMark), err
}

// Lines calls parse with each line of a small file, without its line end. It skips empty lines. A
// missing file has no lines. The error names the file and the line.
func Lines(path string, parse func(line string) error) error {
	text, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
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

// Append adds a line to a file (0600). It does not wait for the disk: after a power failure the
// newest lines can be missing or cut off.
func Append(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// Save writes a file (0600). A reader finds either all of the text or the previous content, also
// after a power failure.
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

// Beside writes a text to a new file (0600) in the folder of path, syncs it, and returns its name.
// The caller renames or removes the file.
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
