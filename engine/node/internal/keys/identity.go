package keys

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/torc-engine/torc/engine/node/internal/data"
	"github.com/torc-engine/torc/netcore/seal"
)

// Identity reads the identity file at path, or creates it with mode 0600. A file that cannot be
// read is an error and is never overwritten, because a lost key cannot be restored.
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
