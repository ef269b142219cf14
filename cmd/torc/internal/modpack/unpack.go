package modpack

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// unpack writes the files of an archive into a folder, and returns the name of the folder in the
// archive. After an error the folder holds a part of them.
func unpack(r io.Reader, to *os.Root) (name string, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return "", errors.New("it is not a gzip file")
	}
	// The headers of the format count, too: more than that is not a mod, whatever the entries say.
	t, n := tar.NewReader(io.LimitReader(z, MaxBytes+MaxFiles<<12)), tally{}
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF && name == "":
			return "", errors.New("it is empty")
		case err == io.EOF:
			return name, nil
		case err != nil:
			return "", fmt.Errorf("it is damaged: %v", err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		top, file, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(h.Name, "/"), "./"), "/")
		if top == "" || top == ".." {
			return "", fmt.Errorf("%q is not a path inside the mod", h.Name)
		}
		if name == "" {
			name = top
		}
		if top != name {
			return "", fmt.Errorf("it has two folders, %q and %q; it must have one, the mod", name, top)
		}
		if err := unpackEntry(t, h, file, to, &n); err != nil {
			return "", err
		}
	}
}

// unpackEntry writes one file of an archive.
func unpackEntry(t *tar.Reader, h *tar.Header, file string, to *os.Root, n *tally) error {
	if h.Typeflag == tar.TypeDir && file == "" {
		return nil
	}
	if err := checkName(file); err != nil {
		return err
	}
	if err := n.add(file, h.Size); err != nil {
		return err
	}
	switch {
	case h.Typeflag == tar.TypeDir || hidden(file):
		return nil // folders are made for their files
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%s is a link or a device; an archive may hold regular files only", file)
	}
	if err := to.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := to.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, t)
	return errors.Join(err, f.Close())
}
