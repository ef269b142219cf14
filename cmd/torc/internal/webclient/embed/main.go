// Command embed writes the built parts of the client for browsers into the folder that a release embeds:
// embed FOLDER, in the root of the source tree.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/torc/internal/webclient"
)

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
	return webclient.Builder{Root: "."}.Compile(context.Background(), to)
}
