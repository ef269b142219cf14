package webclient

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skipped are the folders of the source tree that no build reads.
var skipped = []string{"docs", "dist", "editors", "node_modules", "testdata"}

// hashTree returns a hash of the files that a build reads, and of the toolchain.
func hashTree(root, toolchain string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", toolchain)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skipped, d.Name())):
			return filepath.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(d.Name(), "_test.go") || !isSource(path):
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return hashFile(h, filepath.ToSlash(name), path)
	})
	return hex.EncodeToString(h.Sum(nil)[:16]), err
}

// isSource reports whether a build can read a file: Go compiles it or embeds it.
func isSource(path string) bool {
	name := filepath.Base(path)
	return name == "go.mod" || name == "go.sum" || slices.Contains([]string{".go", ".s", ".lua", ".toml", ".md", ".txt", ".json"}, filepath.Ext(name))
}

// hashFile adds the name, the size and the content of a file.
func hashFile(h io.Writer, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%q %d\n", name, info.Size())
	_, err = io.Copy(h, f)
	return err
}
