package keys

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

// Identity reads the identity file at path, or creates it with mode 0600. A file that other users
// can access is an error. A file that cannot be read is an error and is never overwritten, because
// a lost key cannot be restored.
func Identity(path string, entropy io.Reader) (seal.KeyPair, error) {
	id, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(path, entropy)
	}
	return id, err
}

func read(path string) (id seal.KeyPair, err error) {
	text, err := data.Read(path)
	if err != nil {
		return id, fmt.Errorf("the identity cannot be read: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return id, fmt.Errorf("the identity cannot be read: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return id, fmt.Errorf("%s has mode %04o, so other users can read or change the private key: run chmod 600 on it, or remove it to get a new identity", path, mode)
	}
	if err := id.UnmarshalText(text); err != nil {
		return id, fmt.Errorf("%s: %w; repair it, or remove it to get a new identity", path, err)
	}
	return id, nil
}

// create writes a new identity. The file appears complete or not at all. If two programs start at
// the same time, the second reads the file of the first.
func create(path string, entropy io.Reader) (seal.KeyPair, error) {
	id, err := seal.NewIdentity(entropy)
	if err != nil {
		return id, err
	}
	text, err := id.MarshalText()
	if err != nil {
		return id, err
	}
	whole, err := data.Beside(path, string(text)+"\n")
	if err != nil {
		return id, fmt.Errorf("the identity cannot be written: %w", err)
	}
	defer os.Remove(whole)
	switch err := os.Link(whole, path); {
	case errors.Is(err, fs.ErrExist):
		return read(path)
	case err != nil: // a file system without links
		err = os.Rename(whole, path)
		if err != nil {
			return id, fmt.Errorf("the identity cannot be written: %w", err)
		}
	}
	return id, nil
}
