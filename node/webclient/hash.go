package webclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// sources prints a line for each file that the build of a program reads, except those of the Go
// release: its name, which is the same in each checkout, and its path.
const sources = `{{if not .Standard}}{{$p := .}}` +
	`{{range .GoFiles}}{{$p.ImportPath}}/{{.}}{{"\t"}}{{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{range .SFiles}}{{$p.ImportPath}}/{{.}}{{"\t"}}{{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{range .HFiles}}{{$p.ImportPath}}/{{.}}{{"\t"}}{{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{range .EmbedFiles}}{{$p.ImportPath}}/{{.}}{{"\t"}}{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`

// key returns the name of the cached build: a hash of the toolchain, of the settings, and of all
// files that the build reads, also of other modules.
func (b Builder) key(ctx context.Context) (string, error) {
	version, err := b.goTool(ctx, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	list, err := b.goTool(ctx, "list", "-tags", pageTag, "-deps", "-f", sources, b.target())
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %q\n", version, b.Level, flags())
	for line := range strings.Lines(list) {
		name, path, is := strings.Cut(strings.TrimSpace(line), "\t")
		if !is {
			continue // behind the files of each package
		}
		if err := hashFile(h, name, path); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
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
