// Command embed writes the built parts of the client for browsers into the folder that a release embeds:
// embed FOLDER, in the root of the source tree.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/cmd/torc/internal/webclient"
	"github.com/torc-engine/torc/engine/node"
)

// libraryName is the largest file of the page. It refers to no other file, so it is sent as it is.
const libraryName = "three.js"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// run writes the folder.
func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: embed FOLDER")
	}
	to, err := filepath.Abs(args[0])
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	if err != nil {
		return err
	}
	if err := (webclient.Builder{Root: ".", Level: webclient.ReleaseLevel}).Compile(context.Background(), to); err != nil {
		return err
	}
	library, err := fs.ReadFile(www.FS, libraryName)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, libraryName+".br"), node.CompressBrotli(library, webclient.ReleaseLevel), 0o644)
}
