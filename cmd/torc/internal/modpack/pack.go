package modpack

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Packed describes an archive, or the files of a mod.
type Packed struct {
	Files  int
	Bytes  int64  // of the files
	SHA256 string // 64 hexadecimal digits
}

// Pack writes the archive of the mod in dir.
func Pack(w io.Writer, dir fs.FS, name string) (Packed, error) {
	sum := sha256.New()
	z, err := gzip.NewWriterLevel(io.MultiWriter(w, sum), gzip.BestCompression)
	if err != nil {
		return Packed{}, err
	}
	p, err := writeTar(z, dir, name)
	if err != nil {
		return p, err
	}
	if err := z.Close(); err != nil {
		return p, err
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// sumFiles returns the SHA-256 of a mod's files: of the tar file that Pack would compress.
func sumFiles(dir fs.FS, name string) (string, error) {
	sum := sha256.New()
	if _, err := writeTar(sum, dir, name); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writeTar writes the files of dir that are not hidden, sorted by name, below a folder name.
func writeTar(w io.Writer, dir fs.FS, name string) (p Packed, err error) {
	t, n := tar.NewWriter(w), tally{}
	err = fs.WalkDir(dir, ".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file == ".":
			return nil
		case hidden(file) && e.IsDir():
			return fs.SkipDir
		case hidden(file) || e.IsDir():
			return nil
		}
		size, err := writeFile(t, dir, file, path.Join(name, file), &n)
		p.Files++
		p.Bytes += size
		return err
	})
	if err != nil {
		return p, err
	}
	return p, t.Close()
}

// writeFile writes one file, and returns its size.
func writeFile(t *tar.Writer, dir fs.FS, file, name string, n *tally) (int64, error) {
	info, err := fs.Lstat(dir, file)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file: an archive holds no links and no devices", file)
	}
	if err := checkName(file); err != nil {
		return 0, err
	}
	if err := n.add(file, info.Size()); err != nil {
		return 0, err
	}
	text, err := fs.ReadFile(dir, file)
	if err != nil {
		return 0, err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX}
	if err := t.WriteHeader(h); err != nil {
		return 0, err
	}
	_, err = t.Write(text)
	return h.Size, err
}
